"""The files of ``kubegang run``: read, checked as far as that goes without a server.

Everything that is wrong is collected, each with file, line and column, before anything runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from kubegang.api.config.document import ConfigurationError
from kubegang.api.config.loading import load_scheduler_configuration
from kubegang.api.config.types import (
    KIND as CONFIGURATION_KIND,
)
from kubegang.api.config.types import KubeSchedulerConfiguration
from kubegang.api.facts import Facts, load_facts
from kubegang.api.profile import VersionProfile
from kubegang.api.resources import ROWS
from kubegang.api.scheme import ResourceInfo, Scheme
from kubegang.apimachinery.decoding import check_types
from kubegang.apimachinery.errors import BadRequestError
from kubegang.apimachinery.manifests import Manifest, ManifestError, load_manifests
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.places import place_of
from kubegang.apimachinery.unknownfields import unknown_fields
from kubegang.apimachinery.wrongplaces import wrong_place
from kubegang.app.configuration import node_file_field, read_text
from kubegang.app.errors import BadInputError
from kubegang.app.served import scheme_of
from kubegang.nodesim.annotations import AnnotationError, check_annotations
from kubegang.nodesim.node_file import (
    KIND as CLUSTER_KIND,
)
from kubegang.nodesim.node_file import (
    NodeFileError,
    nodes_of,
    parse_node_file,
)

STANDARD_INPUT = "-"
SUFFIXES = (".yaml", ".yml", ".json")
DEFAULT_NAMESPACE = "default"
MOST_ERRORS = 20
"""Further mistakes are counted, not listed."""

ReadStandardInput = Callable[[], str]


class InputObject(msgspec.Struct, frozen=True, kw_only=True):
    """One object to create.

    Attributes:
        row: its resource.
        text: of the file it stands in, for places.
    """

    manifest: Manifest
    row: ResourceInfo
    text: str

    @property
    def object(self) -> JsonObject:
        """The object as written, with its namespace filled in."""
        return self.manifest.object

    @property
    def namespace(self) -> str:
        """Its namespace, empty for an object of the whole cluster."""
        return str(self.object["metadata"].get("namespace") or "") if self.row.namespaced else ""

    def place(self, field: str = "") -> str:
        """Return where it, or a field of it, was written."""
        return place_of(self.text, self.manifest, field)


class Inputs(msgspec.Struct, frozen=True):
    """What the files say.

    Attributes:
        objects: in the order of the files; nodes of node files among them.
        configuration: the KubeSchedulerConfiguration among them, if there is one.
    """

    objects: tuple[InputObject, ...]
    configuration: KubeSchedulerConfiguration | None = None


def read_inputs(
    paths: Sequence[str], profile: VersionProfile, *, read_standard_input: ReadStandardInput
) -> Inputs:
    """Read files, directories and standard input.

    Raises:
        BadInputError: something cannot be read or used; one line for each mistake.
    """
    reader = _Reader(profile)
    for source, text in texts_of(paths, read_standard_input):
        reader.read(source, text)
    reader.check()
    return Inputs(tuple(reader.objects), reader.configuration)


def node_inputs(nodes: Sequence[JsonObject], source: str) -> list[InputObject]:
    """Return nodes that no file describes one by one, as ``--nodes`` asks for."""
    row = _row_of_nodes()
    return [InputObject(manifest=Manifest(node, source), row=row, text="") for node in nodes]


def raise_if_any(problems: Sequence[str]) -> None:
    """Raise one error that lists what is wrong.

    Raises:
        BadInputError: there is a problem.
    """
    if not problems:
        return
    more = len(problems) - MOST_ERRORS
    listed = list(problems[:MOST_ERRORS])
    raise BadInputError("\n".join([*listed, *([f"and {more} more mistakes"] if more > 0 else [])]))


def texts_of(
    paths: Sequence[str], read_standard_input: ReadStandardInput
) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file, of those in directories too.

    Raises:
        BadInputError: one cannot be read.
    """
    for path in paths:
        if path == STANDARD_INPUT:
            yield "stdin", read_standard_input()
        elif Path(path).is_dir():
            for file in _files_of(Path(path)):
                yield str(file), read_text(str(file))
        else:
            yield path, read_text(path)


def _files_of(directory: Path) -> list[Path]:
    """Return the manifests of a directory by name, not of those below it, as kubectl does."""
    try:
        files = sorted(p for p in directory.iterdir() if p.suffix in SUFFIXES and p.is_file())
    except OSError as error:
        raise BadInputError(f"{directory}: {error.strerror or error}") from error
    if not files:
        raise BadInputError(f"{directory}: no {', '.join(SUFFIXES)} file in this directory")
    return files


def _row_of_nodes() -> ResourceInfo:
    return next(row for row in ROWS if row.kind == "Node" and not row.group)


