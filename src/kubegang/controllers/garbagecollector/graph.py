"""Who owns whom, as far as that was seen. Pure."""

from __future__ import annotations

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

    def is_meant_by(self, owner: Owner, dependent: Node) -> bool:
        """Return whether a reference with this uid says the rest about the object truly.

        What it says of version, kind and name may be wrong, and an owner in another
        namespace is none.
        """
        resource = self.resource
        return (
            (resource.api_version, resource.kind, self.name)
            == (owner.api_version, owner.kind, owner.name)
        ) and self.namespace in ("", dependent.namespace)


def node_of(resource: Resource, obj: JsonObject) -> Node:
    """Return an object's node."""
    metadata = obj["metadata"]
    return Node(
        uid=metadata["uid"],
        resource=resource,
        namespace=metadata.get("namespace", ""),
        name=metadata["name"],
        resource_version=metadata.get("resourceVersion", ""),
        owners=tuple(_owner(reference) for reference in metadata.get("ownerReferences") or ()),
        deleting=bool(metadata.get("deletionTimestamp")),
        finalizers=tuple(metadata.get("finalizers") or ()),
    )


class OwnershipGraph:
    """All objects seen, with the way from an owner to its dependents."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._dependents: dict[str, dict[str, None]] = {}
        self._began_to_wait: set[str] = set()
        self._called: dict[str, set[str]] = {}

    def node(self, uid: str) -> Node | None:
        """Return the object with this uid, if it was seen."""
        return self._nodes.get(uid)

    def owner(self, owner: Owner, dependent: Node) -> Node | None:
        """Return the object that a reference means, if it was seen."""
        node = self._nodes.get(owner.uid)
        return node if node is not None and node.is_meant_by(owner, dependent) else None

    def dependents(self, uid: str) -> list[Node]:
        """Return the objects that name this uid as an owner, in the order they were seen."""
        return [self._nodes[dependent] for dependent in self._dependents.get(uid, ())]

    def began_to_wait(self, uid: str) -> bool:
        """Return whether an object waits for its dependents before it goes, or once did."""
        return uid in self._began_to_wait

    def is_waiting(self, owner: Node, dependent: Node) -> bool:
        """Return whether an owner goes, but only after this dependent.

        That it began to wait counts until the dependent has been looked at, though it may
        have stopped since: an owner does not wait for those who do not block it.
        """
        called = owner.deleting and owner.uid in self._called.get(dependent.uid, ())
        return called or owner.waits_for_dependents()

    def calls(self, uid: str) -> frozenset[str]:
        """Return the owners that began to wait since an object was looked at last."""
        return frozenset(self._called.get(uid, ()))

    def answer(self, uid: str, calls: frozenset[str]) -> None:
        """Note that an object was looked at because of these calls."""
        left = self._called.pop(uid, set()) - calls
        if left:
            self._called[uid] = left

    def put(self, node: Node) -> list[str]:
        """Take in a new or changed object; return the uids to look at."""
        old = self._nodes.get(node.uid)
        if old is not None:
            self._unlink(old)
        self._nodes[node.uid] = node
        for owner in node.owners:
            self._dependents.setdefault(owner.uid, {})[node.uid] = None
        affected: list[str] = []
        if node.waits_for_dependents() and (old is None or not old.waits_for_dependents()):
            self._began_to_wait.add(node.uid)
            for dependent in self._dependents.get(node.uid, ()):
                self._called.setdefault(dependent, set()).add(node.uid)
                affected.append(dependent)
        if node.owners or node.deleting:
            affected.append(node.uid)
        if old is not None and old.owners != node.owners:
            # An owner that waited for this object may wait no longer.
            affected += [owner.uid for owner in old.owners if owner.uid in self._nodes]
        return affected

    def remove(self, uid: str) -> list[str]:
        """Take out an object that is gone; return the uids to look at."""
        node = self._nodes.pop(uid, None)
        if node is None:
            return []
        self._unlink(node)
        self._began_to_wait.discard(uid)
        self._called.pop(uid, None)
        waiting_owners = [owner.uid for owner in node.owners if owner.uid in self._nodes]
        return [*self._dependents.get(uid, ()), *waiting_owners]

    def _unlink(self, node: Node) -> None:
        for owner in node.owners:
            siblings = self._dependents.get(owner.uid)
            if siblings is not None:
                siblings.pop(node.uid, None)
                if not siblings:
                    del self._dependents[owner.uid]


def _owner(reference: JsonObject) -> Owner:
    return Owner(
        api_version=reference["apiVersion"],
        kind=reference["kind"],
        name=reference["name"],
        uid=reference["uid"],
        blocks=bool(reference.get("blockOwnerDeletion")),
    )
