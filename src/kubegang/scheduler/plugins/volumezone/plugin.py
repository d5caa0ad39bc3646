"""Keeps pods in the zones of the volumes that their claims are bound to. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, Final

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.events import Action, ClusterEvent, HintRegistration
from kubegang.scheduler.framework.interface import PluginContext, PreFilterResult, Refusal
from kubegang.scheduler.framework.nodetable import BoolArray, NodeTable, RowArray, Rows
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import SKIP, SUCCESS, Status, unresolvable
from kubegang.scheduler.framework.storage import ClaimInfo, VolumeInfo
from kubegang.scheduler.framework.storageview import Storage
from kubegang.scheduler.plugins.volumezone.hints import (
    is_schedulable_after_claim_change,
    is_schedulable_after_class_added,
    is_schedulable_after_volume_change,
)
from kubegang.scheduler.plugins.volumezone.zones import (
    ZONE_LABELS,
    ZoneDemand,
    stable_label,
    zone_demands,
)

_ELSEWHERE: Final = unresolvable("node(s) had no available volume zone")


class VolumeZone:
    """Compares zone and region labels of volumes with those of nodes."""

    NAME: ClassVar[str] = "VolumeZone"
    OWN_NODE_ONLY: ClassVar[bool] = True
    ADDITIVE: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments from ``context``."""

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when classes, nodes, claims or volumes come, or change where they are."""
        claim = ClusterEvent("PersistentVolumeClaim", Action.ADD | Action.UPDATE_OTHER)
        volume = ClusterEvent("PersistentVolume", Action.ADD | Action.UPDATE_OTHER)
        return (
            HintRegistration(
                ClusterEvent("StorageClass", Action.ADD), is_schedulable_after_class_added
            ),
            HintRegistration(ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_LABEL)),
            HintRegistration(claim, is_schedulable_after_claim_change),
            HintRegistration(volume, is_schedulable_after_volume_change),
        )

    def pre_filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView
    ) -> PreFilterResult:
        """Note the zones of the pod's volumes; refuse it if a volume cannot be found."""
        if not pod.volumes:
            return PreFilterResult(SKIP)
        demands: list[ZoneDemand] = []
        for volume in pod.volumes:
            if volume.claim is None or volume.ephemeral:
                continue
            found = _volume_of(cluster.storage, pod.namespace, volume.claim)
            if isinstance(found, Status):
                return PreFilterResult(found)
            if found is not None:
                demands += zone_demands(found)
        if not demands:
            return PreFilterResult(SKIP)
        state.write(self.NAME, tuple(demands))
        return PreFilterResult(SUCCESS)

    def sign_pod(self, pod: PodInfo) -> Hashable:
        """Return the volumes, whatever they are called."""
        return pod.volume_sources

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        """Pass nodes that are in no zone at all, or in those of all volumes."""
        table = cluster.nodes
        passed = np.ones(table.size, dtype=np.bool_)
        demands: tuple[ZoneDemand, ...] = state.read(self.NAME)
        for demand in demands:
            passed &= _meets(table, demand)
        zoned = np.zeros(table.size, dtype=np.bool_)
        for key in ZONE_LABELS:
            zoned |= table.label(key).ids >= 0
        return (passed | ~zoned)[rows]

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        """Say the one thing there is to say."""
        return (Refusal(rows, _ELSEWHERE),)


def _volume_of(storage: Storage, namespace: str, name: str) -> VolumeInfo | Status | None:
    """Return the volume of a claim; nothing if it is still to be chosen; or what is wrong."""
    claim = storage.claim(namespace, name)
    if claim is None:
        return unresolvable(f'persistentvolumeclaim "{name}" not found')
    if not claim.volume_name:
        return _why_unbound(storage, claim)
    volume = storage.volume(claim.volume_name)
    if volume is None:
        return unresolvable(f'persistentvolume "{claim.volume_name}" not found')
    return volume


def _why_unbound(storage: Storage, claim: ClaimInfo) -> Status | None:
    if not claim.storage_class:
        return unresolvable("PersistentVolumeClaim had no pv name and storageClass name")
    storage_class = storage.storage_class(claim.storage_class)
    if storage_class is None:
        return unresolvable(f'storageclass.storage.k8s.io "{claim.storage_class}" not found')
    return None if storage_class.waits_for_pod else unresolvable("PersistentVolume had no name")


def _meets(table: NodeTable, demand: ZoneDemand) -> BoolArray:
    met, has = _has_value(table, demand.key, demand.values)
    stable = stable_label(demand.key)
    if stable != demand.key:
        stable_met, _ = _has_value(table, stable, demand.values)
        met = met | (~has & stable_met)
    return met


def _has_value(table: NodeTable, key: str, values: frozenset[str]) -> tuple[BoolArray, BoolArray]:
    """Return per node whether a label has one of the values, and whether it is there at all."""
    column = table.label(key)
    wanted = np.array([value in values for value in column.values] + [False], dtype=np.bool_)
    return wanted[column.ids], column.ids >= 0
