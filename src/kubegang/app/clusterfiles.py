"""A cluster from files: dumps, what ``kubectl get -o yaml`` prints, node files, manifests.

JSON is read fast, since a dump may be large; where it is broken, and for everything else, the
manifest loader reads it, which knows lines and columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from kubegang.apimachinery.manifests import Manifest, ManifestError, load_manifests
from kubegang.apimachinery.objects import GroupVersionKind
from kubegang.apimachinery.places import place_of
from kubegang.apimachinery.times import TimeError, parse_time
from kubegang.app.configuration import node_file_field
from kubegang.app.errors import BadInputError
from kubegang.app.inputs import ReadStandardInput, texts_of
from kubegang.app.structures import Structures, WrongTypeError
from kubegang.base.feature_gates import FeatureGates
from kubegang.nodesim.node_file import KIND as CLUSTER_KIND
from kubegang.nodesim.node_file import NodeFileError, nodes_of, parse_node_file
from kubegang.tools.cluster.facts import DumpFacts, is_dump_facts
from kubegang.tools.cluster.kinds import KEPT_WHOLE, Body
from kubegang.tools.cluster.reading import ObjectError, StateReader
from kubegang.tools.cluster.state import ClusterState

_NODE = GroupVersionKind("", "v1", "Node")
_SEPARATOR = "\n---\n"


class _Head(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    metadata: dict[str, Any] = {}


class _Document(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    items: list[msgspec.Raw] | None = None


class ReadObject(msgspec.Struct, frozen=True):
    """One object of a file, and where it stands.

    Attributes:
        complete: a server has filled it in.
    """

    gvk: GroupVersionKind
    body: Body
    complete: bool
    manifest: Manifest | None = None
    text: str = ""

    def place(self, field: str = "") -> str:
        """Return where it, or a field of it, was written, as far as that is known."""
        return "" if self.manifest is None else f"{place_of(self.text, self.manifest, field)}: "


class ReadFiles(msgspec.Struct, frozen=True):
    """What files hold."""

    objects: tuple[ReadObject, ...]
    facts: DumpFacts


def read_cluster_files(
    paths: Sequence[str], *, read_standard_input: ReadStandardInput
) -> ReadFiles:
    """Read files, directories and standard input.

    Raises:
        BadInputError: one cannot be read; says where.
    """
    objects: list[ReadObject] = []
    facts = DumpFacts()
    for source, text in texts_of(paths, read_standard_input):
        for found in _objects_of(text, source):
            if is_dump_facts(found.gvk):
                facts = _facts_of(found)
            else:
                objects.append(found)
    return ReadFiles(tuple(objects), facts)


def state_of(
    objects: Sequence[ReadObject],
    facts: DumpFacts,
    *,
    gates: FeatureGates,
    release: str,
) -> ClusterState:
    """Return the cluster that objects make up.

    Args:
        objects: as they were read.
        facts: of the dump.
        gates: of the API server, for what is to be filled in.
        release: for the state.

    Raises:
        BadInputError: an object cannot be used; says which, and where.
    """
    reader = StateReader(gates)
    structures = Structures(release)
    # Whoever names a class needs its value.
    for found in sorted(objects, key=lambda one: one.gvk.kind != "PriorityClass"):
        try:
            _take(found, reader, structures)
        except WrongTypeError as error:
            raise BadInputError(f"{found.place(error.field)}{error}") from error
        except ObjectError as error:
            raise BadInputError(f"{found.place()}{error}") from error
    # Without a word about the moment it is that of the youngest pod.
    taken = max(parse_time(facts.taken) if facts.taken else 0.0, reader.latest)
    return reader.state(taken=taken, unseen=facts.unseen, release=release)


def _take(found: ReadObject, reader: StateReader, structures: Structures) -> None:
    body = found.body
    if not isinstance(body, dict) and (found.gvk.group, found.gvk.kind) in KEPT_WHOLE:
        # Of other kinds the reader decodes all that it looks at, and that refuses wrong types.
        body = msgspec.json.decode(body)
    if isinstance(body, dict):
        structures.check(found.gvk, body)
    if isinstance(body, dict) and not found.complete:
        reader.add_written(body)
    else:
        reader.add(found.gvk, body)


# --- one file ----------------------------------------------------------------------------


def _objects_of(text: str, source: str) -> Iterator[ReadObject]:
    if text.lstrip()[:1] == "{":
        try:
            yield from list(_json_objects(text))
        except (msgspec.DecodeError, RecursionError):
            # The other reader says where it is broken, or nested too deep.
            pass
        else:
            return
    try:
        manifests = load_manifests(text, source)
    except ManifestError as error:
        raise BadInputError(str(error)) from error
    for manifest in manifests:
        yield from _written(manifest, text)


def _json_objects(text: str) -> Iterator[ReadObject]:
    for document in text.split(_SEPARATOR):
        body = document.encode()
        read = msgspec.json.decode(body, type=_Document)
        if read.items is None or not read.kind.endswith("List"):
            yield _json_object(body, read.api_version, read.kind)
            continue
        for item in read.items:
            # Items of a typed list leave out what every item would repeat.
            yield _json_object(item, read.api_version, read.kind.removesuffix("List"))


def _json_object(body: bytes | msgspec.Raw, api_version: str, kind: str) -> ReadObject:
    head = msgspec.json.decode(body, type=_Head)
    names = {"apiVersion": head.api_version or api_version, "kind": head.kind or kind}
    gvk = GroupVersionKind.of(names)
    if head.metadata.get("uid") and gvk.kind != CLUSTER_KIND:
        return ReadObject(gvk, body, complete=True)
    return ReadObject(gvk, {**msgspec.json.decode(body), **names}, complete=False)


def _written(manifest: Manifest, text: str) -> Iterator[ReadObject]:
    obj = manifest.object
    if obj["kind"] == CLUSTER_KIND:
        try:
            nodes = nodes_of(parse_node_file(obj))
        except NodeFileError as error:
            raise BadInputError(
                f"{place_of(text, manifest, node_file_field(error))}: {error}"
            ) from error
        for node in nodes:
            yield ReadObject(_NODE, node, complete=False)
        return
    metadata = obj.get("metadata")
    complete = isinstance(metadata, dict) and bool(metadata.get("uid"))
    gvk = GroupVersionKind.of(obj)
    yield ReadObject(gvk, obj, complete=complete, manifest=manifest, text=text)


def _facts_of(found: ReadObject) -> DumpFacts:
    try:
        facts = msgspec.convert(found.body, DumpFacts)
        if facts.taken:
            parse_time(facts.taken)
    except (msgspec.ValidationError, TimeError) as error:
        raise BadInputError(f"{found.place()}{error}") from error
    return facts
