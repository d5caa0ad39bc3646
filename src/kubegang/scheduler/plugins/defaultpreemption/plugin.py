"""Makes room for pods and groups of higher priority. Pure.

Here is who may preempt, and who must wait until a preemption of his is carried out; the
search for victims belongs to ``scheduler.preemption``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import msgspec

from kubegang.scheduler.framework.arguments import decode_arguments
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.events import (
    Action,
    ClusterEvent,
    ClusterObject,
    HintRegistration,
)
from kubegang.scheduler.framework.interface import PluginContext, Refusal
from kubegang.scheduler.framework.podgroups import PodGroupStates
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.framework.postfilter import (
    Handle,
    PodGroupPostFilterResult,
    PostFilterResult,
    ScheduleGroup,
)
from kubegang.scheduler.framework.status import SUCCESS, Status, unresolvable, unschedulable
from kubegang.scheduler.preemption.groupanew import preempt_by_trying_anew
from kubegang.scheduler.preemption.grouppreemption import preempt_for_group
from kubegang.scheduler.preemption.podpreemption import NEVER, SearchLimits, preempt_for_pod

_POD_WAITS: Final = unresolvable("waiting for the preemption for this pod to be finished")
_GROUP_WAITS: Final = unresolvable("waiting for the preemption for this pod group to be finished")

_NO_GROUP: Final = "pod group for pod not found"
_ONE_DOMAIN: Final = "not eligible due to placement-based pod group scheduling limitation"
_GROUP_PREEMPTS: Final = "not eligible due to workload aware preemption enabled"


class DefaultPreemptionArgs(
    msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True
):
    """The plugin's arguments: how many candidates a search for one pod ends with."""

    min_candidate_nodes_percentage: int = 10
    min_candidate_nodes_absolute: int = 100


class DefaultPreemption:
    """Finds pods of lower priority whose place a pod or a group may take."""

    NAME: ClassVar[str] = "DefaultPreemption"

    def __init__(self, context: PluginContext) -> None:
        """Read the limits from the arguments, and what counts for groups from the gates.

        Raises:
            PluginConfigError: the arguments cannot be used.
        """
        self._limits = _limits(self.NAME, context.args)
        gates, rules = context.gates, context.rules.preemption
        self._rules = rules
        self._groups = gates.enabled_if_known("GenericWorkload") and rules.knows_groups
        self._group_policy = gates.enabled_if_known("PodGroupPreemptionPolicy")
        self._by_topology = gates.enabled_if_known("TopologyAwareWorkloadScheduling")
        # The gate is one of 1.36 only; what it turns on is always on in 1.37.
        self._whole_groups_only = gates.enabled_if_known("WorkloadAwarePreemption")
        self._as_groups = self._groups and (
            rules.spares_victims == "places" or self._whole_groups_only
        )

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Be told of pods that go: who was held may be let go on then."""
        deleted = ClusterEvent("AssignedPod", Action.DELETE)
        return (HintRegistration(deleted, is_schedulable_after_pod_deleted),)

    def pre_enqueue(self, pod: PodInfo, groups: PodGroupStates) -> Status:
        """Hold a pod, or its whole group, until all its victims have been told to go."""
        group = groups.root_of(pod.pod_group) if self._as_groups and pod.pod_group else None
        if group is not None:
            return _GROUP_WAITS if groups.is_preempting(group.key) else SUCCESS
        return _POD_WAITS if groups.is_preempting(pod.uid) else SUCCESS

    def post_filter(
        self, state: CycleState, pod: PodInfo, *, refusals: Sequence[Refusal], handle: Handle
    ) -> PostFilterResult:
        """Look for a node on which weaker pods can make room."""
        not_for_member = self._why_not_for_member(pod, handle)
        if not_for_member:
            result = PostFilterResult(unschedulable(not_for_member))
        else:
            result = preempt_for_pod(
                handle,
                state,
                pod,
                refusals=refusals,
                limits=self._limits,
                by_group=self._groups and self._rules.victim_priority == "group",
            )
        if result.status.is_success and not self._rules.tells_found_room:
            return result._replace(status=SUCCESS)
        return result._replace(status=_introduced("preemption", result.status))

    def pod_group_post_filter(
        self,
        state: CycleState,
        group: PodGroupInfo,
        *,
        members: Sequence[PodInfo],
        handle: Handle,
        schedule: ScheduleGroup,
    ) -> PodGroupPostFilterResult:
        """Look for weaker pods anywhere that can make room for the group."""
        never = self._must_not_preempt(group, members)
        if self._rules.spares_victims == "still-fit":
            if never:
                return PodGroupPostFilterResult(unschedulable(NEVER))
            return preempt_by_trying_anew(handle, group, schedule=schedule)
        if never:
            result = PodGroupPostFilterResult(unschedulable(NEVER))
        else:
            result = preempt_for_group(handle, group, members, schedule=schedule)
        return result._replace(status=_introduced("pod group preemption", result.status))

    def _why_not_for_member(self, pod: PodInfo, handle: Handle) -> str:
        """Return why nobody is evicted for a single member of a group, or empty.

        Only 1.36 asks: there, members of a group pass this point one by one.
        """
        if pod.pod_group is None:
            return ""
        group = handle.cluster.pod_group(pod.pod_group)
        if self._by_topology and group is None:
            return _NO_GROUP
        if self._by_topology and group is not None and group.topology_key:
            return _ONE_DOMAIN
        return _GROUP_PREEMPTS if self._whole_groups_only else ""

    def _must_not_preempt(self, group: PodGroupInfo, members: Sequence[PodInfo]) -> bool:
        if self._group_policy:
            return group.preemption_policy == "Never"
        return any(member.preemption_policy == "Never" for member in members)


def is_schedulable_after_pod_deleted(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Leave it to the plugins that refused the pod whether what happened helps."""
    return False


def _introduced(what: str, status: Status) -> Status:
    return Status(status.code, (f"{what}: {status.message}",))


def _limits(plugin: str, args: Mapping[str, Any]) -> SearchLimits:
    given = decode_arguments(plugin, args, DefaultPreemptionArgs)
    percentage, absolute = given.min_candidate_nodes_percentage, given.min_candidate_nodes_absolute
    if not 0 <= percentage <= 100:
        raise PluginConfigError(
            f"arguments of plugin {plugin}: minCandidateNodesPercentage: {percentage}"
            " is not in valid range [0, 100]"
        )
    if absolute < 0:
        raise PluginConfigError(
            f"arguments of plugin {plugin}: minCandidateNodesAbsolute: {absolute}"
            " is not in valid range [0, inf)"
        )
    if not percentage and not absolute:
        raise PluginConfigError(
            f"arguments of plugin {plugin}: minCandidateNodesPercentage and"
            " minCandidateNodesAbsolute cannot be zero at the same time"
        )
    return SearchLimits(percentage, absolute)
