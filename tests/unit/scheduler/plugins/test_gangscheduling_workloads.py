"""GangScheduling of 1.35: groups are entries of Workloads, members wait for one another."""

from __future__ import annotations

import msgspec

from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.cycle.waitingsofar import WaitingSoFar
from kubegang.scheduler.framework.binding import NOBODY_WAITS, PermitWait, WaitingPod
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import SUCCESS
from kubegang.scheduler.framework.workloadgroups import WorkloadInfo, workload_group_key
from kubegang.scheduler.plugins.gangscheduling.workloads import WorkloadGangScheduling
from kubegang.scheduler.runtime.binding import PermitOutcome
from tests.unit.scheduler.plugins.asking import context
from tests.unit.scheduler.queue.stage import make_node_info, make_pod_info

PLUGIN = WorkloadGangScheduling(context())
WORKLOAD = WorkloadInfo(
    namespace="ns",
    name="w",
    uid="uid-w",
    resource_version="1",
    created=0.0,
    terminating=False,
    minimums=(("gang", 3), ("basic", None)),
)


def member(name: str, entry: str = "gang", replica: str = "") -> PodInfo:
    ref = ("w", entry, replica)
    key = workload_group_key("ns", ref)
    return msgspec.structs.replace(make_pod_info(name), workload_ref=ref, pod_group=key)


def cache_with(*pods: PodInfo, workload: bool = True) -> Cache:
    cache = Cache()
    cache.set_node(make_node_info("n"))
    if workload:
        cache.groups.set_workload("ns", "w")
    for pod in pods:
        cache.set_pod(pod)
        group = WORKLOAD.group(pod.pod_group, pod) if workload and pod.pod_group else None
        if group is not None:
            cache.set_pod_group(group)
    return cache


def test_what_a_member_waits_for_is_named() -> None:
    gang = member("p")
    assert PLUGIN.pre_enqueue(gang, cache_with(gang, workload=False).groups).message == (
        'waiting for pods\'s workload "w" to appear in scheduling queue'
    )
    stray = member("p", "other")
    assert PLUGIN.pre_enqueue(stray, cache_with(stray).groups).message == (
        'pod group "other" doesn\'t exist for a workload "w"'
    )
    assert PLUGIN.pre_enqueue(gang, cache_with(gang).groups).message == (
        "waiting for minCount pods from a gang to appear in scheduling queue"
    )


def test_replicas_are_counted_apart() -> None:
    a = [member(f"a{i}", replica="a") for i in range(3)]
    b = [member(f"b{i}", replica="b") for i in range(2)]
    cache = cache_with(*a, *b)
    assert PLUGIN.pre_enqueue(a[0], cache.groups).is_success
    assert not PLUGIN.pre_enqueue(b[0], cache.groups).is_success
    basic = member("c", "basic")
    assert PLUGIN.pre_enqueue(basic, cache_with(basic).groups).is_success


def test_all_members_wait_until_the_deadline_of_the_first() -> None:
    pods = [member(f"p{i}") for i in range(3)]
    cache = cache_with(*pods)
    waiting = WaitingSoFar(NOBODY_WAITS)
    timeouts = []
    for pod, now in zip(pods, (100.0, 160.0, 170.0), strict=True):
        cache.assume(pod.uid, NodeName("n"))
        result = PLUGIN.permit(
            CycleState(),
            pod,
            node=NodeName("n"),
            cluster=cache.snapshot(),
            waiting=waiting,
            now=now,
        )
        if not result.status.is_wait:
            break
        timeouts.append(result.timeout_seconds)
        assert result.activate == (pod.pod_group,)
        wait = PermitWait(PLUGIN.NAME, now + result.timeout_seconds)
        waiting.follow(PermitOutcome(SUCCESS), WaitingPod(pod, NodeName("n"), (wait,), now))
    assert timeouts == [300.0, 240.0]
    assert result.status.is_success
    assert result.allow == (pods[0].uid, pods[1].uid)
