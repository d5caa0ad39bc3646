"""What the plugin for device claims says about pods without claims. Pure.

Every pod and group passes it, so its texts are part of what users of kube-scheduler 1.37 see
even where no device exists: a post filter that finds no note of its own pre filter ends in an
error, which hides the true reason (measured on 1.37.2: no nodes at all, or every member
refused before any node was looked at).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, Final

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import (
    PluginContext,
    PreFilterResult,
    Refusal,
)
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.framework.postfilter import (
    Handle,
    PodGroupPostFilterResult,
    PostFilterResult,
    ScheduleGroup,
)
from kubegang.scheduler.framework.status import SKIP, failure, unschedulable

_NO_NOTE: Final = failure("not found")
_NOTHING_LEFT: Final = unschedulable("deallocation and deletion of ResourceClaims completed")


class DynamicResourcesOfPods:
    """Notes that it saw a pod, and has nothing to allocate for it."""

    NAME: ClassVar[str] = "DynamicResources"
    ADDITIVE: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments yet; what is said about pods without claims depends on the release."""
        text = context.rules.resource_claims.no_claims_text
        self._no_claims = unschedulable(text) if text else unschedulable()

    def pre_filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView
    ) -> PreFilterResult:
        """Leave a note for the post filters."""
        state.write(self.NAME, pod.uid)
        if state.group is not None:
            state.group.write(self.NAME, pod.uid)
        return PreFilterResult(SKIP)

    def sign_pod(self, pod: PodInfo) -> Hashable | None:
        """Leave pods with claims alone: who gets which device depends on other pods."""
        return None if pod.has_claims else ()

    def post_filter(
        self, state: CycleState, pod: PodInfo, *, refusals: Sequence[Refusal], handle: Handle
    ) -> PostFilterResult:
        """Have no claim to free."""
        return PostFilterResult(_NO_NOTE if state.read(self.NAME) is None else self._no_claims)


class DynamicResources(DynamicResourcesOfPods):
    """Also asked when a whole group found no room (1.37)."""

    def __init__(self, context: PluginContext) -> None:
        """Look at the gate that decides which groups the post filter leaves alone."""
        super().__init__(context)
        self._topology = context.gates.enabled_if_known("TopologyAwareWorkloadScheduling")

    def pod_group_post_filter(
        self,
        state: CycleState,
        group: PodGroupInfo,
        *,
        members: Sequence[PodInfo],
        handle: Handle,
        schedule: ScheduleGroup,
    ) -> PodGroupPostFilterResult:
        """Have no claim to free; groups with a topology key, and trees, are not even looked at."""
        if group.is_composite or (self._topology and group.topology_key):
            return PodGroupPostFilterResult(unschedulable())
        if state.read(self.NAME) is None:
            return PodGroupPostFilterResult(_NO_NOTE)
        return PodGroupPostFilterResult(_NOTHING_LEFT)


def dynamic_resources(context: PluginContext) -> DynamicResourcesOfPods:
    """Return the plugin as the release has it."""
    if context.rules.resource_claims.makes_room_for_groups:
        return DynamicResources(context)
    return DynamicResourcesOfPods(context)
