"""What each node could do about a pod's claims: one pass over all nodes. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.nodetable import BoolArray
from kubegang.scheduler.framework.storage import CapacityInfo, ClaimInfo, VolumeInfo
from kubegang.scheduler.plugins.volumebinding.claims import PodClaims
from kubegang.scheduler.plugins.volumebinding.matching import ClaimMatch, match_claim
from kubegang.scheduler.plugins.volumebinding.migrated import reachable
from kubegang.scheduler.plugins.volumebinding.provisioning import Provision, provision
from kubegang.scheduler.plugins.volumebinding.reach import Reach


class Choice(NamedTuple):
    """What is to be done about the waiting claims on one node.

    Attributes:
        bindings: claims with the volumes that they get.
        provisions: claims for which volumes are to be made, with the room found for them.
    """

    bindings: tuple[tuple[ClaimInfo, VolumeInfo], ...] = ()
    provisions: tuple[tuple[ClaimInfo, CapacityInfo | None], ...] = ()


class Prospects:
    """The answers for all nodes.

    Attributes:
        out_of_reach: a bound volume cannot be reached from the node.
        volume_missing: the volume of a bound claim does not exist.
        nothing_to_bind: a waiting claim finds no volume, and none can be made for it.
        no_room: there is no room to make a volume.
    """

    def __init__(self, cluster: ClusterView, claims: PodClaims, *, reach: Reach) -> None:
        size = cluster.nodes.size
        self._cluster = cluster
        self._reach = reach
        self._matches: list[ClaimMatch] = []
        self._selected: list[Provision] = []
        self._provisions: dict[str, Provision] = {}
        self.out_of_reach = np.zeros(size, dtype=np.bool_)
        self.volume_missing = np.zeros(size, dtype=np.bool_)
        self.nothing_to_bind = np.zeros(size, dtype=np.bool_)
        self.no_room = np.zeros(size, dtype=np.bool_)
        self._look_at_bound(claims.bound)
        self._look_at_waiting(claims.waiting)

    @property
    def passed(self) -> BoolArray:
        """Whether each node will do."""
        refused = self.out_of_reach | self.volume_missing | self.nothing_to_bind | self.no_room
        return ~refused

    def choice(self, row: int) -> Choice:
        """Return what is to be done if the pod gets this node."""
        bindings: list[tuple[ClaimInfo, VolumeInfo]] = []
        provisions = [(p.claim, p.capacity_on(row)) for p in self._selected]
        for match in self._matches:
            volume = match.on(row)
            if volume is not None:
                bindings.append((match.claim, volume))
            else:
                made = self._provisions[match.claim.name]
                provisions.append((made.claim, made.capacity_on(row)))
        return Choice(tuple(bindings), tuple(provisions))

    def _look_at_bound(self, claims: Sequence[ClaimInfo]) -> None:
        """Note the first problem per node, in the order of the claims."""
        fine = np.ones(self._cluster.nodes.size, dtype=np.bool_)
        for claim in claims:
            volume = self._cluster.storage.volume(claim.volume_name)
            if volume is None:
                self.volume_missing |= fine
                return
            reached = reachable(self._cluster, volume, reach=self._reach)
            self.out_of_reach |= fine & ~reached
            fine &= reached

    def _look_at_waiting(self, claims: Sequence[ClaimInfo]) -> None:
        table = self._cluster.nodes
        left = np.ones(table.size, dtype=np.bool_)
        selected = [claim for claim in claims if claim.selected_node is not None]
        for claim in selected:
            there = np.zeros(table.size, dtype=np.bool_)
            row = table.row(claim.selected_node) if claim.selected_node else None
            if row is not None:
                there[row] = True
            left &= there
        self.nothing_to_bind |= ~left
        # The smallest first, so that no claim takes a volume that a larger one needs.
        others = sorted((c for c in claims if c.selected_node is None), key=_requested)
        for claim in others:
            self._matches.append(self._match(claim))
        for claim in selected:
            made = self._provision(claim)
            self._selected.append(made)
            left = self._require(made, left, needed=left)
        for match in self._matches:
            needed = left & (match.choice < 0)
            if needed.any():
                made = self._provisions[match.claim.name] = self._provision(match.claim)
                left = self._require(made, left, needed=needed)

    def _match(self, claim: ClaimInfo) -> ClaimMatch:
        return match_claim(
            claim,
            self._cluster.storage.volumes_of_class(claim.storage_class),
            table=self._cluster.nodes,
            reach=self._reach,
            before=self._matches,
        )

    def _provision(self, claim: ClaimInfo) -> Provision:
        return provision(claim, storage=self._cluster.storage, table=self._cluster.nodes)

    def _require(self, made: Provision, left: BoolArray, *, needed: BoolArray) -> BoolArray:
        """Note where a volume that must be made cannot; return the nodes still in question."""
        impossible = needed & ~made.possible
        crowded = needed & made.possible & ~made.has_room
        self.nothing_to_bind |= impossible
        self.no_room |= crowded
        return left & ~impossible & ~crowded


def _requested(claim: ClaimInfo) -> int:
    return claim.requested or 0
