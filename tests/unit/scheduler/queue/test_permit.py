"""Pods that wait on permit, as the queue sees them."""

from __future__ import annotations

from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.events import Action, ClusterEvent
from kubegang.scheduler.queue.places import Place
from tests.unit.scheduler.queue.stage import FIT, Stage, make_node_info

NODE_ADDED = ClusterEvent("Node", Action.ADD)


def let_wait(stage: Stage) -> QueuedPodInfo:
    """Pop a pod and let it wait on permit."""
    entity = stage.pop_pod()
    stage.queue.finish(entity, {}, "scheduled", now=stage.clock.time, waiting=[entity.pod.uid])
    return entity


def test_a_waiting_pod_stays_in_flight_until_it_is_let_go(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    let_wait(stage)
    assert stage.place(pod) is Place.IN_FLIGHT
    stage.queue.let_go(pod, now=stage.clock.time)
    assert stage.place(pod) is Place.NOWHERE
    stage.validate()


def test_a_rejected_pod_rests_until_something_happens(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    entity = let_wait(stage)
    stage.queue.take_back(entity, frozenset({FIT}), now=stage.clock.time)
    assert stage.place(pod) is Place.UNSCHEDULABLE
    stage.validate()


def test_a_rejected_pod_only_backs_off_if_something_happened_while_it_waited(
    stage: Stage,
) -> None:
    (pod,) = stage.pods("p")
    entity = let_wait(stage)
    stage.add(make_node_info("n"))
    stage.queue.take_back(entity, frozenset({FIT}), now=stage.clock.time)
    assert stage.place(pod) is Place.BACKOFF
    stage.validate()


def test_its_own_room_does_not_wake_a_rejected_pod(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    entity = let_wait(stage)
    stage.queue.take_back(entity, frozenset({FIT}), now=stage.clock.time)
    stage.queue.handle(
        NODE_ADDED, None, make_node_info("n"), now=stage.clock.time, apart_from=pod.uid
    )
    assert stage.place(pod) is Place.UNSCHEDULABLE


def test_a_waiting_pod_that_is_deleted_leaves(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    let_wait(stage)
    stage.handlers.pod_deleted(pod)
    assert stage.place(pod) is Place.NOWHERE
    stage.validate()


def test_activation_ends_rest_and_backoff_at_once(stage: Stage) -> None:
    resting, backing_off = stage.pods("p", "q")
    stage.fail(stage.pop_pod(), FIT)
    stage.fail(stage.pop_pod(), error=True)
    assert stage.places(resting) == {Place.UNSCHEDULABLE}
    assert stage.places(backing_off) == {Place.BACKOFF}
    stage.queue.activate([resting.uid, backing_off.uid], now=stage.clock.time)
    assert stage.places(resting, backing_off) == {Place.ACTIVE}
    stage.validate()
