"""Write the facts tables that ``kubegang.api.facts`` reads, one per Kubernetes version.

The structure of the kinds comes from the development-time package ``kubernetes-validate``:
field names, types, formats, required members, list types and merge keys. Descriptions are
left out; they are upstream's sentences. What that package loses is put back from the small
tables beside this script (``facts/*.yaml``) and from ``LEAVES`` below.

Run it without arguments to write the tables, with ``--check`` to compare them with what is
in the repository.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "src" / "kubegang" / "api" / "schema"
REPAIRS = Path(__file__).resolve().parent / "facts"
VERSIONS = ("1.35", "1.36", "1.37")

Json = dict[str, Any]

# Group versions of which every kind is kept. A release that lacks one just has no such kinds.
GROUP_VERSIONS = frozenset(
    {
        ("", "v1"),
        ("apiextensions.k8s.io", "v1"),
        ("apps", "v1"),
        ("authentication.k8s.io", "v1"),
        ("authorization.k8s.io", "v1"),
        ("autoscaling", "v1"),
        ("autoscaling", "v2"),
        ("batch", "v1"),
        ("coordination.k8s.io", "v1"),
        ("discovery.k8s.io", "v1"),
        ("events.k8s.io", "v1"),
        ("networking.k8s.io", "v1"),
        ("node.k8s.io", "v1"),
        ("policy", "v1"),
        ("rbac.authorization.k8s.io", "v1"),
        ("resource.k8s.io", "v1"),
        ("scheduling.k8s.io", "v1"),
        ("scheduling.k8s.io", "v1alpha1"),
        ("scheduling.k8s.io", "v1alpha2"),
        ("scheduling.k8s.io", "v1alpha3"),
        ("scheduling.k8s.io", "v1beta1"),
        ("storage.k8s.io", "v1"),
    }
)

# Kinds kept from group versions that are not kept whole, such as device taints before they
# became v1.
EXTRA_KINDS = frozenset(
    {
        ("certificates.k8s.io", "v1", "CertificateSigningRequest"),
        ("certificates.k8s.io", "v1", "CertificateSigningRequestList"),
        ("resource.k8s.io", "v1alpha3", "DeviceTaintRule"),
        ("resource.k8s.io", "v1alpha3", "DeviceTaintRuleList"),
        ("resource.k8s.io", "v1beta2", "DeviceTaintRule"),
        ("resource.k8s.io", "v1beta2", "DeviceTaintRuleList"),
    }
)

# Every group version "has" these; listing sixty of them would say nothing.
EVERYWHERE = frozenset({"DeleteOptions", "WatchEvent"})

META = "io.k8s.apimachinery.pkg.apis.meta.v1."
EXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."

# Types with a JSON form of their own. The source shows them as plain strings, objects or
# choices, so that what a client may send is lost.
LEAVES = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "string/quantity",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "int-or-string",
    "io.k8s.apimachinery.pkg.runtime.RawExtension": "any",
    f"{META}Duration": "string/duration",
    f"{META}FieldsV1": "any",
    f"{META}MicroTime": "string/micro-time",
    f"{META}Patch": "any",
    f"{META}Time": "string/date-time",
    f"{EXTENSIONS}JSON": "any",
    f"{EXTENSIONS}JSONSchemaPropsOrArray": "any",
    f"{EXTENSIONS}JSONSchemaPropsOrBool": "any",
    f"{EXTENSIONS}JSONSchemaPropsOrStringArray": "any",
}

# Definitions that no kind refers to, but discovery and errors do.
EXTRA_DEFINITIONS = ("io.k8s.apimachinery.pkg.version.Info", f"{META}Patch")

ATTRIBUTES = {
    "x-kubernetes-list-type": "listType",
    "x-kubernetes-list-map-keys": "listMapKeys",
    "x-kubernetes-map-type": "mapType",
    "x-kubernetes-patch-merge-key": "mergeKey",
    "x-kubernetes-patch-strategy": "patchStrategy",
}

# What an attribute means where it is not written.
UNSAID = {"listType": "atomic", "mapType": "granular"}


class UnexpectedSourceError(Exception):
    """The source package has a construct that this script does not know."""


def plain_type(node: Json) -> str:
    """Return the JSON type of a node; the source adds ``null`` to most of them."""
    declared = node.get("type", "")
    if isinstance(declared, list):
        return next(str(word) for word in declared if word != "null")
    return str(declared)


def type_text(node: Json) -> str:
    """Return a node's type: ``[]`` array of, ``{}`` map of, ``#`` reference, or type/format."""
    if "$ref" in node:
        return "#" + str(node["$ref"]).rsplit("/", 1)[-1]
    kind = plain_type(node)
    if kind == "array":
        return "[]" + inner_type_text(node["items"])
    if kind == "object" and isinstance(node.get("additionalProperties"), dict):
        return "{}" + inner_type_text(node["additionalProperties"])
    if kind == "object" and "properties" not in node:
        return "any"
    if kind not in {"string", "integer", "number", "boolean"}:
        raise UnexpectedSourceError(f"no type text for {node}")
    return f"{kind}/{node['format']}" if node.get("format") else kind


