"""Finding volumes that are there for claims that wait: for all nodes at once. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kubegang.scheduler.framework.labelselection import selects
from kubegang.scheduler.framework.nodetable import BoolArray, IntArray, NodeTable, RowArray
from kubegang.scheduler.framework.storage import ClaimInfo, VolumeInfo
from kubegang.scheduler.plugins.volumebinding.reach import Reach

_NONE = -1


class ClaimMatch(NamedTuple):
    """The volumes that a claim could have.

    Attributes:
        volumes: the smallest first.
        choice: per node the position of the volume that the claim would get there, or -1.
    """

    claim: ClaimInfo
    volumes: Sequence[VolumeInfo]
    choice: IntArray

    def on(self, row: int) -> VolumeInfo | None:
        """Return the volume on a node, or ``None``."""
        position = int(self.choice[row])
        return None if position == _NONE else self.volumes[position]


def match_claim(
    claim: ClaimInfo,
    volumes: Sequence[VolumeInfo],
    *,
    table: NodeTable,
    reach: Reach,
    before: Sequence[ClaimMatch],
) -> ClaimMatch:
    """Return what a claim would get on each node: the smallest volume that will do.

    Args:
        claim: it has no volume yet.
        volumes: those of its class.
        table: the nodes.
        reach: knows from where volumes can be reached.
        before: what other claims of the pod would get; nothing is given twice.
    """
    candidates = _candidates(claim, volumes)
    choice = np.full(table.size, _NONE, dtype=np.int64)
    for positions, rows in _stretches(candidates, table, reach):
        free = (choice[rows] == _NONE) & ~_taken(candidates, positions, rows, before)
        served, first = np.unique(rows[free], return_index=True)
        choice[served] = positions[free][first]
        if not (choice == _NONE).any():
            break
    return ClaimMatch(claim, candidates, choice)


def _candidates(claim: ClaimInfo, volumes: Sequence[VolumeInfo]) -> list[VolumeInfo]:
    """Return the volumes that will do, the smallest first; one promised to the claim alone."""
    possible = [volume for volume in volumes if _may_have(claim, volume)]
    promised = [volume for volume in possible if volume.claim is not None]
    if promised:
        return promised[:1]
    free = [volume for volume in possible if _is_free_for(claim, volume)]
    return sorted(free, key=_size)


def _size(volume: VolumeInfo) -> int:
    return volume.capacity


def _may_have(claim: ClaimInfo, volume: VolumeInfo) -> bool:
    return (
        (volume.claim is None or volume.claim.means(claim))
        and volume.capacity >= (claim.requested or 0)
        and volume.volume_mode == claim.volume_mode
        and volume.attributes_class == claim.attributes_class
        and not volume.terminating
    )


def _is_free_for(claim: ClaimInfo, volume: VolumeInfo) -> bool:
    if not volume.available or not set(claim.access_modes) <= set(volume.access_modes):
        return False
    return claim.selector is None or selects(claim.selector, volume.labels)


def _stretches(
    candidates: Sequence[VolumeInfo], table: NodeTable, reach: Reach
) -> Iterator[tuple[IntArray, RowArray]]:
    """Yield positions of candidates with rows from which they can be reached, in their order.

    In stretches, so that neither many small demands nor a few wide ones cost much.
    """
    everywhere = np.arange(table.size, dtype=np.intp)
    positions: list[int] = []
    found: list[RowArray] = []
    total = 0
    for position, volume in enumerate(candidates):
        terms = volume.node_terms
        rows = everywhere if terms is None else reach.rows(table, terms)
        positions.append(position)
        found.append(rows)
        total += len(rows)
        if total > table.size or position == len(candidates) - 1:
            lengths = [len(rows) for rows in found]
            repeated = np.repeat(np.array(positions, dtype=np.int64), lengths)
            yield repeated, np.concatenate(found)
            positions, found, total = [], [], 0


def _taken(
    candidates: Sequence[VolumeInfo],
    positions: IntArray,
    rows: RowArray,
    before: Sequence[ClaimMatch],
) -> BoolArray:
    """Return whether each of the candidates is given to an earlier claim on its node."""
    taken = np.zeros(len(rows), dtype=np.bool_)
    for match in before:
        place = {volume.name: position for position, volume in enumerate(match.volumes)}
        theirs = np.array([place.get(volume.name, -2) for volume in candidates], dtype=np.int64)
        taken |= match.choice[rows] == theirs[positions]
    return taken
