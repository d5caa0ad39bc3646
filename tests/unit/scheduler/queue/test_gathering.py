"""Members that are queued one by one: gates of their own, attempts together (1.36)."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.entities import QueuedPodGroupInfo
from kubegang.scheduler.framework.pods import PodGroupKey
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.queue.places import Place
from tests.unit.scheduler.queue.stage import (
    FIT,
    Stage,
    make_group_info,
    make_node_info,
    make_pod_info,
    newer,
)

KEY = PodGroupKey("ns", "g")


@pytest.fixture
def stage() -> Stage:
    return Stage(gathers=True, policy=BackoffPolicy(1.0, 10.0))


def names(entity: QueuedPodGroupInfo) -> list[str]:
    """Return the members' names in the order in which they are tried."""
    return [queued.pod.name for queued in entity.members]


def test_members_are_held_until_the_group_and_enough_of_them_exist(stage: Stage) -> None:
    first, second = stage.pods("p1", "p2", group="g")
    assert stage.places(first, second) == {Place.GATED}
    stage.add(make_group_info("g", 3))
    assert stage.places(first, second) == {Place.GATED}
    (third,) = stage.pods("p3", group="g")
    assert stage.places(first, second, third) == {Place.ACTIVE}


def test_a_basic_group_needs_its_object_only(stage: Stage) -> None:
    stage.add(make_group_info("g", None))
    (pod,) = stage.pods("p1", group="g")
    assert stage.place(pod) is Place.ACTIVE


def test_one_attempt_is_about_all_that_wait_the_completing_member_first(stage: Stage) -> None:
    stage.add(make_group_info("g", 3))
    stage.pods("p1", "p2", "p3", group="g")
    assert names(stage.pop_group()) == ["p3", "p1", "p2"]
    assert stage.pop() is None
    stage.validate()


def test_members_of_higher_priority_are_tried_first(stage: Stage) -> None:
    stage.add(make_group_info("g", 2))
    stage.add(make_pod_info("weak", "g", priority=1), make_pod_info("strong", "g", priority=9))
    stage.add(make_pod_info("late", "g", priority=5))
    assert names(stage.pop_group()) == ["strong", "late", "weak"]


def test_a_scheduling_gate_holds_its_own_pod_only(stage: Stage) -> None:
    stage.add(make_group_info("g", 2), make_pod_info("gated", "g", scheduling_gates=("wait",)))
    stage.pods("p1", "p2", group="g")
    gated = make_pod_info("gated", "g")
    assert names(stage.pop_group()) == ["p1", "p2"]
    assert stage.place(gated) is Place.GATED


def test_members_that_failed_back_off_each_by_itself(stage: Stage) -> None:
    stage.add(make_group_info("g", 2))
    pods = stage.pods("p1", "p2", group="g")
    stage.fail(stage.pop_group(), FIT)
    assert stage.places(*pods) == {Place.BACKOFF}
    assert stage.pop() is None, "nothing has happened that could help"
    stage.wait(1.0)
    assert names(stage.pop_group()) == ["p2", "p1"]


def test_the_first_backoff_to_end_takes_all_along(stage: Stage) -> None:
    stage.add(make_group_info("g", 1))
    stage.pods("p1", group="g")
    stage.fail(stage.pop_group(), FIT)
    stage.wait(1.0)
    stage.fail(stage.pop_group(), FIT)
    stage.pods("p2", group="g")
    assert names(stage.pop_group()) == ["p1", "p2"], "p1 was to wait for two seconds"


def test_what_happens_meanwhile_brings_refused_members_back_early(stage: Stage) -> None:
    stage.add(make_group_info("g", 2))
    stage.pods("p1", "p2", group="g")
    stage.fail(stage.pop_group(), FIT)
    stage.add(make_node_info("n1"))
    assert names(stage.pop_group()) == ["p2", "p1"]