def inner_type_text(node: Json) -> str:
    """Return the type of items or map values, which carry no attributes worth keeping."""
    extra = {key for key in ATTRIBUTES if node.get(key) not in (None, "atomic")}
    if extra and "$ref" not in node:
        raise UnexpectedSourceError(f"attributes inside a list or map: {node}")
    return type_text(node)


def field_facts(node: Json, enum: list[str] | None) -> str | Json:
    """Return the facts about one field: its type alone where nothing else is to say."""
    facts: Json = {"type": type_text(node)}
    for source, name in ATTRIBUTES.items():
        value = node.get(source)
        if source == "x-kubernetes-patch-strategy" and value:
            facts[name] = str(value).split(",")
        elif value and value != UNSAID.get(name):
            facts[name] = value
    if enum:
        facts["enum"] = enum
    return facts if len(facts) > 1 else str(facts["type"])


def kinds_of(name: str, node: Json) -> list[str]:
    """Return the kinds a definition stands for, as ``group/version/Kind``."""
    kept = []
    for entry in node.get("x-kubernetes-group-version-kind", ()):
        key = (entry["group"], entry["version"], entry["kind"])
        if entry["kind"] in EVERYWHERE and key[:2] != ("", "v1"):
            continue
        if key[:2] in GROUP_VERSIONS or key in EXTRA_KINDS:
            kept.append("/".join(key))
    return sorted(kept)


def definition_facts(name: str, node: Json, repairs: Json) -> Json:
    """Return the facts about one definition."""
    if name in LEAVES:
        return {"leaf": LEAVES[name]}
    enums = repairs["enums"].get(name, {})
    facts: Json = {}
    kinds = kinds_of(name, node)
    if kinds:
        facts["kinds"] = kinds
    if node.get("x-kubernetes-map-type") == "atomic":
        facts["mapType"] = "atomic"
    properties = node.get("properties", {})
    if node.get("required"):
        facts["required"] = sorted(node["required"])
    for key, names in repairs["serialized_form"].get(name, {}).items():
        present = [field for field in names if field in properties]
        if present:
            facts[key] = present
    facts["fields"] = {
        field: field_facts(properties[field], enums.get(field)) for field in sorted(properties)
    }
    return facts


def references(node: Any) -> Iterator[str]:
    """Yield the names of all definitions a node refers to."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield str(node["$ref"]).rsplit("/", 1)[-1]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def reachable(definitions: Json) -> list[str]:
    """Return the names of the kept kinds and of everything they refer to, sorted."""
    waiting = [name for name, node in definitions.items() if kinds_of(name, node)]
    waiting += [name for name in EXTRA_DEFINITIONS if name in definitions]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            # What a leaf looks like inside is its own business.
            waiting += [] if name in LEAVES else references(definitions[name])
    return sorted(found)


def render(version: str) -> str:
    """Return the text of one version's table: a definition a line, sorted."""
    folder = resources.files("kubernetes_validate") / "kubernetes-json-schema"
    source = folder / f"v{version}.0-local" / "_definitions.json"
    definitions = json.loads(source.read_text(encoding="utf-8"))["$defs"]
    repairs = {
        name: yaml.safe_load((REPAIRS / f"{name}.yaml").read_text(encoding="utf-8"))
        for name in ("enums", "serialized_form")
    }
    lines = [
        f"{json.dumps(name)}:"
        + json.dumps(definition_facts(name, definitions[name], repairs), separators=(",", ":"))
        for name in reachable(definitions)
    ]
    package = f"kubernetes-validate {metadata.version('kubernetes-validate')}"
    head = f'{{"version":{json.dumps(version)},"source":{json.dumps(package)},"definitions":{{\n'
    return head + ",\n".join(lines) + "\n}}\n"


def main() -> int:
    """Write the tables, or compare them with ``--check``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    stale = []
    for version in VERSIONS:
        path = TARGET / f"v{version.replace('.', '_')}.json"
        text = render(version)
        if check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            stale.append(path.name)
        elif not check:
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"out of date: {', '.join(stale)}; run scripts/generate_facts.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
