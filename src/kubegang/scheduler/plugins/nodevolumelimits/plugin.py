"""Keeps pods off nodes that cannot attach as many volumes. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar, Final

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.events import Action, ClusterEvent, HintRegistration
from kubegang.scheduler.framework.interface import PluginContext, PreFilterResult, Refusal
from kubegang.scheduler.framework.nodetable import BoolArray, RowArray, Rows
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import (
    SKIP,
    SUCCESS,
    Status,
    unresolvable,
    unschedulable,
)
from kubegang.scheduler.framework.storage import CSINodeInfo
from kubegang.scheduler.framework.storageview import Storage
from kubegang.scheduler.plugins.nodevolumelimits.counting import (
    attached_volumes,
    counted_volumes,
    has_counted_volumes,
    on_node,
)
from kubegang.scheduler.plugins.nodevolumelimits.hints import (
    is_schedulable_after_attachment_deleted,
    is_schedulable_after_claim_added,
    is_schedulable_after_csi_node_update,
    is_schedulable_after_pod_deleted,
)

_TOO_MANY: Final = unschedulable("node(s) exceed max volume count")
_SCALING_GATE: Final = "VolumeLimitScaling"


class NodeVolumeLimits:
    """Counts volumes of CSI drivers, and compares them with the allocatable ones of CSINodes."""

    NAME: ClassVar[str] = "NodeVolumeLimits"
    OWN_NODE_ONLY: ClassVar[bool] = True
    ADDITIVE: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments; gates and the release say what counts."""
        self._needs_driver = context.gates.enabled_if_known(_SCALING_GATE)
        self._by_choice = context.rules.volumes.missing_driver_by_choice
        self._only_if_listed = context.rules.volumes.lists_migrated_plugins

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when a volume is let go, a limit rises, or the claim appears."""
        return (
            HintRegistration(ClusterEvent("CSINode", Action.ADD)),
            HintRegistration(
                ClusterEvent("CSINode", Action.UPDATE_OTHER), is_schedulable_after_csi_node_update
            ),
            HintRegistration(
                ClusterEvent("AssignedPod", Action.DELETE), is_schedulable_after_pod_deleted
            ),
            HintRegistration(
                ClusterEvent("PersistentVolumeClaim", Action.ADD),
                is_schedulable_after_claim_added,
            ),
            HintRegistration(
                ClusterEvent("VolumeAttachment", Action.DELETE),
                is_schedulable_after_attachment_deleted,
            ),
        )

    def pre_filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView
    ) -> PreFilterResult:
        """Skip pods without volumes that count."""
        return PreFilterResult(SUCCESS if has_counted_volumes(pod) else SKIP)

    def sign_pod(self, pod: PodInfo) -> Hashable:
        """Return the volumes, whatever they are called."""
        return pod.volume_sources

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        """Pass nodes that have room for all volumes that the pod adds."""
        wanted = np.arange(cluster.nodes.size, dtype=np.intp)[rows]
        if _missing_claim(cluster.storage, pod) is not None:
            return np.zeros(len(wanted), dtype=np.bool_)
        look = _Look(self, cluster, pod)
        if look.passes_everywhere:
            return np.ones(len(wanted), dtype=np.bool_)
        return np.fromiter(
            (look.refusal(row) is None for row in wanted.tolist()), np.bool_, len(wanted)
        )

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        """Say whether there is no room, or the driver is not there at all."""
        missing = _missing_claim(cluster.storage, pod)
        if missing is not None:
            return (Refusal(rows, missing),)
        look = _Look(self, cluster, pod)
        by_status: dict[Status, list[int]] = {}
        for row in rows.tolist():
            by_status.setdefault(look.refusal(row) or _TOO_MANY, []).append(row)
        return [
            Refusal(np.array(refused, dtype=np.intp), status)
            for status, refused in by_status.items()
        ]

    def driver_is_missing(self, storage: Storage, driver: str, node: CSINodeInfo | None) -> bool:
        """Return whether pods must stay off a node because a driver is not installed there."""
        known = storage.csi_driver(driver) if self._needs_driver else None
        if known is None or (self._by_choice and not known.needed_on_node):
            return False
        return node is None or all(name != driver for name, _ in node.drivers)

    @property
    def only_if_listed(self) -> bool:
        """Whether CSINodes must list the plugins that are migrated."""
        return self._only_if_listed


class _Look:
    """One pod's look at nodes; what does not depend on the node is worked out once."""

    def __init__(self, plugin: NodeVolumeLimits, cluster: ClusterView, pod: PodInfo) -> None:
        self._plugin = plugin
        self._names = cluster.nodes.names
        self._storage = cluster.storage
        self._volumes = counted_volumes(cluster.storage, pod)
        self._plain = all(not volume.plugin for volume in self._volumes)
        self._new = self._on(None)

    @property
    def passes_everywhere(self) -> bool:
        """Whether there is nothing to compare: no volume counts, or no driver is known."""
        if not self._volumes:
            return True
        return not self._storage.csi_nodes() and not any(
            self._plugin.driver_is_missing(self._storage, volume.driver, None)
            for volume in self._volumes
        )

    def refusal(self, row: int) -> Status | None:
        """Return why a node is refused, or ``None`` if it is not."""
        name = self._names[row]
        node = self._storage.csi_node(name)
        new = self._new if self._plain else self._on(node)
        asked = Counter(driver for driver, _ in new)
        for driver in sorted(asked):
            if self._plugin.driver_is_missing(self._storage, driver, node):
                return unschedulable(f"{driver} CSI driver is not installed on the node")
        limits = {} if node is None else _limits(node)
        if self._surely_fits(name, asked, limits):
            return None
        used = self._used(name, node)
        added = Counter(driver for driver, handle in new if (driver, handle) not in used)
        # A volume that is attached already, but whose pods are all gone, still takes a place.
        counts = used | attached_volumes(self._storage, name)
        counted = Counter(driver for driver, _ in counts)
        over = any(counted[d] + n > limits[d] for d, n in added.items() if d in limits)
        return _TOO_MANY if over else None

    def _surely_fits(
        self, name: NodeName, asked: Mapping[str, int], limits: Mapping[str, int]
    ) -> bool:
        """Return whether there is room even if every volume on the node is of one driver."""
        room = min((limits[d] - count for d, count in asked.items() if d in limits), default=None)
        if room is None:
            return True
        storage = self._storage
        most = sum(len(user.volumes) for user in storage.volume_users(name))
        return most + len(storage.attachments(name)) <= room

    def _used(self, name: NodeName, node: CSINodeInfo | None) -> set[tuple[str, str]]:
        used: set[tuple[str, str]] = set()
        for user in self._storage.volume_users(name):
            volumes = counted_volumes(self._storage, user)
            used |= on_node(volumes, node, only_if_listed=self._plugin.only_if_listed)
        return used

    def _on(self, node: CSINodeInfo | None) -> set[tuple[str, str]]:
        return on_node(self._volumes, node, only_if_listed=self._plugin.only_if_listed)


def _limits(node: CSINodeInfo) -> dict[str, int]:
    return {driver: count for driver, count in node.drivers if count is not None}


def _missing_claim(storage: Storage, pod: PodInfo) -> Status | None:
    for volume in pod.volumes:
        if volume.claim is not None and storage.seen_claim(pod.namespace, volume.claim) is None:
            return unresolvable(
                f"looking up PVC {pod.namespace}/{volume.claim}: "
                f'persistentvolumeclaim "{volume.claim}" not found'
            )
    return None