class _Reader:
    """Collects objects and mistakes over all files."""

    def __init__(self, profile: VersionProfile) -> None:
        self._profile = profile
        self._release = profile.name
        self._scheme: Scheme = scheme_of(profile)
        self._facts: Facts = load_facts(profile.name)
        self._problems: list[str] = []
        self._first: dict[tuple[str, str, str], InputObject] = {}
        self.objects: list[InputObject] = []
        self.configuration: KubeSchedulerConfiguration | None = None

    def read(self, source: str, text: str) -> None:
        """Take in one file."""
        try:
            found = load_manifests(text, source)
        except ManifestError as error:
            self._problems.append(str(error))
            return
        for manifest in found:
            if manifest.object["kind"] == CONFIGURATION_KIND:
                self._read_configuration(manifest, text, alone=len(found) == 1)
            elif manifest.object["kind"] == CLUSTER_KIND:
                self._read_cluster(manifest, text)
            else:
                self._read_object(manifest, text)

    def check(self) -> None:
        """Tell all mistakes at once.

        Raises:
            BadInputError: there is one.
        """
        raise_if_any(self._problems)

    def _read_configuration(self, manifest: Manifest, text: str, *, alone: bool) -> None:
        place = place_of(text, manifest)
        if not alone or self.configuration is not None:
            only = "in one file, alone" if not alone else "only once"
            self._problems.append(f"{place}: a {CONFIGURATION_KIND} may be given {only}")
            return
        source = manifest.where.rpartition(":")[0]
        try:
            self.configuration = load_scheduler_configuration(text, source, self._profile)
        except ConfigurationError as error:
            self._problems.append(str(error))

    def _read_cluster(self, manifest: Manifest, text: str) -> None:
        try:
            nodes = nodes_of(parse_node_file(manifest.object))
        except NodeFileError as error:
            self._problems.append(f"{place_of(text, manifest, node_file_field(error))}: {error}")
            return
        row = _row_of_nodes()
        for node in nodes:
            found = InputObject(manifest=Manifest(node, manifest.where), row=row, text=text)
            if not self._add(found):
                # The same pool twice: the other nodes would say the same.
                return

    def _read_object(self, manifest: Manifest, text: str) -> None:
        gvk = GroupVersionKind.of(manifest.object)
        row = self._scheme.find_kind(gvk)
        if row is None or "list" not in row.verbs:
            self._problems.append(self._no_match(manifest, text, gvk))
            return
        schema = self._facts.kind(gvk)
        problems = [
            (path, f"unknown field {path!r} in {gvk.kind}")
            for path in unknown_fields(manifest.object, schema)
        ]
        try:
            check_types(manifest.object, schema, gvk)
        except BadRequestError as error:
            problems.append((wrong_place(manifest.object, schema), error.message))
        else:
            problems += _annotation_problems(manifest.object)
        if problems:
            self._problems += [f"{place_of(text, manifest, p)}: {said}" for p, said in problems]
            return
        self._add(InputObject(manifest=_in_namespace(manifest, row), row=row, text=text))

    def _no_match(self, manifest: Manifest, text: str, gvk: GroupVersionKind) -> str:
        elsewhere = {
            str(row.group_version) for row in self._scheme.resources() if row.kind == gvk.kind
        }
        hint = f"; it has {gvk.kind} in {', '.join(sorted(elsewhere))}" if elsewhere else ""
        place = place_of(text, manifest, "apiVersion" if elsewhere else "kind")
        return (
            f"{place}: Kubernetes {self._release} as started here has no kind {gvk.kind!r} in "
            f"{gvk.group_version}{hint}"
        )

    def _add(self, found: InputObject) -> bool:
        """Take in an object, unless there is one of that name."""
        name = found.object["metadata"].get("name") or ""
        key = (str(found.row.group_resource), found.namespace, name)
        first = self._first.setdefault(key, found)
        if name and first is not found:
            label = f"{found.namespace}/{name}" if found.namespace else name
            self._problems.append(
                f"{found.place('metadata.name')}: {found.row.kind} {label} is also in "
                f"{first.place('metadata.name')}"
            )
            return False
        self.objects.append(found)
        return True


def _in_namespace(manifest: Manifest, row: ResourceInfo) -> Manifest:
    metadata = dict(manifest.object.get("metadata") or {})
    if row.namespaced and not metadata.get("namespace"):
        metadata["namespace"] = DEFAULT_NAMESPACE
    return Manifest({**manifest.object, "metadata": metadata}, manifest.where)


def _annotation_problems(obj: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield what the simulated nodes could not read: they would run the pod without it."""
    template = (obj.get("spec") or {}).get("template") or {}
    places = (("metadata", obj), ("spec.template.metadata", template))
    for path, part in places:
        annotations = (part.get("metadata") or {}).get("annotations") or {}
        try:
            check_annotations(annotations)
        except AnnotationError as error:
            name = next((n for n in annotations if f"annotation {n}:" in str(error)), "")
            yield f"{path}.annotations[{name}]", str(error)
