"""What happens to an object when its owners go."""

from __future__ import annotations

from kubegang.controllers.garbagecollector.decide import (
    Action,
    DeleteObject,
    DropFinalizer,
    DropOwners,
    OwnerState,
    UnblockOwners,
    decide,
)
from kubegang.controllers.garbagecollector.graph import Node, OwnershipGraph
from tests.unit.controllers.garbagecollector.nodes import graph_of, node, owner

GONE: OwnerState = "absent"
FOREGROUND = ("foregroundDeletion",)


def seen(graph: OwnershipGraph, subject: Node) -> list[Action]:
    """Decide where the API has nothing to say that was not seen."""
    return decide(graph, subject, known={})


def test_an_object_whose_owners_are_all_gone_is_deleted() -> None:
    child = node("child", owner("gone"))

    actions = decide(graph_of(child), child, known={owner("gone"): GONE})

    assert actions == [DeleteObject(child, "Background")]


def test_its_own_finalizers_say_how_an_object_is_deleted() -> None:
    for finalizer, policy in (("orphan", "Orphan"), ("foregroundDeletion", "Foreground")):
        child = node("child", owner("gone"), finalizers=(finalizer,))

        (action,) = decide(graph_of(child), child, known={owner("gone"): GONE})

        assert isinstance(action, DeleteObject)
        assert action.policy == policy


def test_an_object_with_one_living_owner_only_loses_the_dead_reference() -> None:
    child = node("child", owner("gone"), owner("alive"))
    graph = graph_of(node("alive"), child)

    actions = decide(graph, child, known={owner("gone"): GONE})

    assert actions == [DropOwners(child, frozenset(["gone"]))]


def test_an_owner_that_exists_unseen_keeps_its_dependents() -> None:
    child = node("child", owner("unseen"))

    assert decide(graph_of(child), child, known={owner("unseen"): "solid"}) == []


def test_an_owner_that_nobody_was_asked_about_keeps_its_dependents_for_now() -> None:
    child = node("child", owner("unseen"))

    assert seen(graph_of(child), child) == []


def test_an_object_that_goes_already_is_left_alone() -> None:
    child = node("child", owner("gone"), deleting=True)

    assert decide(graph_of(child), child, known={}) == []


def test_foreground_deletion_takes_the_dependents_first() -> None:
    going = node("owner", deleting=True, finalizers=FOREGROUND)
    child = node("child", owner("owner"))
    graph = graph_of(going, child)

    assert seen(graph, child) == [DeleteObject(child, "Background")]
    assert seen(graph, going) == []

    graph.remove("child")

    assert seen(graph, going) == [DropFinalizer(going, "foregroundDeletion")]


def test_only_references_that_block_keep_an_owner_waiting() -> None:
    going = node("owner", deleting=True, finalizers=FOREGROUND)
    child = node("child", owner("owner", blocks=False))

    assert seen(graph_of(going, child), going) == [DropFinalizer(going, "foregroundDeletion")]


def test_a_dependent_with_dependents_of_its_own_goes_in_the_foreground_too() -> None:
    going = node("owner", deleting=True, finalizers=FOREGROUND)
    child, grandchild = node("child", owner("owner")), node("grandchild", owner("child"))

    actions = seen(graph_of(going, child, grandchild), child)

    assert actions == [DeleteObject(child, "Foreground")]


def test_a_circle_is_broken() -> None:
    going = node("a", owner("b"), deleting=True, finalizers=FOREGROUND)
    other = node("b", owner("a"))

    actions = seen(graph_of(going, other), other)

    assert actions == [UnblockOwners(other), DeleteObject(other, "Foreground")]


def test_an_owner_that_waits_is_no_reason_to_stay() -> None:
    going = node("owner", deleting=True, finalizers=FOREGROUND)
    child = node("child", owner("owner"), owner("alive"))

    actions = seen(graph_of(going, node("alive"), child), child)

    assert actions == [DropOwners(child, frozenset(["owner"]))]


def test_that_an_owner_began_to_wait_counts_until_its_dependent_was_looked_at() -> None:
    graph = graph_of(node("owner"), node("alive"))
    child = node("child", owner("owner", blocks=False), owner("alive"))
    graph.put(child)
    graph.put(node("owner", deleting=True, finalizers=("hold", *FOREGROUND)))
    # It waits no longer, since nobody blocks it, and only the other finalizer holds it.
    graph.put(node("owner", deleting=True, finalizers=("hold",)))

    assert seen(graph, child) == [DropOwners(child, frozenset(["owner"]))]

    graph.answer("child", graph.calls("child"))
    assert seen(graph, child) == []


def test_orphaning_releases_the_dependents_and_then_the_owner() -> None:
    going = node("owner", deleting=True, finalizers=("orphan",))
    child = node("child", owner("owner"))

    assert seen(graph_of(going, child), going) == [
        DropOwners(child, frozenset(["owner"])),
        DropFinalizer(going, "orphan"),
    ]
