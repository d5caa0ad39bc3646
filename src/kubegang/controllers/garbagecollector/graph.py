"""Who owns whom, and what follows when an owner is going or gone. Pure.

The graph holds one node per object seen. It answers one question about one object: what
must be done now? Whether an owner that the graph does not know really is gone, is asked of
the API before anything is deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import Resource

FOREGROUND, ORPHAN = "foregroundDeletion", "orphan"


class Owner(msgspec.Struct, frozen=True):
    """One owner reference."""

    api_version: str
    kind: str
    name: str
    uid: str
    blocks: bool


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """One object, as far as ownership is concerned."""

    uid: str
    resource: Resource
    namespace: str
    name: str
    resource_version: str
    owners: tuple[Owner, ...]
    deleting: bool
    finalizers: tuple[str, ...]

    def waits_for_dependents(self) -> bool:
        """Return whether the object goes only after what it owns."""
        return self.deleting and FOREGROUND in self.finalizers

    def orphans_dependents(self) -> bool:
        """Return whether the object lets go of what it owns before it goes."""
        return self.deleting and ORPHAN in self.finalizers


class DeleteObject(msgspec.Struct, frozen=True):
    """Delete an object whose owners are gone or going."""

    node: Node
    policy: Literal["Background", "Foreground", "Orphan"]


class DropOwners(msgspec.Struct, frozen=True):
    """Take owner references out of an object that stays."""

    node: Node
    uids: frozenset[str]


class DropFinalizer(msgspec.Struct, frozen=True):
    """Let an object go: its dependents are gone, or were let go."""

    node: Node
    finalizer: str


Action = DeleteObject | DropOwners | DropFinalizer


def node_of(resource: Resource, obj: JsonObject) -> Node:
    """Return an object's node."""
    metadata = obj["metadata"]
    return Node(
        uid=metadata["uid"],
        resource=resource,
        namespace=metadata.get("namespace", ""),
        name=metadata["name"],
        resource_version=metadata.get("resourceVersion", ""),
        owners=tuple(_owner(ref) for ref in metadata.get("ownerReferences") or []),
        deleting=bool(metadata.get("deletionTimestamp")),
        finalizers=tuple(metadata.get("finalizers") or ()),
    )


class OwnershipGraph:
    """All objects seen, with the way from an owner to its dependents."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._dependents: dict[str, dict[str, None]] = {}

    def node(self, uid: str) -> Node | None:
        """Return the object with this uid, if it was seen."""
        return self._nodes.get(uid)

    def dependents(self, uid: str) -> list[Node]:
        """Return the objects that name this uid as an owner, in the order they were seen."""
        return [self._nodes[dependent] for dependent in self._dependents.get(uid, ())]

    def put(self, node: Node) -> list[str]:
        """Take in a new or changed object; return the uids to look at."""
        old = self._nodes.get(node.uid)
        if old is not None:
            self._unlink(old)
        self._nodes[node.uid] = node
        for owner in node.owners:
            self._dependents.setdefault(owner.uid, {})[node.uid] = None
        starts_to_go = node.deleting and (old is None or not old.deleting)
        affected = [node.uid] if node.owners or node.deleting else []
        if starts_to_go and node.waits_for_dependents():
            affected += self._dependents.get(node.uid, {})
        return affected

    def remove(self, uid: str) -> list[str]:
        """Take out an object that is gone; return the uids to look at."""
        node = self._nodes.pop(uid, None)
        if node is None:
            return []
        self._unlink(node)
        waiting_owners = [owner.uid for owner in node.owners if owner.uid in self._nodes]
        return [*self._dependents.get(uid, ()), *waiting_owners]

    def unknown_owners(self, node: Node) -> list[Owner]:
        """Return the owners that the graph has not seen, to be looked up in the API."""
        return [owner for owner in node.owners if owner.uid not in self._nodes]

    def _unlink(self, node: Node) -> None:
        for owner in node.owners:
            siblings = self._dependents.get(owner.uid)
            if siblings is not None:
                siblings.pop(node.uid, None)
                if not siblings:
                    del self._dependents[owner.uid]


def decide(graph: OwnershipGraph, node: Node, *, absent: Collection[str]) -> list[Action]:
    """Return what to do about one object now.

    Args:
        graph: everything seen.
        node: the object in question.
        absent: uids of its owners that the API says do not exist.
    """
    if node.orphans_dependents():
        return _orphan(graph, node)
    if node.waits_for_dependents():
        return _finish_foreground(graph, node)
    if node.deleting or not node.owners:
        return []
    return _follow_owners(graph, node, absent)


def _orphan(graph: OwnershipGraph, node: Node) -> list[Action]:
    released = [DropOwners(d, frozenset([node.uid])) for d in graph.dependents(node.uid)]
    return [*released, DropFinalizer(node, ORPHAN)]


def _finish_foreground(graph: OwnershipGraph, node: Node) -> list[Action]:
    dependents = graph.dependents(node.uid)
    blocking = [d for d in dependents if any(o.uid == node.uid and o.blocks for o in d.owners)]
    return [] if blocking else [DropFinalizer(node, FOREGROUND)]


def _follow_owners(graph: OwnershipGraph, node: Node, absent: Collection[str]) -> list[Action]:
    dangling = [owner for owner in node.owners if owner.uid in absent]
    known = [(owner, graph.node(owner.uid)) for owner in node.owners if owner.uid not in absent]
    waiting = [o for o, n in known if n is not None and n.waits_for_dependents()]
    solid = len(node.owners) - len(dangling) - len(waiting)
    if not dangling and not waiting:
        return []
    if solid:
        return [DropOwners(node, _uids([*dangling, *waiting]))]
    if waiting and graph.dependents(node.uid):
        return [DeleteObject(node, "Foreground")]
    return [DeleteObject(node, _policy_of(node))]


def _policy_of(node: Node) -> Literal["Background", "Foreground", "Orphan"]:
    """Return the policy an object asks for by its own finalizers."""
    if ORPHAN in node.finalizers:
        return "Orphan"
    return "Foreground" if FOREGROUND in node.finalizers else "Background"


def _uids(owners: Iterable[Owner]) -> frozenset[str]:
    return frozenset(owner.uid for owner in owners)


def _owner(reference: JsonObject) -> Owner:
    return Owner(
        api_version=reference["apiVersion"],
        kind=reference["kind"],
        name=reference["name"],
        uid=reference["uid"],
        blocks=bool(reference.get("blockOwnerDeletion")),
    )
