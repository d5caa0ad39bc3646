"""Finds volumes for the claims of pods, keeps them, and waits until they are bound. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import ClassVar, Final

import numpy as np

from kubegang.scheduler.framework.arguments import decode_arguments
from kubegang.scheduler.framework.binding import NOTHING_TO_DO, PreBindPlan
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.events import (
    Action,
    ClusterEvent,
    EventResource,
    HintRegistration,
    QueueingHint,
)
from kubegang.scheduler.framework.interface import PluginContext, PreFilterResult, Refusal
from kubegang.scheduler.framework.nodetable import BoolArray, IntArray, RowArray, Rows
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import SKIP, SUCCESS, Status, failure, unresolvable
from kubegang.scheduler.framework.storageview import Storage
from kubegang.scheduler.framework.utilization import score_by_utilization
from kubegang.scheduler.plugins.volumebinding.arguments import VolumeBindingArgs
from kubegang.scheduler.plugins.volumebinding.claims import PodClaims, has_claims, pod_claims
from kubegang.scheduler.plugins.volumebinding.completion import binding_state
from kubegang.scheduler.plugins.volumebinding.hints import (
    is_schedulable_after_capacity_change,
    is_schedulable_after_claim_change,
    is_schedulable_after_class_change,
    is_schedulable_after_csi_node_change,
    is_schedulable_after_driver_change,
)
from kubegang.scheduler.plugins.volumebinding.prospects import Choice, Prospects
from kubegang.scheduler.plugins.volumebinding.reach import Reach
from kubegang.scheduler.plugins.volumebinding.reserving import (
    Reservation,
    keep,
    let_go,
    writes,
)
from kubegang.scheduler.plugins.volumebinding.scoring import score_of

_OUT_OF_REACH: Final = "node(s) didn't match PersistentVolume's node affinity"
_NOTHING_TO_BIND: Final = "node(s) didn't find available persistent volumes to bind"
_NO_ROOM: Final = "node(s) did not have enough free storage"
_VOLUME_MISSING: Final = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"

_CHANGE: Final = Action.ADD | Action.UPDATE_OTHER
_SCORING_GATE: Final = "StorageCapacityScoring"


class VolumeBinding:
    """Knows from where volumes can be reached, and where new ones can be made."""

    NAME: ClassVar[str] = "VolumeBinding"
    OWN_NODE_ONLY: ClassVar[bool] = True
    ADDITIVE: ClassVar[bool] = True

    def __init__(self, context: PluginContext) -> None:
        """Read the timeout and the shape of scores from the arguments.

        Raises:
            PluginConfigError: the arguments cannot be used.
        """
        args = decode_arguments(self.NAME, context.args, VolumeBindingArgs)
        self._timeout = float(args.bind_timeout_seconds)
        self._scores: tuple[int, ...] = ()
        if context.gates.enabled_if_known(_SCORING_GATE):
            where = f"arguments of plugin {self.NAME}: shape"
            self._scores = score_by_utilization(args.shape, where=where)
        self._reach = Reach()

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when anything comes that volumes depend on, or changes."""
        return (
            _registration("StorageClass", is_schedulable_after_class_change),
            _registration("PersistentVolumeClaim", is_schedulable_after_claim_change),
            _registration("PersistentVolume"),
            HintRegistration(ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_LABEL)),
            _registration("CSINode", is_schedulable_after_csi_node_change),
            HintRegistration(
                ClusterEvent("CSIDriver", Action.UPDATE_OTHER), is_schedulable_after_driver_change
            ),
            _registration("CSIStorageCapacity", is_schedulable_after_capacity_change),
        )

    def pre_filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView
    ) -> PreFilterResult:
        """Refuse pods with claims that must be bound first; skip those without any."""
        if not pod.volumes or not has_claims(pod):
            return PreFilterResult(SKIP)
        claims = pod_claims(cluster.storage, pod)
        if isinstance(claims, Status):
            return PreFilterResult(claims)
        state.write(self.NAME, _Notes(claims))
        return PreFilterResult(SUCCESS)

    def sign_pod(self, pod: PodInfo) -> Hashable:
        """Return the volumes, whatever they are called."""
        return pod.volume_sources

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        """Pass nodes from which all volumes can be reached, be they bound, free or to be made."""
        return self._prospects(state, cluster).passed[rows]

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        """Say everything that stands against each node."""
        return _refusals(self._prospects(state, cluster), rows)

    def pre_score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Status:
        """Skip unless there are claims, and their use of storage is to be compared."""
        return SUCCESS if self._scores and state.read(self.NAME) is not None else SKIP

    def score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> IntArray:
        """Return more, by default, for nodes with more storage left."""
        prospects = self._prospects(state, cluster)
        scores = [score_of(prospects.choice(row), self._scores) for row in rows.tolist()]
        return np.array(scores, dtype=np.int64)

    def concerns(self, pod: PodInfo) -> bool:
        """Return whether the pod has any claim; nothing is kept for others."""
        return bool(pod.volumes) and has_claims(pod)

    def reserve(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> Status:
        """Keep the volumes of the node for the pod's claims."""
        notes: _Notes | None = state.read(self.NAME)
        if notes is None or not notes.claims.waiting:
            return SUCCESS
        row = cluster.nodes.row(node)
        if row is None:
            return failure(f'node "{node}" not found')
        prospects = self._still_true(notes, row, cluster)
        if not prospects.passed[row]:
            return _refusals(prospects, np.array([row], dtype=np.intp))[0].status
        notes.kept = keep(cluster.storage, prospects.choice(row), node)
        return SUCCESS

    def unreserve(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> None:
        """Let them go."""
        notes: _Notes | None = state.read(self.NAME)
        if notes is not None and notes.kept is not None:
            let_go(cluster.storage, notes.kept)
            notes.kept = None

    def pre_bind(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> PreBindPlan:
        """Tell the API what is kept, and wait until all claims are bound."""
        notes: _Notes | None = state.read(self.NAME)
        kept = None if notes is None else notes.kept
        if kept is None:
            return NOTHING_TO_DO
        return PreBindPlan(
            writes=writes(kept),
            wait_for=partial(_binding_state, pod=pod, reservation=kept, reach=self._reach),
            timeout_seconds=self._timeout,
            timeout_message="binding volumes: context deadline exceeded",
        )

    def _prospects(self, state: CycleState, cluster: ClusterView) -> Prospects:
        notes: _Notes = state.read(self.NAME)
        now = (cluster.nodes.version, cluster.storage.version)
        if notes.prospects is None or notes.seen_at != now:
            notes.prospects = Prospects(cluster, notes.claims, reach=self._reach)
            notes.seen_at = now
        return notes.prospects

    def _still_true(self, notes: _Notes, row: int, cluster: ClusterView) -> Prospects:
        """Return what was found before, unless what a node was found good for has changed."""
        known = notes.prospects
        if known is not None and known.passed[row] and _holds(known.choice(row), cluster.storage):
            return known
        return Prospects(cluster, notes.claims, reach=self._reach)


class _Notes:
    """What is kept from one extension point to the next."""

    __slots__ = ("claims", "kept", "prospects", "seen_at")

    def __init__(self, claims: PodClaims) -> None:
        self.claims = claims
        self.prospects: Prospects | None = None
        self.seen_at = (-1, -1)
        self.kept: Reservation | None = None


def _holds(choice: Choice, storage: Storage) -> bool:
    volumes = [volume for _, volume in choice.bindings]
    claims = [claim for claim, _ in (*choice.bindings, *choice.provisions)]
    return all(storage.volume(volume.name) == volume for volume in volumes) and all(
        storage.claim(claim.namespace, claim.name) == claim for claim in claims
    )


def _refusals(prospects: Prospects, rows: RowArray) -> list[Refusal]:
    """Return everything that stands against each node."""
    against = (
        (prospects.out_of_reach[rows], _OUT_OF_REACH),
        (prospects.nothing_to_bind[rows], _NOTHING_TO_BIND),
        (prospects.no_room[rows], _NO_ROOM),
        (prospects.volume_missing[rows], _VOLUME_MISSING),
    )
    texts = [text for _, text in against]
    sums = np.zeros(len(rows), dtype=np.int64)
    for bit, (mask, _) in enumerate(against):
        sums += mask.astype(np.int64) << bit
    return [
        Refusal(rows[sums == value], _refusal(value, texts)) for value in np.unique(sums).tolist()
    ]


def _refusal(bits: int, texts: Sequence[str]) -> Status:
    return unresolvable(*(text for bit, text in enumerate(texts) if bits >> bit & 1))


def _binding_state(
    cluster: ClusterView, *, pod: PodInfo, reservation: Reservation, reach: Reach
) -> Status:
    return binding_state(cluster, pod, reservation, reach=reach)


def _registration(resource: EventResource, hint: QueueingHint | None = None) -> HintRegistration:
    return HintRegistration(ClusterEvent(resource, _CHANGE), hint)
