"""Ordinary pods: order, rest, backoff, and what wakes them."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.pods import NodeName
from kubegang.scheduler.queue.places import Place
from tests.unit.scheduler.queue.stage import FIT, Stage, make_node_info, make_pod_info, newer


def test_the_stronger_pod_is_popped_first_then_the_older(stage: Stage) -> None:
    stage.add(make_pod_info("a"))
    stage.wait(1)
    stage.add(make_pod_info("b"), make_pod_info("strong", priority=10))
    assert [stage.pop_pod().pod.name for _ in range(3)] == ["strong", "a", "b"]
    assert stage.pop() is None


def test_equal_pods_come_out_as_they_went_in(stage: Stage) -> None:
    stage.pods("c", "a", "b")
    assert [stage.pop_pod().pod.name for _ in range(3)] == ["c", "a", "b"]


def test_a_refused_pod_rests_until_something_happens_that_may_help(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    stage.fail(stage.pop_pod(), FIT)
    assert stage.place(pod) is Place.UNSCHEDULABLE
    stage.wait(60)
    assert stage.place(pod) is Place.UNSCHEDULABLE

    stage.add(make_node_info("n"))
    assert stage.place(pod) is Place.ACTIVE


def test_a_pod_that_was_refused_a_moment_ago_backs_off_first(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    stage.fail(stage.pop_pod(), FIT)
    stage.add(make_node_info("n"))
    assert stage.place(pod) is Place.BACKOFF


def test_an_idle_scheduler_pops_a_refused_pod_from_its_backoff_early(stage: Stage) -> None:
    stage.pods("p")
    stage.fail(stage.pop_pod(), FIT)
    stage.add(make_node_info("n"))
    assert stage.pop_pod().pod.name == "p"


def test_a_pod_is_not_popped_early_after_an_error(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    stage.fail(stage.pop_pod(), error=True)
    assert stage.place(pod) is Place.BACKOFF
    assert stage.pop() is None
    stage.wait(1)
    assert stage.place(pod) is Place.ACTIVE


@pytest.mark.parametrize(
    ("failures", "want_seconds"),
    [pytest.param(n, s, id=f"failure-{n}") for n, s in enumerate([1, 2, 4, 8, 10, 10], start=1)],
)
def test_errors_in_a_row_double_the_backoff_up_to_the_maximum(
    stage: Stage, failures: int, want_seconds: int
) -> None:
    (pod,) = stage.pods("p")
    for _ in range(failures):
        stage.wait(100)
        stage.fail(stage.pop_pod(), error=True)
    assert stage.queue.next_tick() == stage.clock.time + want_seconds
    stage.wait(want_seconds)
    assert stage.place(pod) is Place.ACTIVE


def test_errors_and_refusals_are_counted_apart(stage: Stage) -> None:
    stage.pods("p")
    for _ in range(3):
        stage.wait(100)
        stage.fail(stage.pop_pod(), error=True)
    stage.wait(100)
    entity = stage.pop_pod()
    stage.fail(entity, FIT)
    assert (entity.unschedulable_count, entity.consecutive_errors) == (1, 0)


def test_an_event_during_the_attempt_counts_for_the_pod_in_flight(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    entity = stage.pop_pod()
    stage.add(make_node_info("n"))
    stage.fail(entity, FIT)
    assert stage.place(pod) is Place.BACKOFF


def test_an_event_before_the_attempt_does_not_count(stage: Stage) -> None:
    first, second = stage.pods("first", "second")
    in_flight = stage.pop_pod()
    stage.add(make_node_info("n"))
    later = stage.pop_pod()
    stage.fail(later, FIT)
    assert stage.place(second) is Place.UNSCHEDULABLE
    stage.fail(in_flight, FIT)
    assert stage.place(first) is Place.BACKOFF
    assert stage.queue.contents.in_flight_events() == {}


def test_nobody_rests_longer_than_five_minutes(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    stage.wait(0)
    stage.fail(stage.pop_pod(), FIT)
    for _ in range(10):
        stage.wait(30)
    assert stage.place(pod) is Place.UNSCHEDULABLE
    stage.wait(30)
    assert stage.place(pod) is Place.ACTIVE


def test_a_gated_pod_waits_until_its_last_gate_is_removed(stage: Stage) -> None:
    gated = make_pod_info("p", scheduling_gates=("example.com/a", "example.com/b"))
    stage.add(gated)
    assert stage.place(gated) is Place.GATED
    one_left = newer(gated, scheduling_gates=("example.com/b",))
    stage.handlers.pod_updated(gated, one_left)
    assert stage.place(gated) is Place.GATED
    stage.handlers.pod_updated(one_left, newer(one_left, scheduling_gates=()))
    assert stage.place(gated) is Place.ACTIVE


def test_a_retried_pod_is_seen_in_its_newest_form(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    entity = stage.pop_pod()
    stage.handlers.pod_updated(pod, newer(pod, labels={"new": "yes"}))
    stage.fail(entity, error=True)
    stage.wait(1)
    assert stage.pop_pod().pod.labels == {"new": "yes"}


def test_a_deleted_pod_is_nowhere(stage: Stage) -> None:
    active, resting = stage.pods("active", "resting")
    stage.handlers.pod_deleted(active)
    stage.fail(stage.pop_pod(), FIT)
    stage.handlers.pod_deleted(resting)
    assert stage.places(active, resting) == {Place.NOWHERE}
    assert stage.pop() is None


def test_a_pod_deleted_during_its_attempt_does_not_come_back(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    entity = stage.pop_pod()
    stage.handlers.pod_deleted(pod)
    stage.fail(entity, FIT)
    assert stage.place(pod) is Place.NOWHERE


def test_a_pod_whose_binding_failed_backs_off_as_after_an_error(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    entity = stage.pop_pod()
    stage.finish(entity, {}, "scheduled")
    assert stage.place(pod) is Place.NOWHERE
    assert isinstance(entity, QueuedPodInfo)
    stage.queue.take_back(entity, now=stage.clock.time)
    assert stage.place(pod) is Place.BACKOFF
    assert stage.pop() is None


def test_a_pod_bound_by_somebody_else_leaves_the_queue(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    stage.handlers.pod_updated(pod, newer(pod, node_name="n"))
    assert stage.place(pod) is Place.NOWHERE
    assert stage.pop() is None


def test_a_pod_of_another_scheduler_is_not_ours(stage: Stage) -> None:
    stage.add(make_pod_info("p", scheduler_name="other"))
    assert stage.pop() is None


def test_a_pod_of_the_same_name_is_another_pod(stage: Stage) -> None:
    (old,) = stage.pods("p")
    stage.fail(stage.pop_pod(), FIT)
    new = newer(old, uid="uid-second")
    stage.handlers.pod_updated(old, new)
    assert stage.place(old) is Place.NOWHERE
    assert stage.place(new) is Place.ACTIVE


@pytest.mark.parametrize("ends", ["taken back", "deleted"])
def test_a_promise_that_ends_helps_whoever_is_not_stronger(stage: Stage, ends: str) -> None:
    strong, equal, weak = (
        make_pod_info(name, priority=n) for name, n in (("strong", 75), ("equal", 50), ("weak", 25))
    )
    promised = make_pod_info("promised", priority=50, nominated_node_name=NodeName("n"))
    stage.add(strong, equal, weak, promised)
    for _ in range(4):
        stage.fail(stage.pop_pod(), FIT)
    stage.wait(60)
    if ends == "deleted":
        stage.handlers.pod_deleted(promised)
    else:
        stage.handlers.pod_updated(promised, newer(promised, nominated_node_name=NodeName("")))
    assert stage.place(strong) is Place.UNSCHEDULABLE
    assert stage.place(equal) is Place.ACTIVE
    assert stage.place(weak) is Place.ACTIVE
