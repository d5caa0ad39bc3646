"""Ranges of sizes and costs: the least and the most that something can be. Pure."""

from __future__ import annotations

from math import ceil
from typing import Final, NamedTuple

MOST: Final = 2**64 - 1


class Range(NamedTuple):
    """The least and the most of a size or a cost."""

    least: int
    most: int

    def plus(self, other: Range) -> Range:
        """Return the sum."""
        return Range(min(self.least + other.least, MOST), min(self.most + other.most, MOST))

    def times(self, other: Range) -> Range:
        """Return the product."""
        return Range(min(self.least * other.least, MOST), min(self.most * other.most, MOST))

    def scaled(self, factor: float) -> Range:
        """Return the product with a factor, rounded up."""
        return Range(_scaled(self.least, factor), _scaled(self.most, factor))

    def union(self, other: Range) -> Range:
        """Return the range that holds both."""
        return Range(min(self.least, other.least), max(self.most, other.most))


def _scaled(value: int, factor: float) -> int:
    result = ceil(float(value) * factor)
    return result if result < MOST else MOST


UNKNOWN: Final = Range(0, MOST)
NOTHING: Final = Range(0, 0)
ONE: Final = Range(1, 1)