def test_a_status_of_their_own_does_not_bring_members_back(stage: Stage) -> None:
    stage.add(make_group_info("g", 2))
    first, _ = stage.pods("p1", "p2", group="g")
    stage.fail(stage.pop_group(), FIT)
    stage.handlers.pod_updated(first, newer(first, condition=("False", "Unschedulable", "full")))
    assert stage.pop() is None


def test_members_that_no_plugin_refused_wait_their_time_unless_a_sibling_goes(
    stage: Stage,
) -> None:
    stage.add(make_group_info("g", 2))
    stage.pods("p1", "p2", group="g")
    stage.fail(stage.pop_group(), error=True)
    stage.add(make_node_info("n1"))
    assert stage.pop() is None
    stage.pods("p3", group="g")
    assert names(stage.pop_group()) == ["p2", "p1", "p3"]


def test_bound_members_leave_and_the_others_stay(stage: Stage) -> None:
    stage.add(make_group_info("g", 2))
    first, second = stage.pods("p1", "p2", group="g")
    entity = stage.pop_group()
    stage.finish(entity, {first.uid: frozenset({FIT})}, "scheduled")
    assert (stage.place(first), stage.place(second)) == (Place.BACKOFF, Place.NOWHERE)


def test_a_member_that_is_deleted_in_flight_does_not_come_back(stage: Stage) -> None:
    stage.add(make_group_info("g", 2))
    first, second = stage.pods("p1", "p2", group="g")
    entity = stage.pop_group()
    stage.handlers.pod_deleted(first)
    stage.fail(entity, FIT)
    assert (stage.place(first), stage.place(second)) == (Place.NOWHERE, Place.GATED)
    stage.validate()


def test_members_are_held_until_their_groups_victims_go(stage: Stage) -> None:
    victim = make_pod_info("low", node_name="n1")
    stage.add(make_node_info("n1"), victim, make_group_info("g", 2))
    pods = stage.pods("p1", "p2", group="g")
    entity = stage.pop_group()
    stage.cache.groups.begin_preemption(KEY)
    stage.fail(entity, FIT)
    assert stage.places(*pods) == {Place.GATED}
    stage.cache.groups.end_preemption(KEY)
    stage.queue.preemption_ended(KEY, failed=False, now=stage.clock.time)
    assert stage.places(*pods) == {Place.GATED}, "nobody has gone yet"
    stage.handlers.pod_deleted(victim)
    assert names(stage.pop_group()) == ["p2", "p1"]


def test_members_are_tried_again_if_a_victim_could_not_be_told(stage: Stage) -> None:
    stage.add(make_group_info("g", 2))
    pods = stage.pods("p1", "p2", group="g")
    entity = stage.pop_group()
    stage.cache.groups.begin_preemption(KEY)
    stage.fail(entity, FIT)
    stage.cache.groups.end_preemption(KEY)
    stage.queue.preemption_ended(KEY, failed=True, now=stage.clock.time)
    assert stage.places(*pods) == {Place.BACKOFF}


def test_victims_that_went_before_they_were_all_told_are_not_overlooked(stage: Stage) -> None:
    victim = make_pod_info("low", node_name="n1")
    stage.add(make_node_info("n1"), victim, make_group_info("g", 2))
    stage.pods("p1", "p2", group="g")
    entity = stage.pop_group()
    stage.cache.groups.begin_preemption(KEY)
    stage.fail(entity, FIT)
    stage.handlers.pod_deleted(victim)
    stage.cache.groups.end_preemption(KEY)
    stage.queue.preemption_ended(KEY, failed=False, now=stage.clock.time)
    assert names(stage.pop_group()) == ["p2", "p1"]


def test_a_group_is_explained_by_the_member_that_goes_first(stage: Stage) -> None:
    stage.add(make_group_info("g", 3))
    stage.pods("p1", "p2", group="g")
    waiting = stage.queue.contents.explain(KEY, now=stage.clock.time)
    assert waiting is not None
    assert waiting.message == "waiting for 1 more pod (2 of 3)"
    assert (waiting.quorum, waiting.known) == (3, 2)
    assert [pod.name for pod in stage.queue.contents.pods_of(KEY)] == ["p1", "p2"]
