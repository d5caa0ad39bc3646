"""Makes room for pods and groups of higher priority. Pure.

Here is who may preempt at all and what is said when no pod of lower priority stands in the
way; the search for victims belongs to ``scheduler.preemption``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar, Final

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.fiterror import fit_error
from kubegang.scheduler.framework.interface import (
    PluginContext,
    PodGroupPostFilterResult,
    PostFilterResult,
    Refusal,
)
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo
from kubegang.scheduler.framework.status import Code, Status, unresolvable, unschedulable

_NOT_ELIGIBLE: Final = "not eligible due to preemptionPolicy=Never."
_NO_VICTIMS: Final = "No preemption victims found for incoming pod"
_NOT_HELPFUL: Final = "Preemption is not helpful for scheduling"
_NO_GROUP_VICTIMS: Final = "No preemption victims found for incoming preemptor"


class DefaultPreemption:
    """Says what preemption can do for a pod without a node, or a group without a placement."""

    NAME: ClassVar[str] = "DefaultPreemption"

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments yet; the gate decides whose preemption policy counts for groups."""
        self._group_policy = context.gates.enabled_if_known("PodGroupPreemptionPolicy")

    def post_filter(
        self,
        state: CycleState,
        pod: PodInfo,
        *,
        cluster: ClusterView,
        refusals: Sequence[Refusal],
    ) -> PostFilterResult:
        """Say why nobody need be evicted: it would not help, or there is nobody."""
        if pod.preemption_policy == "Never":
            return PostFilterResult(unschedulable(f"preemption: {_NOT_ELIGIBLE}"))
        counts: Counter[str] = Counter()
        for refusal in refusals:
            curable = refusal.status.code is Code.UNSCHEDULABLE
            counts[_NO_VICTIMS if curable else _NOT_HELPFUL] += len(refusal.rows)
        text = fit_error(cluster.nodes.size, counts)
        return PostFilterResult(unschedulable(f"preemption: {text}"), NodeName(""))

    def pod_group_post_filter(
        self,
        state: CycleState,
        group: PodGroupInfo,
        *,
        members: Sequence[PodInfo],
        cluster: ClusterView,
    ) -> PodGroupPostFilterResult:
        """Say why nobody need be evicted for the group."""
        return PodGroupPostFilterResult(self._group_status(group, members))

    def _group_status(self, group: PodGroupInfo, members: Sequence[PodInfo]) -> Status:
        if self._group_policy:
            never = group.preemption_policy == "Never"
        else:
            never = any(member.preemption_policy == "Never" for member in members)
        if never:
            return unschedulable(f"pod group preemption: {_NOT_ELIGIBLE}")
        return unresolvable(f"pod group preemption: {_NO_GROUP_VICTIMS}")
