"""The places where a pending pod can be, and the moves between them.

Every pending pod is in exactly one place. An ordinary pod is an entity of its own; a member
shares the place of its group's entity, which for a group in a tree is the root, except while
its group or one above it is unknown (incomplete) or is being decided about (pending).
``nowhere`` is outside the queue: not yet seen, being bound, bound, or gone. "Its PodGroup"
stands for every group above the pod.

    nowhere -> active: added; or its binding failed
    nowhere -> backoff: it joins a group that backs off; or its binding failed
    nowhere -> gated: added, but a plugin holds it or one of its group
    nowhere -> incomplete: added, but its PodGroup is unknown
    nowhere -> pending: added while its group is in flight
    active -> in-flight: popped
    active -> gated: a member joined or left, and a plugin now holds the group
    active -> incomplete: its PodGroup was deleted
    active -> nowhere: deleted, or bound by somebody else
    backoff -> active: the backoff is over
    backoff -> in-flight: popped early, as nothing else was to be done
    backoff -> gated: a member joined or left, and a plugin now holds the group
    backoff -> incomplete: its PodGroup was deleted
    backoff -> nowhere: deleted, or bound by somebody else
    unschedulable -> active: something happened that may help; or five minutes passed
    unschedulable -> backoff: the same, but its backoff is not over
    unschedulable -> gated: the same, but a plugin holds it now
    unschedulable -> nowhere: deleted, or bound by somebody else
    gated -> active: no plugin holds it any more
    gated -> backoff: the same, but its backoff is not over
    gated -> incomplete: its PodGroup was deleted
    gated -> nowhere: deleted, or bound by somebody else
    incomplete -> active: its PodGroup appeared
    incomplete -> backoff: its PodGroup appeared, and the group backs off
    incomplete -> gated: its PodGroup appeared, but a plugin holds the group
    incomplete -> pending: its PodGroup appeared while the group is in flight
    incomplete -> nowhere: deleted, or bound by somebody else
    pending -> active: the group's attempt ended
    pending -> backoff: the group's attempt failed
    pending -> gated: the group's attempt ended, and a plugin holds the group
    pending -> incomplete: its PodGroup was deleted
    pending -> nowhere: deleted, or bound by somebody else
    in-flight -> active: the attempt failed, and there is no backoff; or its group was placed
        in part
    in-flight -> backoff: the attempt failed
    in-flight -> unschedulable: the attempt failed, and nothing happened meanwhile that helps
    in-flight -> gated: the attempt failed, and a plugin holds it now
    in-flight -> incomplete: the attempt failed, and its PodGroup is gone
    in-flight -> nowhere: being bound, skipped, or deleted

Only ordinary pods wait in ``unschedulable`` for events; groups are retried by the clock
alone (measured on 1.37.2). Pure.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final


class Place(enum.Enum):
    """Where a pending pod is; upstream's queue names where it has one."""

    NOWHERE = "nowhere"
    ACTIVE = "active"
    BACKOFF = "backoff"
    UNSCHEDULABLE = "unschedulable"
    GATED = "gated"
    INCOMPLETE = "incomplete"
    PENDING = "pending"
    IN_FLIGHT = "in-flight"


_LEAVES: Final = frozenset({Place.NOWHERE, Place.INCOMPLETE, Place.GATED})
_ENTERS: Final = frozenset({Place.ACTIVE, Place.BACKOFF, Place.GATED})

TRANSITIONS: Final[Mapping[Place, frozenset[Place]]] = {
    Place.NOWHERE: _ENTERS | {Place.INCOMPLETE, Place.PENDING},
    Place.ACTIVE: _LEAVES | {Place.IN_FLIGHT},
    Place.BACKOFF: _LEAVES | {Place.ACTIVE, Place.IN_FLIGHT},
    Place.UNSCHEDULABLE: _ENTERS | {Place.NOWHERE},
    Place.GATED: frozenset({Place.ACTIVE, Place.BACKOFF, Place.INCOMPLETE, Place.NOWHERE}),
    Place.INCOMPLETE: _ENTERS | {Place.PENDING, Place.NOWHERE},
    Place.PENDING: _ENTERS | {Place.INCOMPLETE, Place.NOWHERE},
    Place.IN_FLIGHT: _ENTERS | {Place.UNSCHEDULABLE, Place.INCOMPLETE, Place.NOWHERE},
}
"""Where a pod may go from each place."""
