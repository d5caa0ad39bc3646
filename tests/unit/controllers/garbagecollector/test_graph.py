"""Which objects to look at when something changes."""

from __future__ import annotations

from tests.unit.controllers.garbagecollector.nodes import graph_of, node, owner


def test_an_object_with_owners_is_looked_at_when_it_appears() -> None:
    graph = graph_of()

    assert graph.put(node("owner")) == []
    assert graph.put(node("child", owner("owner"))) == ["child"]


def test_the_start_of_a_foreground_deletion_wakes_the_dependents() -> None:
    graph = graph_of(node("owner"), node("child", owner("owner")))
    going = node("owner", deleting=True, finalizers=("foregroundDeletion",))

    assert graph.put(going) == ["child", "owner"]
    assert graph.put(going) == ["owner"]


def test_the_end_of_an_object_wakes_its_dependents_and_its_owners() -> None:
    graph = graph_of(node("owner"), node("middle", owner("owner")), node("child", owner("middle")))

    assert graph.remove("middle") == ["child", "owner"]
    assert graph.remove("middle") == []


def test_an_owner_is_looked_at_when_a_dependent_lets_go_of_it() -> None:
    graph = graph_of(node("owner"), node("child", owner("owner")))

    assert graph.put(node("child")) == ["owner"]
    assert graph.dependents("owner") == []


def test_an_owner_is_known_only_if_the_reference_is_right() -> None:
    graph = graph_of(node("owner"))
    child = node("child", owner("owner"))

    assert graph.owner(owner("owner"), child) is not None
    assert graph.owner(owner("owner", kind="Secret"), child) is None
    assert graph.owner(owner("owner", name="other"), child) is None
    assert graph.owner(owner("owner", api_version="v2"), child) is None
    assert graph.owner(owner("owner"), node("child", namespace="other")) is None
    assert graph.owner(owner("nobody"), child) is None


def test_a_dependent_that_appears_before_its_owner_is_found_later() -> None:
    graph = graph_of(node("child", owner("owner")), node("owner"))

    assert [dependent.uid for dependent in graph.dependents("owner")] == ["child"]
