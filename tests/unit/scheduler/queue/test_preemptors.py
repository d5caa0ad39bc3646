"""Pods and groups whose victims are being told to go are held meanwhile."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.pods import NodeName, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.queue.places import Place
from tests.unit.scheduler.queue.stage import FIT, Stage, make_group_info, make_pod_info

KEY = PodGroupKey("ns", "g")


@pytest.fixture
def victim(stage: Stage) -> PodInfo:
    """Return a pod that runs, and is to go."""
    pod = make_pod_info("victim", node_name=NodeName("n"))
    stage.add(pod)
    return pod


def end(stage: Stage, preemptor: PodUid | PodGroupKey, *, failed: bool = False) -> None:
    stage.cache.groups.end_preemption(preemptor)
    stage.moves += stage.queue.preemption_ended(preemptor, failed=failed, now=stage.clock.now())


def test_a_preempting_group_is_held_until_its_victims_are_told(stage: Stage) -> None:
    stage.add(make_group_info("g", 1))
    (pod,) = stage.pods("p", group="g")
    group = stage.pop_group()
    stage.cache.groups.begin_preemption(KEY)
    stage.fail(group, FIT)
    assert stage.place(pod) is Place.GATED
    end(stage, KEY)
    assert stage.place(pod) is Place.BACKOFF
    stage.wait(1)
    assert stage.place(pod) is Place.ACTIVE


def test_a_group_whose_victims_are_told_late_does_not_wait_longer(stage: Stage) -> None:
    stage.add(make_group_info("g", 1))
    (pod,) = stage.pods("p", group="g")
    group = stage.pop_group()
    stage.cache.groups.begin_preemption(KEY)
    stage.fail(group, FIT)
    stage.wait(5)
    end(stage, KEY)
    assert stage.place(pod) is Place.ACTIVE


def test_a_victim_that_goes_first_does_not_wake_the_preemptor(
    stage: Stage, victim: PodInfo
) -> None:
    (pod,) = stage.pods("p")
    attempt = stage.pop_pod()
    stage.cache.groups.begin_preemption(pod.uid)
    stage.fail(attempt, FIT)
    assert stage.place(pod) is Place.UNSCHEDULABLE
    stage.wait(5)
    stage.handlers.pod_deleted(victim)
    assert stage.place(pod) is Place.GATED
    end(stage, pod.uid)
    assert stage.place(pod) is Place.ACTIVE


def test_a_preemptor_that_nothing_woke_goes_on_resting(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    attempt = stage.pop_pod()
    stage.cache.groups.begin_preemption(pod.uid)
    stage.fail(attempt, FIT)
    end(stage, pod.uid)
    assert stage.place(pod) is Place.UNSCHEDULABLE


@pytest.mark.parametrize("group", ["g", ""], ids=["group", "pod"])
def test_if_a_victim_could_not_be_told_the_preemptor_backs_off_as_after_an_error(
    stage: Stage, group: str
) -> None:
    stage.add(make_group_info("g", 1))
    (pod,) = stage.pods("p", group=group)
    attempt = stage.pop()
    assert attempt is not None
    preemptor = KEY if group else pod.uid
    stage.cache.groups.begin_preemption(preemptor)
    stage.fail(attempt, FIT)
    stage.wait(5)
    end(stage, preemptor, failed=True)
    assert stage.place(pod) is Place.BACKOFF
    assert stage.pop() is None, "nor is it popped early"
    stage.wait(1)
    assert stage.place(pod) is Place.ACTIVE


def test_a_preemptor_that_is_gone_is_nobodys_business(stage: Stage) -> None:
    (pod,) = stage.pods("p")
    attempt = stage.pop_pod()
    stage.cache.groups.begin_preemption(pod.uid)
    stage.fail(attempt, FIT)
    stage.handlers.pod_deleted(pod)
    end(stage, pod.uid, failed=True)
    assert stage.place(pod) is Place.NOWHERE


def test_other_groups_are_not_held(stage: Stage) -> None:
    stage.add(make_group_info("g", 1), make_group_info("h", 1))
    stage.cache.groups.begin_preemption(KEY)
    (pod,) = stage.pods("p", group="h")
    assert stage.place(pod) is Place.ACTIVE
