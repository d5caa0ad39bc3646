"""What one search leaves for the next pod that is just like its own: ranked nodes, as a value.

Opportunistic batching (KEP-5598): if pods of one signature follow each other closely, the
ranking made for the first is used for the others, one node after the other. The loop gives
the value to ``decide`` and takes the next one out of the decision. Pure.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Final, Literal

import msgspec
import numpy as np

from kubegang.api.profile import SchedulerProfile
from kubegang.scheduler.framework.entities import QueuedEntity, members_of
from kubegang.scheduler.framework.nodetable import IntArray, RowArray
from kubegang.scheduler.framework.pods import NodeName

AttemptResult = Literal["no_hint", "hint_used", "hint_not_used"]

FlushReason = Literal[
    "pod_skipped",
    "pod_nominated",
    "pod_incompatible",
    "expired",
    "node_missing",
    "node_not_full",
    "prescore_error",
    "empty_list",
    "pod_not_batchable",
]
"""Why a ranking could not be used, or none could be kept; kube-scheduler's names."""

_GATE: Final = "OpportunisticBatching"

GONE: Final = -1
"""The total score of a node that is not in the ranking any more."""


class RankedNodes(msgspec.Struct, frozen=True, eq=False):  # noqa: PLW1641 - of no use as a key
    """The feasible nodes of a full search, with what is needed to rank them anew.

    Attributes:
        table: the names of all nodes by row, as they were.
        rows: of the nodes; each name is ``table[row]``.
        totals: their scores, ``GONE`` for those that were taken.
        plain: the part of the scores that needs no comparison of nodes.
        compared: scores by plugin as they are before nodes are compared.
    """

    table: tuple[NodeName, ...]
    rows: RowArray
    totals: IntArray
    plain: IntArray
    compared: Mapping[str, IntArray]

    def __eq__(self, other: object) -> bool:
        """Return whether all names and numbers are equal; arrays do not say so by themselves."""
        return (
            isinstance(other, RankedNodes)
            and self.table == other.table
            and np.array_equal(self.rows, other.rows)
            and np.array_equal(self.totals, other.totals)
            and np.array_equal(self.plain, other.plain)
            and self.compared.keys() == other.compared.keys()
            and all(
                np.array_equal(raw, other.compared[name]) for name, raw in self.compared.items()
            )
        )

    def name_at(self, position: int) -> NodeName:
        """Return the name of a node."""
        return self.table[int(self.rows[position])]


class Batch(msgspec.Struct, frozen=True):
    """What is kept from pod to pod; per scheduler profile, and empty at first.

    Attributes:
        cycle: the cycle in which a node was chosen last.
        node: that node.
        position: where that node stands in ``ranked``.
        signature: of the pods for which ``ranked`` is good.
        made: when the full search was, seconds since the epoch.
        ranked: the nodes, if any were kept.
        left: how many of them are not taken.
    """

    cycle: int = 0
    node: NodeName = NodeName("")
    position: int = 0
    signature: Hashable = None
    made: float = 0.0
    ranked: RankedNodes | None = None
    left: int = 0


class BatchReport(msgspec.Struct, frozen=True):
    """How often batching worked within one decision, and why not.

    Attributes:
        attempts: by result.
        flushes: by reason.
        rescored: how often a node was ranked anew.
    """

    attempts: Mapping[AttemptResult, int]
    flushes: Mapping[FlushReason, int]
    rescored: int = 0


def first_batch(profile: SchedulerProfile) -> Batch | None:
    """Return what a profile begins with; ``None`` if batching is turned off."""
    return Batch() if profile.gates.enabled_if_known(_GATE) else None


def pops_of(entity: QueuedEntity, profile: SchedulerProfile) -> int:
    """Return how many times something is taken out of the queue for one attempt.

    A group is one entry of the queue in 1.37; 1.36 takes its members out one by one, which
    counts for what "the next cycle" is (measured on 1.36.3).
    """
    return len(members_of(entity)) if profile.group_cycle == "popped-by-member" else 1
