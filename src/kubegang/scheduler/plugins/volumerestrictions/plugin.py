"""Keeps pods off nodes, or out altogether, where a volume is taken that only one may use. Pure."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import ClassVar, Final

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.events import Action, ClusterEvent, HintRegistration
from kubegang.scheduler.framework.interface import PluginContext, PreFilterResult, Refusal
from kubegang.scheduler.framework.nodetable import BoolArray, RowArray, Rows
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.podvolumes import PodDisk
from kubegang.scheduler.framework.status import SKIP, SUCCESS, unresolvable, unschedulable
from kubegang.scheduler.framework.storage import ClaimKey
from kubegang.scheduler.plugins.volumerestrictions.conflicts import disks_of, in_conflict
from kubegang.scheduler.plugins.volumerestrictions.hints import (
    is_schedulable_after_claim_added,
    is_schedulable_after_pod_deleted,
)

_DISK_TAKEN: Final = unschedulable("node(s) had no available disk")
_CLAIM_TAKEN: Final = unschedulable(
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
    "in-use by another pod"
)
_ONE_POD_ONLY: Final = "ReadWriteOncePod"


class VolumeRestrictions:
    """Looks at claims with access mode ReadWriteOncePod, and at disks that pods name themselves."""

    NAME: ClassVar[str] = "VolumeRestrictions"
    ADDITIVE: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments; whether siblings count is the release's business."""
        self._siblings_count = context.rules.volumes.siblings_use_claims

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when a pod lets go of the volume, the claim appears, or a node comes."""
        return (
            HintRegistration(
                ClusterEvent("AssignedPod", Action.DELETE), is_schedulable_after_pod_deleted
            ),
            HintRegistration(ClusterEvent("Node", Action.ADD)),
            HintRegistration(
                ClusterEvent("PersistentVolumeClaim", Action.ADD),
                is_schedulable_after_claim_added,
            ),
        )

    def pre_filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView
    ) -> PreFilterResult:
        """Refuse pods whose claim is missing; skip those that take nothing of their own."""
        if not pod.volumes:
            return PreFilterResult(SKIP)
        exclusive: set[ClaimKey] = set()
        for volume in pod.volumes:
            if volume.claim is None or volume.ephemeral:
                continue
            claim = cluster.storage.claim(pod.namespace, volume.claim)
            if claim is None:
                text = f'persistentvolumeclaim "{volume.claim}" not found'
                return PreFilterResult(unresolvable(text))
            if _ONE_POD_ONLY in claim.access_modes:
                exclusive.add(claim.key)
        if not disks_of(pod) and not self._any_taken(exclusive, cluster):
            return PreFilterResult(SKIP)
        state.write(self.NAME, exclusive)
        return PreFilterResult(SUCCESS)

    def sign_pod(self, pod: PodInfo) -> Hashable:
        """Return the volumes, whatever they are called."""
        return pod.volume_sources

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        """Pass nodes without a conflicting disk; none while a claim is taken."""
        passed = self._without_conflict(pod, cluster)
        if self._any_taken(state.read(self.NAME), cluster):
            passed[:] = False
        return passed[rows]

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        """Say whether it was a disk on the node, or a claim anywhere."""
        free = self._without_conflict(pod, cluster)[rows]
        answers = (Refusal(rows[~free], _DISK_TAKEN), Refusal(rows[free], _CLAIM_TAKEN))
        return [answer for answer in answers if len(answer.rows)]

    def _without_conflict(self, pod: PodInfo, cluster: ClusterView) -> BoolArray:
        table, storage = cluster.nodes, cluster.storage
        free = np.ones(table.size, dtype=np.bool_)
        disks = disks_of(pod)
        if not disks:
            return free
        for node in storage.nodes_with_volume_users():
            row = table.row(node)
            if row is not None and _any_conflict(disks, storage.volume_users(node)):
                free[row] = False
        return free

    def _any_taken(self, claims: Collection[ClaimKey], cluster: ClusterView) -> bool:
        # A sibling that is placed in this very trial has no node of its own yet.
        return any(
            self._siblings_count or user.node_name
            for key in claims
            for user in cluster.storage.claim_users(key)
        )


def _any_conflict(disks: Sequence[PodDisk], users: Iterable[PodInfo]) -> bool:
    return any(in_conflict(disks, disks_of(user)) for user in users)
