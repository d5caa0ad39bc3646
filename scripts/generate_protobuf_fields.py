"""Write ``apiserver/protobuf_fields.json`` from the public Go API modules.

Field numbers, JSON names and pointers are facts of the Kubernetes API that stand in struct
tags. This script reads them from ``k8s.io/api`` and its neighbours in the Go module cache and
writes them in this project's own form; no source text is taken over. Releases never give a
number another meaning, so one table does for all: the newest release's, with the kinds and
fields that only older ones have. With
``--check`` it compares with the file in the repository, and with ``--samples`` it decodes the
sample messages that the module carries and compares them with the JSON beside them.

Usage::

    python scripts/generate_protobuf_fields.py [--check] [--samples]
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kubegang.apiserver.protobuf import decode_protobuf

TARGET = Path(__file__).parents[1] / "src/kubegang/apiserver/protobuf_fields.json"

RELEASES = ("0.37.2", "0.36.3", "0.35.4")
"""Those of the releases that are served, the newest first."""

PACKAGES = (
    "k8s.io/api/core/v1",
    "k8s.io/api/batch/v1",
    "k8s.io/api/policy/v1",
    "k8s.io/api/scheduling/v1",
    "k8s.io/api/scheduling/v1beta1",
    "k8s.io/api/scheduling/v1alpha3",
    "k8s.io/api/scheduling/v1alpha2",
    "k8s.io/api/scheduling/v1alpha1",
    "k8s.io/api/coordination/v1",
    "k8s.io/api/events/v1",
    "k8s.io/api/authentication/v1",
    "k8s.io/api/authorization/v1",
    "k8s.io/api/resource/v1",
    "k8s.io/api/apps/v1",
    "k8s.io/api/storage/v1",
    "k8s.io/api/rbac/v1",
    "k8s.io/api/autoscaling/v1",
    "k8s.io/api/discovery/v1",
    "k8s.io/api/networking/v1",
    "k8s.io/api/node/v1",
    "k8s.io/api/autoscaling/v2",
    "k8s.io/api/certificates/v1",
    "k8s.io/api/admissionregistration/v1",
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
)
"""A release has no folder for those that it does not have."""

META = "k8s.io/apimachinery/pkg/apis/meta/v1"
EXTENSIONS = PACKAGES[-1]
OPTIONS_KIND = "DeleteOptions"

SCALARS = {
    "string": "string",
    "bool": "bool",
    "int": "int",
    "int32": "int",
    "int64": "int",
    "float64": "double",
    "[]byte": "bytes",
    "k8s.io/apimachinery/pkg/types.UID": "string",
    "k8s.io/apimachinery/pkg/types.NodeName": "string",
    "k8s.io/apimachinery/pkg/api/resource.Quantity": "quantity",
    "k8s.io/apimachinery/pkg/util/intstr.IntOrString": "int-or-string",
    "k8s.io/apimachinery/pkg/runtime.RawExtension": "json",
    f"{META}.Time": "time",
    f"{META}.MicroTime": "micro-time",
    f"{META}.FieldsV1": "json",
    f"{EXTENSIONS}.JSON": "json",
    f"{EXTENSIONS}.JSONSchemaPropsOrBool": "schema-or-bool",
    f"{EXTENSIONS}.JSONSchemaPropsOrArray": "schema-or-schemas",
    f"{EXTENSIONS}.JSONSchemaPropsOrStringArray": "schema-or-strings",
}
"""Types that have a form of their own in JSON, by their Go name."""

STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
EMPTY_STRUCT = re.compile(r"^type (\w+) struct ?\{\}", re.MULTILINE)
ALIAS = re.compile(r"^type (\w+) ((?:\[\]|map\[\w+\])?[\w.]+)$", re.MULTILINE)
FIELD = re.compile(r"^\t(?:\w+[ \t]+)?([\w.\[\]*]+)[ \t]+`([^`]*)`", re.MULTILINE)
TYPE_META = re.compile(r"^\t(?:\w+\.)?TypeMeta\b", re.MULTILINE)
IMPORT = re.compile(r'^\t(?:(\w+) )?"([\w./-]+)"$', re.MULTILINE)
GROUP = re.compile(r'GroupName\s*=\s*"([^"]*)"')
TAG = re.compile(r'(\w+):"([^"]*)"')

Row = tuple[int, str, str, str]
"""Number, JSON name, type, and when the field is present: see ``apiserver/protobuf.py``."""


class Member(NamedTuple):
    """One struct field as the source has it."""

    go_type: str
    json_tag: str
    number: int


class GoPackage:
    """The types that one Go package declares."""

    def __init__(self, path: str, folder: Path) -> None:
        self.path = path
        self.structs: dict[str, list[Member]] = {}
        self.aliases: dict[str, str] = {}
        self.kinds: list[str] = []
        self.group = ""
        for file in sorted(folder.glob("*.go")):
            if not re.search(r"(_test|generated.*|deepcopy|swagger_doc)\.go$", file.name):
                self._read(file.read_text())

    def _read(self, text: str) -> None:
        imports = {
            alias or target.rsplit("/", 1)[-1]: target for alias, target in IMPORT.findall(text)
        }
        if group := GROUP.search(text):
            self.group = group[1]
        for name, target in ALIAS.findall(text):
            self.aliases[name] = self._qualify(target, imports)
        for name in EMPTY_STRUCT.findall(text):
            self.structs[name] = []
        for name, body in STRUCT.findall(text):
            self.structs[name] = [
                Member(self._qualify(go_type, imports), tags["json"], number)
                for go_type, tags, number in _tagged_fields(body)
            ]
            if TYPE_META.search(body) and not re.search(r"(List|Options)$", name):
                self.kinds.append(name)

    def _qualify(self, go_type: str, imports: dict[str, str]) -> str:
        """Replace the import name in a type by the import path; local names get this package's."""
        prefix, name = re.fullmatch(r"((?:\*|\[\]|map\[[\w.]+\])*)(.*)", go_type).groups()  # type: ignore[union-attr]  # it matches every text
        prefix = re.sub(r"map\[[\w.]+\]", "map:", prefix)
        if "." in name:
            package, _, local = name.partition(".")
            return f"{prefix}{imports[package]}.{local}"
        if name in SCALARS or name == "byte":
            return f"{prefix}{name}"
        return f"{prefix}{self.path}.{name}"


