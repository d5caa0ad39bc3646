"""Trees of groups: roots, leaves, order, and hierarchies that are no trees."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.podgroups import DEEPEST_TREE
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey
from kubegang.scheduler.snapshot.forest import Forest
from kubegang.testing.builders import make_composite, make_podgroup

LEAF = PodGroupKey("default", "leaf")


def composite(name: str, parent: str = "") -> PodGroupInfo:
    builder = make_composite(name)
    return (builder.child_of(parent) if parent else builder).info()


def leaf(name: str, parent: str = "", *, created: float = 0) -> PodGroupInfo:
    builder = make_podgroup(name).created(created)
    return (builder.child_of(parent) if parent else builder).info()


def forest(*groups: PodGroupInfo) -> Forest:
    made = Forest()
    for group in groups:
        made.set(group)
    return made


def names(groups: list[PodGroupKey]) -> list[str]:
    return [key.name for key in groups]


def test_a_group_without_a_parent_is_its_own_root() -> None:
    alone = leaf("leaf")
    assert forest(alone).root(LEAF) == alone


def test_the_root_is_the_top_whatever_the_order_of_arrival() -> None:
    groups = [leaf("leaf", "mid"), composite("mid", "top"), composite("top")]
    for order in (groups, groups[::-1]):
        root = forest(*order).root(LEAF)
        assert root is not None
        assert root.key.name == "top"


@pytest.mark.parametrize(
    "groups",
    [
        pytest.param([], id="no-object"),
        pytest.param([leaf("leaf", "gone")], id="no-parent"),
        pytest.param([leaf("leaf", "mid"), composite("mid", "gone")], id="no-grandparent"),
        pytest.param([leaf("leaf", "a"), composite("a", "b"), composite("b", "a")], id="circle"),
        pytest.param([leaf("leaf", "a"), composite("a", "a")], id="its-own-parent"),
        pytest.param(
            [
                leaf("leaf", "c0"),
                *(composite(f"c{n}", f"c{n + 1}") for n in range(DEEPEST_TREE)),
                composite(f"c{DEEPEST_TREE}"),
            ],
            id="too-deep",
        ),
    ],
)
def test_where_no_way_leads_to_a_root_there_is_none(groups: list[PodGroupInfo]) -> None:
    assert forest(*groups).root(LEAF) is None


def test_a_very_deep_chain_is_walked_without_recursion() -> None:
    chain = [composite(f"c{n}", f"c{n + 1}") for n in range(5000)]
    deep = forest(leaf("leaf", "c0"), *chain)
    assert len(deep.lineage(LEAF)) == 5001
    assert deep.leaves(chain[-1].key) == [LEAF]


def test_children_are_in_the_order_of_creation_then_of_names() -> None:
    made = forest(
        composite("top"), leaf("b", "top"), leaf("old", "top", created=-5), leaf("a", "top")
    )
    assert names([g.key for g in made.children(composite("top").key)]) == ["old", "a", "b"]


def test_leaves_come_in_the_order_in_which_they_are_tried() -> None:
    made = forest(
        composite("top"),
        leaf("z", "top", created=1),
        composite("mid", "top"),
        leaf("m2", "mid", created=2),
        leaf("m1", "mid"),
    )
    assert names(made.leaves(composite("top").key)) == ["m1", "m2", "z"]


def test_leaves_below_a_missing_group_are_known() -> None:
    assert names(forest(leaf("a", "gone")).leaves(composite("gone").key)) == ["a"]


def test_leaves_of_a_circle_are_found_once() -> None:
    made = forest(composite("a", "b"), composite("b", "a"), leaf("x", "a"), leaf("y", "b"))
    assert sorted(names(made.leaves(composite("a").key))) == ["x", "y"]


def test_a_pod_group_and_a_composite_of_one_name_are_two_groups() -> None:
    made = forest(composite("same"), leaf("same", "same"))
    root = made.root(PodGroupKey("default", "same"))
    assert root is not None
    assert root.is_composite


def test_a_group_that_comes_again_below_another_parent_leaves_the_old_one() -> None:
    made = forest(composite("a"), composite("b"), leaf("x", "a"))
    made.set(leaf("x", "b"))
    assert made.leaves(composite("a").key) == []
    made.remove(PodGroupKey("default", "x"))
    assert made.leaves(composite("b").key) == []
