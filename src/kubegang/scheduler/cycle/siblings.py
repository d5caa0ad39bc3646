"""Which members of the group stand where, beyond the state from which counting began. Pure."""

from __future__ import annotations

from typing import Final

import numpy as np

from kubegang.scheduler.framework.nodetable import BoolArray

Siblings = tuple[int, ...]
"""How many members of each kind stand on a node; the kinds by number."""

NO_SIBLINGS: Final[Siblings] = ()


class Standing:
    """Members by node.

    Attributes:
        by_row: only nodes where somebody stands.
        crowded: the same as a mask.
    """

    __slots__ = ("by_row", "crowded")

    def __init__(self) -> None:
        self.by_row: dict[int, Siblings] = {}
        self.crowded: BoolArray = np.zeros(0, dtype=np.bool_)

    def clear(self, size: int) -> None:
        """Begin with nobody on so many nodes."""
        self.by_row.clear()
        self.crowded = np.zeros(size, dtype=np.bool_)

    def on(self, row: int) -> Siblings:
        """Return who stands on a node."""
        return self.by_row.get(row, NO_SIBLINGS)

    def change(self, row: int, kind: int, by: int) -> None:
        """Add members of a kind to a node, or take some away."""
        counts = list(self.on(row))
        counts += [0] * (kind + 1 - len(counts))
        counts[kind] += by
        while counts and not counts[-1]:
            counts.pop()
        if counts:
            self.by_row[row] = tuple(counts)
        else:
            del self.by_row[row]
        self.crowded[row] = bool(counts)


def count_of(siblings: Siblings, kind: int) -> int:
    """Return how many members of one kind there are among them."""
    return siblings[kind] if kind < len(siblings) else 0
