"""Trying suppositions, and the least number of something that helps. Pure."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from kubegang.scheduler.cycle.decision import EvictPod
from kubegang.scheduler.cycle.findings import Findings
from kubegang.tools.cluster.edits import Edit
from kubegang.tools.explaining.case import Case, case_of, has_started
from kubegang.tools.explaining.report import Change
from kubegang.tools.rehearsal.stage import Outcome

T = TypeVar("T")

WORK: Final = 150_000
"""Nodes looked at by all attempts together; the fewer nodes, the more is tried."""

FEWEST_ATTEMPTS: Final = 12
ROOM_COSTS: Final = 4
"""An attempt that may evict others counts as so many."""

MOST_SUBSETS: Final = 64


class Found(NamedTuple):
    """A change that helps, and what it is on the stage."""

    change: Change
    edits: tuple[Edit, ...]


class Search:
    """Attempts at one case, each with something supposed.

    Attributes:
        case: what is to start.
        base: supposed in every attempt: what must be done in any case.
        prefix: the same in words, before what else is to be done.
    """

    def __init__(self, case: Case) -> None:
        self.case = case
        self.base: tuple[Edit, ...] = ()
        self.prefix = ""
        nodes = max(case.stage.snapshot.nodes.size, 1)
        self._left = max(WORK // (nodes * max(len(case.waiting), 1)), FEWEST_ATTEMPTS)
        self.is_complete = True

    def helps(self, edits: Sequence[Edit], *, makes_room: bool = False) -> bool:
        """Return whether it starts (or has others evicted so that it can) with these edits."""
        if self._left <= 0:
            self.is_complete = False
            return False
        outcome = self.outcome(edits, makes_room=makes_room)
        return has_started(self.case.key, outcome) or (makes_room and evicts(outcome))

    def outcome(
        self,
        edits: Sequence[Edit],
        *,
        makes_room: bool = False,
        findings: Findings | None = None,
    ) -> Outcome:
        """Return what would become of it with these edits."""
        self._left -= ROOM_COSTS if makes_room else 1
        stage = self.case.stage
        with stage.supposing((*self.base, *edits)):
            return stage.outcome(self.case.key, makes_room=makes_room, findings=findings)

    def build_on(self, change: Change, edits: Sequence[Edit]) -> None:
        """Suppose a change from now on that is needed, but not enough."""
        self.base = (*self.base, *edits)
        self.prefix = f"{self.prefix}, {change.message}" if self.prefix else change.message
        stage = self.case.stage
        with stage.supposing(self.base):
            self.case = case_of(stage, self.case.key)

    def found(self, change: Change, edits: Sequence[Edit]) -> Found:
        """Return a change that helps, together with what must be done in any case."""
        if self.prefix:
            change = Change(
                kind=change.kind,
                size=change.size,
                smallest=change.smallest,
                message=f"{self.prefix}, and {change.message}",
            )
        return Found(change, (*self.base, *edits))


def evicts(outcome: Outcome) -> bool:
    """Return whether others would be evicted."""
    return any(isinstance(i, EvictPod) for d in outcome.decisions for i in d.instructions)


def least(most: int, helps: Callable[[int], bool]) -> int | None:
    """Return the least number from 1 to ``most`` that helps, if more never helps less."""
    if most < 1 or not helps(most):
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        if helps(middle):
            high = middle
        else:
            low = middle
    return high


def smallest_subset(
    items: Sequence[T], helps: Callable[[Sequence[T]], bool]
) -> tuple[Sequence[T], bool] | None:
    """Return the fewest items that help together, and whether fewer were proven not to.

    Where there are too many choices, the first items count as the best ones.
    """
    if not items or not helps(items):
        return None
    for size in range(1, len(items)):
        if math.comb(len(items), size) > MOST_SUBSETS:
            number = least(len(items), lambda k: helps(items[:k])) or len(items)
            return items[:number], number == 1
        for subset in itertools.combinations(items, size):
            if helps(subset):
                return subset, True
    return items, True
