"""Pod groups: held until they are complete, popped whole, retried by the clock alone."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.entities import QueuedPodGroupInfo
from kubegang.scheduler.framework.pods import PodGroupKey
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.queue.places import Place
from tests.unit.scheduler.queue.stage import (
    Stage,
    make_group_info,
    make_node_info,
    make_pod_info,
    names,
    newer,
)

KEY = PodGroupKey("ns", "g")


def test_a_gang_one_pod_short_is_held_and_says_so(stage: Stage) -> None:
    stage.add(make_group_info("g", 3))
    pods = stage.pods("a", "b", group="g")
    assert stage.places(*pods) == {Place.GATED}
    waiting = stage.queue.contents.explain(KEY, now=stage.clock.time)
    assert waiting is not None
    assert waiting.message == "waiting for 1 more pod (2 of 3)"
    assert (waiting.quorum, waiting.known, waiting.scheduled) == (3, 2, 0)


def test_the_last_pod_releases_the_gang(stage: Stage) -> None:
    stage.add(make_group_info("g", 3))
    pods = stage.pods("a", "b", "c", group="g")
    assert stage.places(*pods) == {Place.ACTIVE}
    assert names(stage.pop_group()) == ["a", "b", "c"]
    assert stage.places(*pods) == {Place.IN_FLIGHT}


def test_members_wait_for_the_object_of_their_group(stage: Stage) -> None:
    pods = stage.pods("a", "b", group="g")
    assert stage.places(*pods) == {Place.INCOMPLETE}
    waiting = stage.queue.contents.explain(KEY, now=stage.clock.time)
    assert waiting is not None
    assert waiting.message == "waiting for PodGroup g to be created"

    stage.add(make_group_info("g", 2))
    assert stage.places(*pods) == {Place.ACTIVE}
    assert names(stage.pop_group()) == ["a", "b"]


def test_a_group_with_a_parent_waits_for_the_parent(stage: Stage) -> None:
    stage.add(make_group_info("g", 1, parent="tree"))
    (pod,) = stage.pods("a", group="g")
    assert stage.place(pod) is Place.INCOMPLETE
    waiting = stage.queue.contents.explain(KEY, now=stage.clock.time)
    assert waiting is not None
    assert waiting.message == "waiting for CompositePodGroup tree to be created"


def test_bound_members_count_for_the_quorum(stage: Stage) -> None:
    stage.add(make_node_info("n"), make_group_info("g", 2))
    stage.add(make_pod_info("bound", "g", node_name="n"))
    (pod,) = stage.pods("new", group="g")
    assert names(stage.pop_group()) == ["new"]
    assert stage.place(pod) is Place.IN_FLIGHT


def test_a_member_bound_elsewhere_completes_a_held_gang(stage: Stage) -> None:
    stage.add(make_node_info("n"), make_group_info("g", 2))
    (pod,) = stage.pods("new", group="g")
    assert stage.place(pod) is Place.GATED
    stage.add(make_pod_info("bound", "g", scheduler_name="other", node_name="n"))
    assert stage.place(pod) is Place.ACTIVE


def test_pods_of_another_group_wake_nobody(stage: Stage) -> None:
    stage.add(make_group_info("g", 2), make_group_info("h", 2))
    (pod,) = stage.pods("a", group="g")
    others = stage.pods("x", "y", group="h")
    assert stage.place(pod) is Place.GATED
    assert stage.places(*others) == {Place.ACTIVE}


def test_one_scheduling_gate_holds_the_whole_group(stage: Stage) -> None:
    stage.add(make_group_info("g", None))
    gated = make_pod_info("a", "g", scheduling_gates=("example.com/foo",))
    stage.add(gated)
    others = stage.pods("b", "c", group="g")
    assert stage.places(gated, *others) == {Place.GATED}
    waiting = stage.queue.contents.explain(KEY, now=stage.clock.time)
    assert waiting is not None
    assert waiting.message == (
        "waiting for scheduling gates to be removed from pod a: example.com/foo"
    )

    stage.handlers.pod_updated(gated, newer(gated, scheduling_gates=()))
    assert names(stage.pop_group()) == ["a", "b", "c"]


def test_the_siblings_of_a_deleted_gated_member_stay_held(stage: Stage) -> None:
    """The hole of 1.37.2: not even a new member wakes them, only the five-minute check."""
    stage.wait(0)
    stage.add(make_group_info("g", 2))
    gated = make_pod_info("a", "g", scheduling_gates=("example.com/foo",))
    stage.add(gated)
    others = stage.pods("b", "c", group="g")
    stage.handlers.pod_deleted(gated)
    (newcomer,) = stage.pods("d", group="g")
    assert stage.places(*others, newcomer) == {Place.GATED}

    for _ in range(11):
        stage.wait(30)
    assert names(stage.pop_group()) == ["b", "c", "d"]


def test_a_profile_without_that_hole_wakes_them_at_once() -> None:
    stage = Stage(wakes_after_deletion=True)
    stage.add(make_group_info("g", 2))
    gated = make_pod_info("a", "g", scheduling_gates=("example.com/foo",))
    stage.add(gated)
    others = stage.pods("b", "c", group="g")
    stage.handlers.pod_deleted(gated)
    assert stage.places(*others) == {Place.ACTIVE}
    stage.validate()


@pytest.mark.parametrize(
    ("minimum", "want"),
    [
        pytest.param(2, Place.ACTIVE, id="lowered"),
        pytest.param(4, Place.GATED, id="raised"),
        pytest.param(3, Place.GATED, id="same"),
    ],
)
def test_only_a_smaller_minimum_wakes_a_held_gang(stage: Stage, minimum: int, want: Place) -> None:
    old = make_group_info("g", 3)
    stage.add(old)
    (pod, _) = stage.pods("a", "b", group="g")
    stage.handlers.pod_group_updated(old, make_group_info("g", minimum, resource_version="2"))
    assert stage.place(pod) is want


def test_a_failed_gang_is_not_woken_by_events(stage: Stage) -> None:
    stage.add(make_group_info("g", 2))
    pods = stage.pods("a", "b", group="g")
    stage.fail(stage.pop_group())
    stage.add(make_node_info("n"))
    assert stage.places(*pods) == {Place.BACKOFF}
    assert stage.pop() is None
    stage.wait(1)
    assert stage.places(*pods) == {Place.ACTIVE}


@pytest.mark.parametrize(
    ("pods", "failures", "want_seconds"),
    [
        pytest.param(1, 1, 1, id="first-failure"),
        pytest.param(4, 2, 2, id="second-failure"),
        pytest.param(1, 9, 10, id="maximum-of-one-pod"),
        pytest.param(4, 9, 20, id="maximum-grows-with-the-root-of-the-size"),
    ],
)
def test_a_gang_backs_off_longer_each_time(
    stage: Stage, pods: int, failures: int, want_seconds: int
) -> None:
    stage.add(make_group_info("g", 1))
    stage.pods(*[f"p{i}" for i in range(pods)], group="g")
    for _ in range(failures):
        stage.wait(100)
        stage.fail(stage.pop_group())
    assert stage.queue.next_tick() == stage.clock.time + want_seconds


def test_a_gang_of_four_retries_within_two_seconds_if_the_maximum_is_one() -> None:
    stage = Stage(policy=BackoffPolicy(initial_seconds=1, max_seconds=1))
    stage.add(make_group_info("g", 4))
    stage.pods("a", "b", "c", "d", group="g")
    for _ in range(5):
        stage.fail(stage.pop_group())
        expiry = stage.queue.next_tick()
        assert expiry is not None
        assert expiry - stage.clock.time <= 2
        stage.wait(2)
    stage.validate()


def test_the_stronger_of_two_gangs_due_in_the_same_second_goes_first(stage: Stage) -> None:
    stage.add(make_group_info("weak", 1), make_group_info("strong", 1, priority=5))
    stage.pods("w", group="weak")
    stage.wait(0.2)
    stage.fail(stage.pop_group())
    stage.add(make_pod_info("s", "strong", priority=5))
    stage.wait(0.3)
    stage.fail(stage.pop_group())
    stage.wait(0.7)
    assert names(stage.pop_group()) == ["s"]


def test_leftovers_go_on_at_once_with_their_old_timestamp(stage: Stage) -> None:
    stage.add(make_group_info("g", None))
    a, b = stage.pods("a", "b", group="g")
    first_seen = stage.clock.time
    stage.wait(5)
    group = stage.pop_group()
    stage.finish(group, {b.uid: frozenset({"NodeResourcesFit"})}, "scheduled")
    assert (stage.place(a), stage.place(b)) == (Place.NOWHERE, Place.ACTIVE)
    again = stage.pop_group()
    assert (names(again), again.timestamp) == (["b"], first_seen)


def test_an_attempt_that_placed_all_ends_the_entity(stage: Stage) -> None:
    stage.add(make_group_info("g", 2))
    pods = stage.pods("a", "b", group="g")
    stage.finish(stage.pop_group(), {}, "scheduled")
    assert stage.places(*pods) == {Place.NOWHERE}
    assert stage.queue.contents.entries() == ()


def test_a_newcomer_during_an_attempt_is_tried_next_time_with_the_others(stage: Stage) -> None:
    stage.add(make_group_info("g", 2))
    stage.pods("a", "b", group="g")
    group = stage.pop_group()
    (newcomer,) = stage.pods("c", group="g")
    assert stage.place(newcomer) is Place.PENDING
    stage.fail(group)
    stage.wait(2)
    assert names(stage.pop_group()) == ["a", "b", "c"]


def test_a_newcomer_to_a_gang_in_backoff_waits_with_it(stage: Stage) -> None:
    stage.add(make_group_info("g", 2))
    stage.pods("a", "b", group="g")
    stage.fail(stage.pop_group())
    (newcomer,) = stage.pods("c", group="g")
    assert stage.place(newcomer) is Place.BACKOFF


def test_a_gated_newcomer_stops_the_retries_of_a_failed_gang(stage: Stage) -> None:
    stage.add(make_group_info("g", 2))
    a, b = stage.pods("a", "b", group="g")
    stage.fail(stage.pop_group())
    gated = make_pod_info("c", "g", scheduling_gates=("example.com/foo",))
    stage.add(gated)
    assert stage.places(a, b, gated) == {Place.GATED}
    stage.handlers.pod_updated(gated, newer(gated, scheduling_gates=()))
    assert stage.places(a, b, gated) == {Place.BACKOFF}


def test_a_gang_in_backoff_that_shrinks_below_its_minimum_is_tried_once_more(
    stage: Stage,
) -> None:
    stage.add(make_group_info("g", 3))
    a, b, c = stage.pods("a", "b", "c", group="g")
    stage.fail(stage.pop_group())
    stage.handlers.pod_deleted(c)
    assert stage.places(a, b) == {Place.BACKOFF}
    stage.wait(2)
    group = stage.pop_group()
    assert names(group) == ["a", "b"]
    stage.fail(group)
    assert stage.places(a, b) == {Place.GATED}


def test_a_gang_in_backoff_that_loses_two_members_is_held(stage: Stage) -> None:
    stage.add(make_group_info("g", 3))
    a, b, c = stage.pods("a", "b", "c", group="g")
    stage.fail(stage.pop_group())
    stage.handlers.pod_deleted(c)
    stage.handlers.pod_deleted(b)
    assert stage.place(a) is Place.GATED


def test_deleting_the_last_member_ends_the_entity(stage: Stage) -> None:
    stage.add(make_group_info("g", 1))
    (pod,) = stage.pods("a", group="g")
    stage.handlers.pod_deleted(pod)
    assert stage.queue.contents.entries() == ()
    assert stage.pop() is None


def test_deleting_the_object_sends_its_members_back_to_wait_for_it(stage: Stage) -> None:
    group = make_group_info("g", 2)
    stage.add(group)
    pods = stage.pods("a", "b", group="g")
    stage.fail(stage.pop_group())
    stage.handlers.pod_group_deleted(group)
    assert stage.places(*pods) == {Place.INCOMPLETE}
    stage.add(make_group_info("g", 2, uid="second"))
    assert stage.places(*pods) == {Place.ACTIVE}


def test_a_group_whose_object_vanished_during_its_attempt_waits_for_it(stage: Stage) -> None:
    group = make_group_info("g", 2)
    stage.add(group)
    pods = stage.pods("a", "b", group="g")
    attempt = stage.pop_group()
    (newcomer,) = stage.pods("c", group="g")
    stage.handlers.pod_group_deleted(group)
    stage.fail(attempt)
    assert stage.places(*pods, newcomer) == {Place.INCOMPLETE}


def test_a_member_deleted_during_the_attempt_does_not_come_back(stage: Stage) -> None:
    stage.add(make_group_info("g", 1))
    a, b = stage.pods("a", "b", group="g")
    attempt = stage.pop_group()
    stage.handlers.pod_deleted(a)
    stage.fail(attempt)
    assert (stage.place(a), stage.place(b)) == (Place.NOWHERE, Place.BACKOFF)


def test_a_member_whose_binding_failed_comes_back_as_a_group(stage: Stage) -> None:
    stage.add(make_node_info("n"), make_group_info("g", 2))
    a, b = stage.pods("a", "b", group="g")
    attempt = stage.pop_group()
    member = attempt.members[1]
    for pod in (a, b):
        stage.cache.assume(pod.uid, "n")  # type: ignore[arg-type]
    stage.finish(attempt, {}, "scheduled")
    stage.cache.forget(b.uid)
    stage.queue.take_back(member, now=stage.clock.time)
    assert stage.place(b) is Place.BACKOFF
    stage.wait(1)
    assert names(stage.pop_group()) == ["b"]


def test_groups_and_pods_compete_in_one_order(stage: Stage) -> None:
    stage.add(make_group_info("g", 1, priority=5))
    stage.add(make_pod_info("weak"), make_pod_info("m", "g", priority=5))
    stage.add(make_pod_info("strong", priority=9))
    assert stage.pop_pod().pod.name == "strong"
    assert names(stage.pop_group()) == ["m"]
    assert stage.pop_pod().pod.name == "weak"


def test_members_that_were_tried_before_are_tried_first(stage: Stage) -> None:
    stage.add(make_group_info("g", 1))
    stage.pods("old", group="g")
    stage.fail(stage.pop_group())
    stage.pods("a-new", group="g")
    stage.wait(1)
    assert names(stage.pop_group()) == ["old", "a-new"]


def test_every_move_is_reported_once(stage: Stage) -> None:
    stage.add(make_group_info("g", 2))
    stage.pods("a", "b", group="g")
    stage.fail(stage.pop_group())
    told = [(m.kind, m.start.value, m.finish.value, m.event) for m in stage.moves]
    assert told == [
        ("podgroup", "nowhere", "gated", "UnscheduledPodAdd"),
        ("member", "nowhere", "gated", "UnscheduledPodAdd"),
        ("podgroup", "gated", "active", "UnscheduledPodAdd"),
        ("podgroup", "active", "in-flight", ""),
        ("podgroup", "in-flight", "backoff", "ScheduleAttemptFailure"),
    ]


def test_the_record_of_a_group_keeps_its_counts(stage: Stage) -> None:
    stage.add(make_group_info("g", 1))
    stage.pods("a", group="g")
    first = stage.pop_group()
    stage.fail(first, error=True)
    stage.wait(1)
    again = stage.pop_group()
    assert isinstance(again, QueuedPodGroupInfo)
    assert (again.attempts, again.consecutive_errors, again.unschedulable_count) == (2, 1, 0)
    stage.fail(again)
    assert (again.consecutive_errors, again.unschedulable_count) == (0, 1)
