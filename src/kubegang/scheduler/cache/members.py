"""Which pods name a pod group, and how many of them are how far.

A group's members are counted whether or not its object exists: the quorum is about pods
that exist, not about pods that fit. Finished pods do not count. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from kubegang.scheduler.cache.states import PodState
from kubegang.scheduler.framework.pods import PodGroupKey, PodUid


class MemberCounts(NamedTuple):
    """How far a group's members are.

    Attributes:
        known: all that exist and are not finished.
        assumed: those that were given a node which the API has not confirmed.
        assigned: those that are bound.
    """

    known: int
    assumed: int
    assigned: int


@dataclass(slots=True)
class _Members:
    states: dict[PodUid, PodState] = field(default_factory=dict)
    assumed: int = 0
    assigned: int = 0


class GroupMembers:
    """Counts members as they change state."""

    def __init__(self) -> None:
        self._groups: dict[PodGroupKey, _Members] = {}

    def note(self, key: PodGroupKey, uid: PodUid, state: PodState) -> None:
        """Note the new state of a member; ``NOWHERE`` takes it out."""
        members = self._groups.setdefault(key, _Members())
        old = members.states.pop(uid, PodState.NOWHERE)
        members.assumed += (state is PodState.ASSUMED) - (old is PodState.ASSUMED)
        members.assigned += (state is PodState.BOUND) - (old is PodState.BOUND)
        if state is not PodState.NOWHERE:
            members.states[uid] = state
        elif not members.states:
            del self._groups[key]

    def counts(self, key: PodGroupKey) -> MemberCounts:
        """Return how far a group's members are."""
        members = self._groups.get(key)
        if members is None:
            return MemberCounts(0, 0, 0)
        return MemberCounts(len(members.states), members.assumed, members.assigned)
