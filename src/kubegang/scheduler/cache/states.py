"""The states of a pod in the cache, and the changes between them.

    nowhere -> pending: seen without a node, for a profile of this scheduler
    nowhere -> bound: seen with a node
    pending -> assumed: a cycle decided on a node
    pending -> bound: seen with a node: somebody else bound it
    pending -> nowhere: deleted or finished
    assumed -> pending: the binding failed, or was never asked for
    assumed -> bound: seen with a node, usually the assumed one
    assumed -> nowhere: deleted, or being deleted
    bound -> nowhere: deleted or finished

Assumed and bound pods count on their nodes. An assumed pod never times out: the binder
knows how each binding ended, and asks where it does not. Pure.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final


class PodState(enum.Enum):
    """What the cache knows of a pod."""

    NOWHERE = "nowhere"
    PENDING = "pending"
    ASSUMED = "assumed"
    BOUND = "bound"


TRANSITIONS: Final[Mapping[PodState, frozenset[PodState]]] = {
    PodState.NOWHERE: frozenset({PodState.PENDING, PodState.BOUND}),
    PodState.PENDING: frozenset({PodState.ASSUMED, PodState.BOUND, PodState.NOWHERE}),
    PodState.ASSUMED: frozenset({PodState.PENDING, PodState.BOUND, PodState.NOWHERE}),
    PodState.BOUND: frozenset({PodState.NOWHERE}),
}
"""Where a pod may go from each state."""
