"""All objects of one conversion, and what is found while they are changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from kubegang.apimachinery.manifests import Manifest, load_manifests
from kubegang.apimachinery.objects import GroupVersionKind
from kubegang.apimachinery.places import place_of
from kubegang.tools.converting.documents import Document, split, written
from kubegang.tools.converting.edits import Map, made, member, plain, put, remove
from kubegang.tools.converting.report import Finding, Generation, Level

SCHEDULING = "scheduling.k8s.io"


class Item(msgspec.Struct, kw_only=True, eq=False):
    """One object.

    Attributes:
        body: the object, changed in place.
        manifest: as it was written; of a new object, that of the one it was made from.
        text: of its file, for places.
        document: what it stands in.
        new: it was made here.
        dropped: it has no counterpart of its own.
    """

    body: Map
    manifest: Manifest
    text: str
    document: Document
    new: bool = False
    dropped: bool = False
    before: Any = None

    @property
    def gvk(self) -> GroupVersionKind:
        """What it is now."""
        # Readers with comments take 1e3 for a number, where an API server reads a text.
        names = {key: str(self.body.get(key) or "") for key in ("apiVersion", "kind")}
        return GroupVersionKind.of(names)

    @property
    def kind(self) -> str:
        """Its kind as it is now."""
        return str(self.body["kind"])

    @property
    def name(self) -> str:
        """Its name, or what its name begins with."""
        metadata = member(self.body, "metadata")
        return str(metadata.get("name") or metadata.get("generateName") or "")

    @property
    def namespace(self) -> str:
        """Its namespace; empty and ``default`` are the same."""
        return str(member(self.body, "metadata").get("namespace") or "default")

    @property
    def spec(self) -> Map:
        """Its ``spec``."""
        return member(self.body, "spec")

    @property
    def changed(self) -> bool:
        """Whether it is no longer what was written."""
        return self.new or bool(plain(self.body) != self.before)


class Batch:
    """The objects of all files, in order.

    Args:
        files: name and text of each.
        source: the generation that the user says they are of, or empty.

    Raises:
        ManifestError: a file is no manifest; with line and column.
    """

    def __init__(
        self, files: Sequence[tuple[str, str]], target: Generation, *, source: str = ""
    ) -> None:
        self.target, self.source = target, source
        self.items: list[Item] = []
        self.findings: list[Finding] = []
        self._files: list[list[Document]] = []
        for name, text in files:
            self._read(name, text)

    def of(self, group: str, *kinds: str) -> list[Item]:
        """Return the objects of a group, of some kinds."""
        return [
            item
            for item in self.items
            if not item.dropped and item.gvk.group == group and item.kind in kinds
        ]

    def find(self, kind: str, namespace: str, name: str) -> Item | None:
        """Return an object of ``scheduling.k8s.io`` by name."""
        found = self.of(SCHEDULING, kind)
        return next((i for i in found if (i.namespace, i.name) == (namespace, name)), None)

    def make(self, kind: str, name: str, spec: object, *, beside: Item) -> Item | None:
        """Add an object in the 1.37 form behind the one it was made from.

        Nothing is added, and the conversion refused, if the name is taken.
        """
        if self.find(kind, beside.namespace, name) is not None:
            message = f"needs a new {kind} {name}, and there is one already"
            self.tell("refused", beside, "metadata.name", message)
            return None
        metadata = {"name": name}
        if namespace := member(beside.body, "metadata").get("namespace"):
            metadata["namespace"] = namespace
        version = "v1alpha3" if kind == "CompositePodGroup" else "v1beta1"
        api_version = f"{SCHEDULING}/{version}"
        body = made({"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec})
        return self.add(body, beside)

    def add(self, body: Map, beside: Item) -> Item:
        """Put a new object behind another."""
        item = Item(
            body=body,
            manifest=beside.manifest,
            text=beside.text,
            document=beside.document,
            new=True,
        )
        place = self.items.index(beside) + 1
        while place < len(self.items) and self.items[place].new:
            place += 1
        self.items.insert(place, item)
        return item

    def tell(self, level: Level, item: Item, field: str, message: str) -> None:
        """Note what does not come through as it was."""
        named = item.body if item.new else item.manifest.object
        name = member(named, "metadata").get("name") or item.name
        finding = Finding(
            level=level,
            where=place_of(item.text, item.manifest, field),
            object=f"{named['kind']} {name}",
            field=field,
            message=message,
        )
        if finding not in self.findings:
            self.findings.append(finding)

    def lose(self, item: Item, mapping: Map, key: str, *, field: str, why: str) -> None:
        """Take out a key that the target cannot say, and tell it."""
        if key in mapping:
            remove(mapping, key)
            self.tell("loss", item, f"{field}.{key}" if field else key, why)

    def leave_out_status(self, item: Item) -> None:
        """Leave out what the cluster writes: its conditions differ between releases."""
        if item.body.get("status"):
            self.tell("note", item, "status", "left out: the cluster writes it")
        remove(item.body, "status")

    def output(self) -> str:
        """Return the manifests as they are now."""
        for documents in self._files:
            for document in documents:
                _place_items(document, [i for i in self.items if i.document is document])
        return "".join(_joined(written(documents) for documents in self._files))

    def _read(self, name: str, text: str) -> None:
        manifests = iter(load_manifests(text, name))
        documents = split(text)
        self._files.append(documents)
        for document in documents:
            if document.root is None:
                continue
            for body in list(_unfolded(document.root)):
                manifest = next(manifests)
                for key in ("kind", "apiVersion"):
                    # Items of typed lists leave out what every item would repeat.
                    if key not in body:
                        put(body, key, manifest.object[key])
                item = Item(body=body, manifest=manifest, text=text, document=document)
                item.before = plain(body)
                self.items.append(item)


def _is_list(body: Map) -> bool:
    return str(body.get("kind", "")).endswith("List") and isinstance(body.get("items"), list)


def _unfolded(body: Map) -> Iterator[Map]:
    if not _is_list(body):
        yield body
        return
    for one in body["items"]:
        yield from _unfolded(one)


def _place_items(document: Document, items: list[Item]) -> None:
    """Put new objects of a document where they belong, and take out those that are gone."""
    if document.root is None:
        return
    if not _is_list(document.root):
        document.following = [item.body for item in items if item.new and not item.dropped]
        document.dropped = all(item.dropped for item in items if not item.new)
        return
    if not any(item.changed or item.dropped for item in items):
        return
    put(document.root, "apiVersion", "v1")
    put(document.root, "kind", "List")
    listed = document.root["items"]
    gone = {id(item.body) for item in items if item.dropped}
    for position in reversed(range(len(listed))):
        if id(listed[position]) in gone:
            listed.pop(position)
    listed.extend(item.body for item in items if item.new and not item.dropped)


def _joined(texts: Iterator[str]) -> Iterator[str]:
    first = True
    for text in texts:
        if not text.strip():
            continue
        if not first and not text.startswith("---"):
            yield "---\n"
        first = False
        yield text if text.endswith("\n") else text + "\n"
