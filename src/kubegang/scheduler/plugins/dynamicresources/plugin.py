"""Gives pods the devices that they claim (KEP-4381, KEP-5729). Pure.

Every pod and group passes it, so its texts are part of what users of kube-scheduler see even
where no device exists: a post filter that finds no note of its own pre filter ends in an
error, which hides the true reason (measured on 1.37.2: no nodes at all, or every member
refused before any node was looked at).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, Final

import numpy as np

from kubegang.scheduler.framework.binding import ApiChange, PreBindPlan
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.events import Action, ClusterEvent, HintRegistration
from kubegang.scheduler.framework.interface import PluginContext, PreFilterResult, Refusal
from kubegang.scheduler.framework.nodetable import IntArray, RowArray
from kubegang.scheduler.framework.podgroups import PodGroupStates
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo
from kubegang.scheduler.framework.postfilter import (
    Handle,
    PodGroupPostFilterResult,
    PostFilterResult,
    ScheduleGroup,
)
from kubegang.scheduler.framework.scores import scale_to_best
from kubegang.scheduler.framework.status import (
    SKIP,
    SUCCESS,
    Status,
    failure,
    unresolvable,
    unschedulable,
)
from kubegang.scheduler.plugins.dynamicresources.beginning import begin
from kubegang.scheduler.plugins.dynamicresources.claims import ClaimProblemError, claims_of
from kubegang.scheduler.plugins.dynamicresources.filtering import NodeFilter
from kubegang.scheduler.plugins.dynamicresources.freeing import (
    free_for_group,
    free_for_pod,
    give_back_for_group,
    remove_left_over,
)
from kubegang.scheduler.plugins.dynamicresources.hints import (
    is_schedulable_after_claim_change,
    is_schedulable_after_own_change,
)
from kubegang.scheduler.plugins.dynamicresources.notes import (
    KEY,
    NO_CLAIMS,
    GroupNotes,
    PodNotes,
    begin_group,
    group_notes_of,
    notes_of,
)
from kubegang.scheduler.plugins.dynamicresources.preparing import (
    given_back,
    out_of_reach,
    plan,
)
from kubegang.scheduler.plugins.dynamicresources.promising import keep, let_go
from kubegang.scheduler.plugins.dynamicresources.scoring import scores_matter, scores_on
from kubegang.scheduler.plugins.dynamicresources.settings import Settings

_NO_NOTE: Final = failure("not found")
_FREED: Final = unschedulable("deallocation of ResourceClaim completed")
_DELETED: Final = unschedulable("deletion of ResourceClaim completed")
_NOTHING_LEFT: Final = unschedulable("deallocation and deletion of ResourceClaims completed")
_FREED_FOR_GROUP: Final = unschedulable("deallocation of PodGroup ResourceClaim completed")
_GIVEN_BACK: Final = unresolvable("ResourceClaim unreserved for PodGroup")

_CHANGE: Final = Action.ADD | Action.UPDATE_OTHER


class DynamicResourcesOfPods:
    """Finds devices for claims, promises them, and tells the API before a pod is bound."""

    NAME: ClassVar[str] = KEY
    ADDITIVE: ClassVar[bool] = True
    OWN_NODE_ONLY: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Read gates, arguments and what the release does in its own way.

        Raises:
            PluginConfigError: the arguments cannot be used.
        """
        self._settings = Settings.of(context)
        self._rules = context.rules.resource_claims
        self._filter = NodeFilter(self._settings, self._rules)
        self._no_claims = _saying(self._rules.no_claims_text)
        self._nothing_freed = _saying(self._rules.nothing_freed_text)

    # --- before an attempt ---------------------------------------------------------------

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when devices or claims come or change, or what the pod knows of its own."""
        nodes = Action.ADD | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_ALLOCATABLE
        claims = _CHANGE | Action.DELETE if self._rules.deletions_wake else _CHANGE
        return (
            HintRegistration(ClusterEvent("Node", nodes)),
            HintRegistration(
                ClusterEvent("ResourceClaim", claims), is_schedulable_after_claim_change
            ),
            HintRegistration(
                ClusterEvent("TargetPod", Action.UPDATE_POD_GENERATED_CLAIMS),
                is_schedulable_after_own_change,
            ),
            HintRegistration(ClusterEvent("DeviceClass", _CHANGE)),
            HintRegistration(ClusterEvent("ResourceSlice", _CHANGE)),
        )

    def pre_enqueue(self, pod: PodInfo, groups: PodGroupStates) -> Status:
        """Hold a pod until all its claims exist."""
        if not pod.device_claims:
            return SUCCESS
        try:
            claims_of(pod, groups.device_claim, with_groups=self._settings.group_claims)
        except ClaimProblemError as problem:
            return unresolvable(str(problem))
        return SUCCESS

    def sign_pod(self, pod: PodInfo) -> Hashable | None:
        """Leave pods with claims alone: who gets which device depends on other pods."""
        return None if pod.device_claims else ()

    # --- the search for a node -----------------------------------------------------------

    def pre_filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView
    ) -> PreFilterResult:
        """Look the claims up; refuse the pod if one cannot be had anywhere."""
        notes = PodNotes() if self.concerns(pod) else NO_CLAIMS
        state.write(KEY, notes)
        group = begin_group(state)
        if group is not None:
            group.pods[pod.uid] = notes
        if not self.concerns(pod):
            return PreFilterResult(SKIP)
        status = begin(
            notes, pod, cluster=cluster, group=group, settings=self._settings, rules=self._rules
        )
        return PreFilterResult(status)

    def filter_node(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, row: int
    ) -> Status:
        """Pass nodes that can reach what is allocated, and have what is not.

        Raises:
            FilterFailedError: a claim or class cannot be evaluated.
        """
        return self._filter.answer(notes_of(state), pod, cluster=cluster, row=row, now=state.now)

    def pre_score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Status:
        """Skip unless requests have alternatives."""
        on = self._settings.features.prioritized_list
        return SUCCESS if on and scores_matter(notes_of(state), rules=self._rules) else SKIP

    def score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> IntArray:
        """Return more for nodes where earlier alternatives can be had."""
        nodes = [cluster.nodes.names[row] for row in rows.tolist()]
        return np.array(scores_on(notes_of(state), nodes, rules=self._rules), dtype=np.int64)

    def normalize_score(self, state: CycleState, pod: PodInfo, *, scores: IntArray) -> IntArray:
        """Give 100 to the best."""
        return scale_to_best(scores)

    # --- on the way to a node ------------------------------------------------------------

    def concerns(self, pod: PodInfo) -> bool:
        """Return whether the pod has claims, or may need one for extended resources."""
        return bool(pod.device_claims) or (self._settings.extended and bool(pod.extended_requests))

    def reserve(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> Status:
        """Promise the claims what was found for them on the node."""
        group = group_notes_of(state) if self._rules.siblings_share else None
        return keep(notes_of(state), group, node=node, devices=cluster.devices)

    def unreserve(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> None:
        """Take the promises back that nobody shares."""
        let_go(notes_of(state), group_notes_of(state), devices=cluster.devices)

    def pre_bind(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> PreBindPlan:
        """Write down what was promised and for whom, and wait until the devices are ready."""
        notes = notes_of(state)
        if not self._rules.promises_bind_nodes:
            claim = out_of_reach(notes, node, cluster)
            if claim:
                return PreBindPlan(
                    failure(f"claim {claim} got allocated elsewhere in the meantime")
                )
        return plan(pod, notes, self._settings, node=node)

    def take_back(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> Sequence[ApiChange]:
        """Give claims back that were reserved for the pod; those of its group others need."""
        return given_back(pod, notes_of(state), cluster)

    # --- without a node ------------------------------------------------------------------

    def post_filter(
        self, state: CycleState, pod: PodInfo, *, refusals: Sequence[Refusal], handle: Handle
    ) -> PostFilterResult:
        """Free a claim of the pod that no node can use."""
        if state.read(KEY) is None:
            return PostFilterResult(_NO_NOTE)
        notes = notes_of(state)
        if not notes.claims:
            return PostFilterResult(self._no_claims)
        freed = free_for_pod(pod, notes)
        if freed is not None:
            return PostFilterResult(_FREED, changes=(freed,))
        removed = remove_left_over(notes)
        if removed is not None:
            return PostFilterResult(_DELETED, changes=(removed,))
        if self._settings.group_claims and not self._rules.makes_room_for_groups:
            given = self._given_back(state, pod, handle.cluster)
            if given is not None:
                return PostFilterResult(_GIVEN_BACK, changes=(given,))
        return PostFilterResult(self._nothing_freed)

    def _given_back(
        self, state: CycleState, pod: PodInfo, cluster: ClusterView
    ) -> ApiChange | None:
        """Return how a group without anybody on a node gives a claim back (1.36)."""
        group = None if pod.pod_group is None else cluster.pod_group(pod.pod_group)
        if group is None or _has_started(group, group_notes_of(state), cluster):
            return None
        return give_back_for_group(group, pod, cluster=cluster)


class DynamicResources(DynamicResourcesOfPods):
    """Also asked when a whole group found no room (1.37)."""

    def pod_group_post_filter(
        self,
        state: CycleState,
        group: PodGroupInfo,
        *,
        members: Sequence[PodInfo],
        handle: Handle,
        schedule: ScheduleGroup,
    ) -> PodGroupPostFilterResult:
        """Free claims that no node can use; groups with a topology key, and trees, keep theirs."""
        if group.is_composite or (self._settings.by_topology and group.topology_key):
            return PodGroupPostFilterResult(unschedulable())
        notes: GroupNotes | None = state.read(KEY)
        if notes is None:
            return PodGroupPostFilterResult(_NO_NOTE)
        tried = [(pod, notes.pods[pod.uid]) for pod in members if pod.uid in notes.pods]
        freed = [free_for_pod(pod, known) or remove_left_over(known) for pod, known in tried]
        changes = tuple(change for change in freed if change is not None)
        if None in freed and self._settings.group_claims:
            status, change = self._free_group(group, notes, members[0], cluster=handle.cluster)
            if change is not None:
                return PodGroupPostFilterResult(status, changes=(*changes, change))
        return PodGroupPostFilterResult(_NOTHING_LEFT, changes=changes)

    def _free_group(
        self, group: PodGroupInfo, notes: GroupNotes, member: PodInfo, *, cluster: ClusterView
    ) -> tuple[Status, ApiChange | None]:
        if _has_started(group, None, cluster):
            return _NOTHING_LEFT, None
        freed = free_for_group(group, notes.pods.values())
        if freed is not None:
            return _FREED_FOR_GROUP, freed
        return _GIVEN_BACK, give_back_for_group(group, member, cluster=cluster)


def dynamic_resources(context: PluginContext) -> DynamicResourcesOfPods:
    """Return the plugin as the release has it."""
    if context.rules.resource_claims.makes_room_for_groups:
        return DynamicResources(context)
    return DynamicResourcesOfPods(context)


def _saying(text: str) -> Status:
    return unschedulable(text) if text else unschedulable()


def _has_started(group: PodGroupInfo, notes: GroupNotes | None, cluster: ClusterView) -> bool:
    """Return whether a member has a node, other than those that were tried in this cycle."""
    tried = () if notes is None else notes.pods
    return any(member.uid not in tried for member in cluster.scheduled_members(group.key))
