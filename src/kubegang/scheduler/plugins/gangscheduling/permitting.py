"""All or nothing by permit, as kube-scheduler 1.36 has it.

Members are held until their group's object and enough members exist. From then on every member
that has a node asks for a permit, and gets it once as many have a node as the gang needs. A
group's cycle asks while it tries; nobody waits then. Texts and limits are those of 1.36.3
(measured). Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from kubegang.scheduler.framework.binding import PermitResult, WaitingPods
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.events import HintRegistration
from kubegang.scheduler.framework.interface import PluginContext
from kubegang.scheduler.framework.podgroups import PodGroupStates
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import (
    SUCCESS,
    Status,
    failure,
    unresolvable,
    waiting,
)
from kubegang.scheduler.plugins.gangscheduling.plugin import (
    GangScheduling,
    hints_of_arrivals,
)

PERMIT_SECONDS: Final = 300.0
"""How long a member may wait for the others."""

_TOO_FEW_PODS: Final = unresolvable(
    "waiting for minCount pods from a gang to appear in scheduling queue"
)
_TOO_FEW_PLACED: Final = waiting("waiting for minCount pods from a gang to be scheduled")


class PermittingGangScheduling:
    """Enforces spec.schedulingPolicy of PodGroups, member by member."""

    NAME: ClassVar[str] = GangScheduling.NAME

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments from ``context``."""

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when a sibling or the group comes; a group's minimum never changes."""
        return hints_of_arrivals()

    def pre_enqueue(self, pod: PodInfo, groups: PodGroupStates) -> Status:
        """Hold a member until its group's object and enough members exist."""
        if pod.pod_group is None:
            return SUCCESS
        group = groups.pod_group(pod.pod_group)
        if group is None:
            return unresolvable(
                f'waiting for pods\'s pod group "{pod.pod_group.name}" '
                "to appear in scheduling queue"
            )
        if group.min_count is None or groups.known_members(group.key) >= group.min_count:
            return SUCCESS
        return _TOO_FEW_PODS

    def concerns(self, pod: PodInfo) -> bool:
        """Return whether the pod is a member of a group."""
        return pod.pod_group is not None

    def permit(
        self,
        state: CycleState,
        pod: PodInfo,
        *,
        node: NodeName,
        cluster: ClusterView,
        waiting: WaitingPods,
        now: float,
    ) -> PermitResult:
        """Let a member go on once the minimum has nodes; then those that waited go on too."""
        key = pod.pod_group
        if key is None:
            return PermitResult(SUCCESS)
        group = cluster.pod_group(key)
        if group is None:
            missing = f'podgroup.scheduling.k8s.io "{key.name}" not found'
            return PermitResult(failure(f"failed to get podGroup {key}: {missing}"))
        if group.min_count is None:
            return PermitResult(SUCCESS)
        if len(cluster.scheduled_members(key)) < group.min_count:
            return PermitResult(_TOO_FEW_PLACED, PERMIT_SECONDS, activate=(key,))
        return PermitResult(SUCCESS, allow=tuple(w.pod.uid for w in waiting.members(key)))
