"""What to do about one object whose owners are going or gone, or that is going itself. Pure.

Whether an owner that was not seen exists is asked of the API first, and handed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from kubegang.controllers.garbagecollector.graph import (
    FOREGROUND,
    ORPHAN,
    Node,
    Owner,
    OwnershipGraph,
)

Policy = Literal["Background", "Foreground", "Orphan"]


class DeleteObject(msgspec.Struct, frozen=True):
    """Delete an object whose owners are gone or going."""

    node: Node
    policy: Policy


class DropOwners(msgspec.Struct, frozen=True):
    """Take owner references out of an object that stays."""

    node: Node
    uids: frozenset[str]


class UnblockOwners(msgspec.Struct, frozen=True):
    """Have the owners of an object no longer wait for it: it waits for itself in a circle."""

    node: Node


class DropFinalizer(msgspec.Struct, frozen=True):
    """Let an object go: its dependents are gone, or were let go."""

    node: Node
    finalizer: str


Action = DeleteObject | DropOwners | UnblockOwners | DropFinalizer

OwnerState = Literal["absent", "waiting", "solid"]
"""Gone; going, but only after what it owns; or there."""


def state_of(graph: OwnershipGraph, owner: Node, dependent: Node) -> OwnerState:
    """Return the state of an owner that exists."""
    return "waiting" if graph.is_waiting(owner, dependent) else "solid"


def decide(graph: OwnershipGraph, node: Node, *, known: Mapping[Owner, OwnerState]) -> list[Action]:
    """Return what to do about one object now.

    Args:
        graph: everything seen.
        node: the object in question.
        known: owners as the API knows them; where the graph knows one too, the API is right.
    """
    if node.orphans_dependents():
        return _orphan(graph, node)
    if node.waits_for_dependents():
        return _finish_foreground(graph, node)
    if node.deleting or not node.owners:
        return []
    return _follow_owners(graph, node, known)


def _orphan(graph: OwnershipGraph, node: Node) -> list[Action]:
    released = [DropOwners(d, frozenset([node.uid])) for d in graph.dependents(node.uid)]
    return [*released, DropFinalizer(node, ORPHAN)]


def _finish_foreground(graph: OwnershipGraph, node: Node) -> list[Action]:
    dependents = graph.dependents(node.uid)
    blocking = [d for d in dependents if any(o.uid == node.uid and o.blocks for o in d.owners)]
    return [] if blocking else [DropFinalizer(node, FOREGROUND)]


def _follow_owners(
    graph: OwnershipGraph, node: Node, known: Mapping[Owner, OwnerState]
) -> list[Action]:
    states = {owner: _state(graph, node, owner, known) for owner in node.owners}
    lost = [owner for owner, state in states.items() if state != "solid"]
    if not lost:
        return []
    if len(lost) < len(node.owners):
        return [DropOwners(node, _uids(lost))]
    dependents = graph.dependents(node.uid)
    if "waiting" in states.values() and dependents:
        deletion = DeleteObject(node, "Foreground")
        # Perhaps the dependent waits for something else, but nothing is lost by that.
        in_circle = any(graph.began_to_wait(dependent.uid) for dependent in dependents)
        return [UnblockOwners(node), deletion] if in_circle else [deletion]
    return [DeleteObject(node, _policy_of(node))]


def _state(
    graph: OwnershipGraph, node: Node, owner: Owner, known: Mapping[Owner, OwnerState]
) -> OwnerState:
    if owner in known:
        return known[owner]
    seen = graph.owner(owner, node)
    # One that went just now, while the API was asked about others, is left for later: its
    # going brings the object here again.
    return state_of(graph, seen, node) if seen is not None else "solid"


def _policy_of(node: Node) -> Policy:
    """Return the policy an object asks for by its own finalizers."""
    if ORPHAN in node.finalizers:
        return "Orphan"
    return "Foreground" if FOREGROUND in node.finalizers else "Background"


def _uids(owners: Iterable[Owner]) -> frozenset[str]:
    return frozenset(owner.uid for owner in owners)
