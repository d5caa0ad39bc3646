"""What happens to an object when its owners go."""

from __future__ import annotations

from kubegang.client.interface import Resource
from kubegang.controllers.garbagecollector.graph import (
    DeleteObject,
    DropFinalizer,
    DropOwners,
    Node,
    Owner,
    OwnershipGraph,
    decide,
)

PODS = Resource("", "v1", "pods", "Pod")


def node(uid: str, *owners: str, deleting: bool = False, finalizers: tuple[str, ...] = ()) -> Node:
    return Node(
        uid=uid,
        resource=PODS,
        namespace="ns",
        name=uid,
        resource_version="1",
        owners=tuple(Owner("v1", "Pod", owner, owner, blocks=True) for owner in owners),
        deleting=deleting,
        finalizers=finalizers,
    )


def graph_of(*nodes: Node) -> OwnershipGraph:
    graph = OwnershipGraph()
    for one in nodes:
        graph.put(one)
    return graph


def test_an_object_whose_owners_are_all_gone_is_deleted() -> None:
    child = node("child", "gone")

    assert decide(graph_of(child), child, absent=["gone"]) == [DeleteObject(child, "Background")]


def test_an_object_with_one_living_owner_only_loses_the_dead_reference() -> None:
    child = node("child", "gone", "alive")

    actions = decide(graph_of(node("alive"), child), child, absent=["gone"])

    assert actions == [DropOwners(child, frozenset(["gone"]))]


def test_an_owner_that_cannot_be_looked_up_keeps_its_dependents() -> None:
    child = node("child", "unknown")

    assert decide(graph_of(child), child, absent=[]) == []


def test_foreground_deletion_takes_the_dependents_first() -> None:
    owner = node("owner", deleting=True, finalizers=("foregroundDeletion",))
    child = node("child", "owner")
    graph = graph_of(owner, child)

    assert decide(graph, child, absent=[]) == [DeleteObject(child, "Background")]
    assert decide(graph, owner, absent=[]) == []

    woken = graph.remove("child")

    assert woken == ["owner"]
    assert decide(graph, owner, absent=[]) == [DropFinalizer(owner, "foregroundDeletion")]


def test_a_dependent_with_dependents_of_its_own_goes_in_the_foreground_too() -> None:
    owner = node("owner", deleting=True, finalizers=("foregroundDeletion",))
    child, grandchild = node("child", "owner"), node("grandchild", "child")

    actions = decide(graph_of(owner, child, grandchild), child, absent=[])

    assert actions == [DeleteObject(child, "Foreground")]


def test_orphaning_releases_the_dependents_and_then_the_owner() -> None:
    owner = node("owner", deleting=True, finalizers=("orphan",))
    child = node("child", "owner")

    assert decide(graph_of(owner, child), owner, absent=[]) == [
        DropOwners(child, frozenset(["owner"])),
        DropFinalizer(owner, "orphan"),
    ]


def test_the_start_of_a_foreground_deletion_wakes_the_dependents() -> None:
    graph = graph_of(node("owner"), node("child", "owner"))

    woken = graph.put(node("owner", deleting=True, finalizers=("foregroundDeletion",)))

    assert woken == ["owner", "child"]