def _tagged_fields(body: str) -> Iterator[tuple[str, dict[str, str], int]]:
    for go_type, tag_text in FIELD.findall(body):
        tags = dict(TAG.findall(tag_text))
        if "protobuf" in tags and tags.get("json", "-") != "-":
            yield go_type, tags, int(tags["protobuf"].split(",")[1])


class Table:
    """Collects the messages reachable from the kinds."""

    def __init__(self, cache: Path, release: str) -> None:
        self._cache = cache
        self._release = release
        self._packages: dict[str, GoPackage] = {}
        self.messages: dict[str, list[Row]] = {}
        self.kinds: dict[str, str] = {}

    def add_package(self, path: str) -> None:
        """Add every kind of a package that the release has."""
        if not self._folder(path).is_dir() and self._folder(path).parent.is_dir():
            return
        package = self._package(path)
        version = path.rsplit("/", 1)[-1]
        prefix = f"{package.group}/{version}" if package.group else version
        for kind in package.kinds:
            self.kinds[f"{prefix}/{kind}"] = self._message(path, kind)

    def add_options(self) -> None:
        """Add the options that are sent as a body under any group and version."""
        self.kinds[OPTIONS_KIND] = self._message(META, OPTIONS_KIND)

    def _package(self, path: str) -> GoPackage:
        if path not in self._packages:
            folder = self._folder(path)
            if not folder.is_dir():
                sys.exit(f"{folder} is missing: go mod download its module")
            self._packages[path] = GoPackage(path, folder)
        return self._packages[path]

    def _folder(self, path: str) -> Path:
        module, _, rest = path.removeprefix("k8s.io/").partition("/")
        return self._cache / "k8s.io" / f"{module}@v{self._release}" / rest

    def _message(self, path: str, name: str) -> str:
        parts = path.split("/")
        key = f"{parts[-2]}.{parts[-1]}.{name}"
        if key not in self.messages:
            self.messages[key] = []  # before the members: messages may contain themselves
            self.messages[key] = sorted(
                self._row(member) for member in self._package(path).structs[name]
            )
        return key

    def _row(self, member: Member) -> Row:
        name, *options = member.json_tag.split(",")  # no name: an embedded struct
        kind = self._resolve(member.go_type.removeprefix("*"))
        if not name:
            presence = "inline"
        elif member.go_type.startswith("*"):
            presence = "pointer"
        elif "omitzero" in options or ("omitempty" in options and not self._is_message(kind)):
            # Go's omitempty never leaves out a struct, its omitzero does.
            presence = "nonzero"
        else:
            presence = "always"
        return member.number, name, kind, presence

    def _is_message(self, kind: str) -> bool:
        return kind in self.messages or kind in {"time", "micro-time"}

    def _resolve(self, go_type: str) -> str:
        """Return the type's name in the table, following aliases."""
        if go_type in SCALARS:
            return SCALARS[go_type]
        for prefix, mark in (("[]", "list:"), ("map:", "map:"), ("*", "")):
            if go_type.startswith(prefix):
                return mark + self._resolve(go_type.removeprefix(prefix))
        path, _, name = go_type.rpartition(".")
        alias = self._package(path).aliases.get(name)
        if alias is None:
            return self._message(path, name)
        # A named slice is a message of its own on the wire, with its items as field 1.
        target = self._resolve(alias)
        return f"wrapped:{target}" if target.startswith("list:") else target


