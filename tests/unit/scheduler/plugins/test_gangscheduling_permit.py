"""GangScheduling of 1.36: a quorum before the queue, a permit after the node."""

from __future__ import annotations

from kubegang.scheduler.framework.binding import NOBODY_WAITS, PermitResult
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.events import Action, ClusterEvent
from kubegang.scheduler.framework.pods import NodeName
from kubegang.scheduler.framework.status import Code
from kubegang.scheduler.plugins.gangscheduling.permitting import PermittingGangScheduling
from kubegang.testing.builders import make_node, make_pod, make_podgroup
from kubegang.testing.deciding import DecidingCore
from tests.unit.scheduler.plugins.asking import context

PLUGIN = PermittingGangScheduling(context())
GANG = make_podgroup("g").gang(min_count=2)
MEMBER = make_pod("p").group("g")
BOUND = MEMBER.on("n")


def permit(core: DecidingCore, name: str = "p") -> PermitResult:
    """Ask for the permit of a placed pod."""
    pod = next(pod for pod in core.snapshot.pods() if pod.name == name)
    return PLUGIN.permit(
        CycleState(),
        pod,
        node=NodeName("n"),
        cluster=core.snapshot,
        waiting=NOBODY_WAITS,
        now=0.0,
    )


def test_a_member_waits_five_minutes_while_too_few_have_a_node() -> None:
    result = permit(DecidingCore(make_node("n"), GANG, BOUND))
    assert result.status.is_wait
    assert result.status.message == "waiting for minCount pods from a gang to be scheduled"
    assert result.timeout_seconds == 300
    assert [str(key) for key in result.activate] == ["default/g"]


def test_the_member_that_completes_the_minimum_goes_on() -> None:
    core = DecidingCore(make_node("n"), GANG, BOUND, BOUND.named("q"))
    assert permit(core).status.is_success


def test_members_of_basic_groups_and_other_pods_go_on() -> None:
    core = DecidingCore(make_node("n"), make_podgroup("g"), BOUND, make_pod("alone").on("n"))
    assert permit(core).status.is_success
    assert permit(core, "alone").status.is_success
    assert not PLUGIN.concerns(make_pod("alone").info())


def test_a_member_without_a_group_object_is_an_error() -> None:
    result = permit(DecidingCore(make_node("n"), BOUND))
    assert result.status.code is Code.ERROR
    text = 'failed to get podGroup default/g: podgroup.scheduling.k8s.io "g" not found'
    assert result.status.message == text


def test_only_siblings_and_the_group_wake_a_held_member() -> None:
    events = [registration.event for registration in PLUGIN.queueing_hints()]
    assert events == [
        ClusterEvent("UnscheduledPod", Action.ADD),
        ClusterEvent("AssignedPod", Action.ADD),
        ClusterEvent("PodGroup", Action.ADD),
    ]
