"""Equal parts of pods and nodes, one object each.

A hundred thousand pods of twenty shapes stay small, and equal parts compare fast. Pure.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable
from typing import TypeVar, cast

PartT = TypeVar("PartT", bound=Hashable)


def interned(kind: str, part: PartT) -> PartT:
    """Return the first part of its kind that was equal to this one."""
    return cast(PartT, _first_equal(kind, part))


@functools.lru_cache(maxsize=16384)
def _first_equal(kind: str, part: Hashable) -> Hashable:
    # Named tuples of different kinds may be equal, hence the kind.
    return part
