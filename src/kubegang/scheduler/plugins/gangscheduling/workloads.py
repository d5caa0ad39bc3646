"""All or nothing by permit, as kube-scheduler 1.35 has it: groups are entries of Workloads.

Nobody looks at a gang as a whole. Its members are decided about like any other pod, in their
turn; those that found a node keep it and wait for the others, all of them until five minutes
after the first began to. Texts are those of 1.35.4. Pure.
"""

from __future__ import annotations

from typing import Final

from kubegang.scheduler.framework.binding import PermitResult, WaitingPods
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.podgroups import PodGroupStates
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import Status, unresolvable, waiting
from kubegang.scheduler.plugins.gangscheduling.permitting import (
    PERMIT_SECONDS,
    PermittingGangScheduling,
)

_TOO_FEW_WAITING: Final = waiting("waiting for minCount pods from a gang to be waiting on permit")


class WorkloadGangScheduling(PermittingGangScheduling):
    """Enforces the policies of Workloads, member by member."""

    def pre_enqueue(self, pod: PodInfo, groups: PodGroupStates) -> Status:
        """Hold a member until its Workload and enough members exist."""
        if pod.workload_ref is not None:
            workload, entry, _ = pod.workload_ref
            if not groups.has_workload(pod.namespace, workload):
                return unresolvable(
                    f'waiting for pods\'s workload "{workload}" to appear in scheduling queue'
                )
            if pod.pod_group is not None and groups.pod_group(pod.pod_group) is None:
                return unresolvable(
                    f'pod group "{entry}" doesn\'t exist for a workload "{workload}"'
                )
        return super().pre_enqueue(pod, groups)

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
        """Make a member wait, but no longer than the first of those that wait already."""
        result = super().permit(state, pod, node=node, cluster=cluster, waiting=waiting, now=now)
        if not result.status.is_wait or pod.pod_group is None:
            return result
        deadlines = [
            wait.deadline
            for member in waiting.members(pod.pod_group)
            if (wait := member.wait_for(self.NAME)) is not None
        ]
        left = min(deadlines, default=now + PERMIT_SECONDS) - now
        return result._replace(status=_TOO_FEW_WAITING, timeout_seconds=max(left, 0.0))