def table_of(cache: Path, release: str) -> Table:
    """Return the table of one release of the modules."""
    table = Table(cache, release)
    for path in PACKAGES:
        table.add_package(path)
    table.add_options()
    return table


def add_older(table: Table, older: Table) -> None:
    """Add the kinds, messages and fields that only an older release has."""
    table.kinds = {**older.kinds, **table.kinds}
    for name, rows in older.messages.items():
        known = table.messages.setdefault(name, [])
        numbers = {row[0] for row in known}
        known += [row for row in rows if row[0] not in numbers]
        known.sort()


def build(cache: Path) -> str:
    """Return the table's text for all releases."""
    table = table_of(cache, RELEASES[0])
    for release in RELEASES[1:]:
        add_older(table, table_of(cache, release))
    source = f"k8s.io/api, apimachinery and apiextensions-apiserver v{', v'.join(RELEASES)}"
    lines = ["{", f' "source": "{source}",', ' "kinds": {']
    lines += _joined(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(table.kinds.items()))
    lines += [" },", ' "messages": {']
    lines += _joined(
        f"  {json.dumps(name)}: [\n" + ",\n".join(f"   {json.dumps(row)}" for row in rows) + "\n  ]"
        if rows
        else f"  {json.dumps(name)}: []"
        for name, rows in sorted(table.messages.items())
    )
    return "\n".join([*lines, " }", "}", ""])


def _joined(entries: Iterator[str]) -> list[str]:
    return [",\n".join(entries)]


def failing_samples(cache: Path, release: str) -> list[str]:
    """Decode a module's sample messages; return a line for each that differs from its JSON."""
    samples = cache / "k8s.io" / f"api@v{release}" / "testdata/HEAD"
    failures = []
    for key in json.loads(TARGET.read_text())["kinds"]:
        # The core group has no name in a key, but one in the names of the samples.
        stem = key.replace("/", ".") if key.count("/") > 1 else f"core.{key.replace('/', '.')}"
        sample = samples / f"{stem}.pb"
        if not sample.is_file():
            continue
        want: Any = json.loads(sample.with_suffix(".json").read_text())
        if decode_protobuf(sample.read_bytes(), expected=key) != want:
            failures.append(f"{sample.name}: differs from the JSON beside it")
    return failures


def main() -> None:
    """Write or check the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--samples", action="store_true", help="decode the module's samples")
    options = parser.parse_args()
    cache = Path(
        subprocess.run(
            ["go", "env", "GOMODCACHE"], check=True, capture_output=True, text=True
        ).stdout.strip()
    )
    text = build(cache)
    if not options.check:
        TARGET.write_text(text)
    elif TARGET.read_text() != text:
        sys.exit(f"{TARGET} is not what this script writes")
    for release in RELEASES if options.samples else ():
        if failures := failing_samples(cache, release):
            sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
