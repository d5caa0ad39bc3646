"""Trees of groups in the queue: the root is the entity, and the whole tree its quorum."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import pytest

from kubegang.scheduler.framework.pods import GroupKind, PodGroupInfo, PodGroupKey
from kubegang.scheduler.queue.places import Place
from tests.unit.scheduler.queue.stage import Stage, make_group_info, make_pod_info, names, newer


def make_composite_info(name: str, min_groups: int | None, parent: str = "") -> PodGroupInfo:
    """Return a CompositePodGroup; ``min_groups`` ``None`` makes it a basic one."""
    info = make_group_info(name, min_groups, parent=parent)
    return msgspec.structs.replace(info, key=PodGroupKey("ns", name, "CompositePodGroup"))


def make_child(name: str, min_count: int | None, parent: str) -> PodGroupInfo:
    return make_group_info(name, min_count, parent=parent)


@dataclass
class Why:
    """What somebody is told who asks about a group."""

    stage: Stage

    def __call__(self, name: str, *, composite: bool = False) -> str:
        kind: GroupKind = "CompositePodGroup" if composite else "PodGroup"
        key = PodGroupKey("ns", name, kind)
        waiting = self.stage.queue.contents.explain(key, now=self.stage.clock.time)
        return waiting.message if waiting else ""


@pytest.fixture
def stage() -> Stage:
    return Stage()


@pytest.fixture
def why(stage: Stage) -> Why:
    return Why(stage)


def test_the_root_pops_with_the_pods_of_all_its_groups(stage: Stage) -> None:
    stage.add(make_composite_info("root", 2), make_child("a", 1, "root"))
    stage.add(make_child("b", 1, "root"))
    stage.pods("a0", group="a")
    stage.pods("b0", group="b")
    entity = stage.pop_group()
    assert entity.group == PodGroupKey("ns", "root", "CompositePodGroup")
    assert sorted(names(entity)) == ["a0", "b0"]
    assert stage.pop() is None
    stage.validate()


def test_a_tree_waits_for_enough_complete_children(stage: Stage, why: Why) -> None:
    stage.add(make_composite_info("root", 2), make_child("a", 2, "root"))
    stage.add(make_child("b", 2, "root"))
    (a0, a1) = stage.pods("a0", "a1", group="a")
    (b0,) = stage.pods("b0", group="b")
    assert stage.places(a0, a1, b0) == {Place.GATED}
    waits = "waiting for 1 more child group to be complete (1 of 2): PodGroup b has 1 of 2 pods"
    assert why("root", composite=True) == why("a") == waits
    (b1,) = stage.pods("b1", group="b")
    assert stage.places(a0, a1, b0, b1) == {Place.ACTIVE}


def test_an_incomplete_child_does_not_hold_a_tree_that_has_enough(stage: Stage) -> None:
    stage.add(make_composite_info("root", None), make_child("a", 1, "root"))
    stage.add(make_child("b", 2, "root"))
    stage.pods("b0", group="b")
    assert stage.pop() is None
    stage.pods("a0", group="a")
    assert sorted(names(stage.pop_group())) == ["a0", "b0"]


def test_bound_pods_count_for_their_group(stage: Stage) -> None:
    stage.add(make_composite_info("root", 1), make_child("a", 2, "root"))
    stage.add(make_pod_info("a0", "a", node_name="n1"))
    (a1,) = stage.pods("a1", group="a")
    assert stage.place(a1) is Place.ACTIVE


def test_one_gated_pod_holds_the_whole_tree(stage: Stage, why: Why) -> None:
    stage.add(make_composite_info("root", 1), make_child("a", 1, "root"))
    stage.add(make_child("b", 1, "root"))
    gated = make_pod_info("b0", "b", scheduling_gates=("x/y",))
    stage.add(gated)
    (a0,) = stage.pods("a0", group="a")
    assert stage.places(gated, a0) == {Place.GATED}
    assert "scheduling gates" in why("root", composite=True)
    stage.handlers.pod_updated(gated, newer(gated, scheduling_gates=()))
    assert stage.places(gated, a0) == {Place.ACTIVE}


def test_pods_wait_beside_the_queue_until_their_way_leads_to_a_root(stage: Stage, why: Why) -> None:
    (pod,) = stage.pods("p", group="a")
    assert why("a") == "waiting for PodGroup a to be created"
    stage.add(make_child("a", 1, "mid"))
    assert stage.place(pod) is Place.INCOMPLETE
    assert why("a") == "waiting for CompositePodGroup mid to be created"
    stage.add(make_composite_info("mid", 1, "root"))
    assert why("a") == "waiting for CompositePodGroup root to be created"
    stage.add(make_composite_info("root", 1))
    assert stage.place(pod) is Place.ACTIVE
    stage.validate()


def test_a_circle_is_explained_and_can_be_mended(stage: Stage, why: Why) -> None:
    (pod,) = stage.pods("p", group="a")
    one, other = make_composite_info("one", 1, "other"), make_composite_info("other", 1, "one")
    stage.add(make_child("a", 1, "one"), one, other)
    assert stage.place(pod) is Place.INCOMPLETE
    assert why("a").endswith("these go in a circle: a -> one -> other -> one")
    stage.handlers.pod_group_deleted(other)
    stage.add(make_composite_info("other", 1))
    assert stage.place(pod) is Place.ACTIVE


def test_a_composite_that_comes_late_completes_a_held_tree(stage: Stage) -> None:
    stage.add(make_composite_info("root", 2), make_child("a", 1, "root"))
    (a0,) = stage.pods("a0", group="a")
    (b0,) = stage.pods("b0", group="b")
    stage.add(make_child("b", 1, "sub"))
    assert (stage.place(a0), stage.place(b0)) == (Place.GATED, Place.INCOMPLETE)
    stage.add(make_composite_info("sub", 1, "root"))
    assert stage.places(a0, b0) == {Place.ACTIVE}


def test_a_smaller_minimum_of_any_group_lets_the_tree_go_on(stage: Stage) -> None:
    stage.add(make_composite_info("root", 2), make_child("a", 1, "root"))
    child = make_child("b", 2, "root")
    stage.add(child)
    (b0,) = stage.pods("b0", group="b")
    (a0,) = stage.pods("a0", group="a")
    assert stage.places(a0, b0) == {Place.GATED}
    smaller = msgspec.structs.replace(child, min_count=1, resource_version="2")
    stage.handlers.pod_group_updated(child, smaller)
    assert stage.places(a0, b0) == {Place.ACTIVE}


def test_without_its_root_a_tree_falls_apart(stage: Stage) -> None:
    root = make_composite_info("root", 1)
    stage.add(root, make_child("a", 1, "root"), make_child("b", 1, "root"))
    (a0,) = stage.pods("a0", group="a")
    (b0,) = stage.pods("b0", group="b")
    stage.handlers.pod_group_deleted(root)
    assert stage.places(a0, b0) == {Place.INCOMPLETE}
    stage.add(root)
    assert stage.places(a0, b0) == {Place.ACTIVE}
    stage.validate()


def test_without_a_branch_the_rest_goes_on_if_it_is_enough(stage: Stage, why: Why) -> None:
    sub = make_composite_info("sub", 1, "root")
    stage.add(make_composite_info("root", 1), sub)
    stage.add(make_child("a", 1, "root"), make_child("b", 1, "sub"))
    (a0,) = stage.pods("a0", group="a")
    (b0,) = stage.pods("b0", group="b")
    stage.handlers.pod_group_deleted(sub)
    assert (stage.place(a0), stage.place(b0)) == (Place.ACTIVE, Place.INCOMPLETE)
    stage.validate()


def test_without_a_branch_that_it_needs_the_rest_is_held(stage: Stage) -> None:
    sub = make_composite_info("sub", 1, "root")
    stage.add(make_composite_info("root", 2), sub)
    stage.add(make_child("a", 1, "root"), make_child("b", 1, "sub"))
    (a0,) = stage.pods("a0", group="a")
    (b0,) = stage.pods("b0", group="b")
    assert stage.places(a0, b0) == {Place.ACTIVE}
    stage.handlers.pod_group_deleted(sub)
    assert (stage.place(a0), stage.place(b0)) == (Place.GATED, Place.INCOMPLETE)
    stage.validate()


def test_a_group_that_comes_again_below_another_root_takes_its_pods_along(stage: Stage) -> None:
    stage.add(make_composite_info("old", 2), make_composite_info("new", 1))
    child = make_child("a", 1, "old")
    stage.add(child)
    (pod,) = stage.pods("p", group="a")
    assert stage.place(pod) is Place.GATED
    moved = msgspec.structs.replace(make_child("a", 1, "new"), uid="uid-again")
    stage.handlers.pod_group_updated(child, moved)
    assert stage.place(pod) is Place.ACTIVE
    assert stage.pop_group().group.name == "new"


def test_newcomers_of_any_group_wait_for_the_end_of_the_attempt(stage: Stage) -> None:
    stage.add(make_composite_info("root", 1), make_child("a", 1, "root"))
    stage.add(make_child("b", 1, "root"))
    stage.pods("a0", group="a")
    entity = stage.pop_group()
    (b0,) = stage.pods("b0", group="b")
    assert stage.place(b0) is Place.PENDING
    stage.fail(entity)
    stage.wait(1.0)
    assert sorted(names(stage.pop_group())) == ["a0", "b0"]
    stage.validate()


def test_a_group_that_changes_its_root_during_the_attempt_goes_there_afterwards(
    stage: Stage,
) -> None:
    stage.add(make_composite_info("old", 1), make_composite_info("new", 1))
    child = make_child("a", 1, "old")
    stage.add(child, make_child("b", 1, "old"))
    stage.pods("a0", group="a")
    (b0,) = stage.pods("b0", group="b")
    entity = stage.pop_group()
    stage.handlers.pod_group_deleted(child)
    stage.add(msgspec.structs.replace(make_child("a", 1, "new"), uid="uid-again"))
    (a1,) = stage.pods("a1", group="a")
    assert stage.place(a1) is Place.PENDING
    stage.fail(entity)
    stage.validate()
    assert sorted(names(stage.pop_group())) == ["a0", "a1"]
    assert stage.places(b0) == {Place.BACKOFF}


def test_a_tree_that_lost_its_root_during_the_attempt_falls_apart_afterwards(
    stage: Stage,
) -> None:
    root = make_composite_info("root", 1)
    stage.add(root, make_child("a", 1, "root"))
    (a0,) = stage.pods("a0", group="a")
    entity = stage.pop_group()
    stage.handlers.pod_group_deleted(root)
    stage.fail(entity)
    assert stage.place(a0) is Place.INCOMPLETE
    stage.validate()


def test_what_is_too_deep_is_never_tried(stage: Stage, why: Why) -> None:
    (pod,) = stage.pods("p", group="a")
    stage.add(make_child("a", 1, "c0"))
    stage.add(*(make_composite_info(f"c{n}", 1, f"c{n + 1}") for n in range(70)))
    stage.add(make_composite_info("c70", 1))
    assert stage.place(pod) is Place.INCOMPLETE
    assert why("a") == "nested 72 levels deep; at most 64 are scheduled"


@pytest.mark.parametrize(
    ("sub_children", "want"),
    [
        pytest.param(
            (),
            "waiting for 1 more child group to be complete (0 of 1): "
            "CompositePodGroup sub has 0 of 2 child groups complete "
            "(CompositePodGroup sub needs 2, but 1 child group exists)",
            id="too-few-exist",
        ),
        pytest.param(
            ("y",),
            "waiting for 1 more child group to be complete (0 of 1): "
            "CompositePodGroup sub has 1 of 2 child groups complete (PodGroup y has 0 of 1 pods)",
            id="one-without-pods",
        ),
    ],
)
def test_every_level_says_what_it_lacks(
    stage: Stage, why: Why, sub_children: tuple[str, ...], want: str
) -> None:
    stage.add(make_composite_info("root", 1), make_composite_info("sub", 2, "root"))
    stage.add(make_child("x", 1, "sub"))
    stage.add(*(make_child(name, 1, "sub") for name in sub_children))
    stage.pods("x0", group="x")
    if not sub_children:
        want = want.replace("0 of 2 child groups", "1 of 2 child groups")
    assert why("x") == want
