"""What a group's cycle found, pod group by pod group of a tree.

A pod group that found no room has a verdict of its own. One that found room, or was not tried
any more, in a composite that failed has the composite's: its places are worth nothing. That
is how kube-scheduler 1.37.2 tells leaf groups why they wait (measured). Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kubegang.scheduler.cycle.decision import PodDiagnosis
from kubegang.scheduler.cycle.results import GroupResult, MemberResult
from kubegang.scheduler.cycle.trees import PodsByGroup
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.framework.status import Status
from kubegang.scheduler.snapshot.snapshot import Snapshot


class Verdict:
    """Why a group has no room, and how many groups of the tree are told so.

    Attributes:
        tried: the group that it is about in the first place.
        groups: that one, and those below it that have no verdict of their own.
    """

    __slots__ = ("groups", "tried")

    def __init__(self, tried: GroupResult) -> None:
        self.tried = tried
        self.groups = 1

    @property
    def status(self) -> Status:
        """The reason."""
        return self.tried.result.status

    def with_room(self, room: Status) -> Status:
        """Return the reason with what post filters add to it.

        Upstream adds it once for every group that shares the reason (measured on 1.37.2).
        """
        reasons = (*self.status.reasons, *(room.message,) * self.groups)
        return Status(self.status.code, reasons, self.status.plugin, self.status.cause)


class LeafOutcome(NamedTuple):
    """What was found for one pod group.

    Attributes:
        waiting: all its pods that were to be tried, in order.
        tried: what became of them; ``None`` if they were not tried, or in vain.
        verdict: why it has no room; ``None`` if it may bind what fits.
    """

    group: PodGroupInfo
    waiting: Sequence[PodInfo]
    tried: GroupResult | None
    verdict: Verdict | None

    @property
    def results(self) -> list[MemberResult]:
        """One result per pod; those not tried, or not any more, have the group's status."""
        done = [] if self.tried is None else list(self.tried.result.members)
        left = self.waiting[len(done) :]
        if not left or self.verdict is None:
            return done
        status = self.verdict.status
        return done + [MemberResult(pod, status, message=status.message) for pod in left]

    @property
    def diagnoses(self) -> list[PodDiagnosis]:
        """Why pods without a place have none."""
        return [r.diagnosis for r in self.results if r.diagnosis is not None]


def leaf_outcomes(
    snapshot: Snapshot, root: GroupResult, waiting: PodsByGroup
) -> tuple[LeafOutcome, ...]:
    """Return what was found for every pod group of a tree, in the order of trying."""
    return tuple(_visit(snapshot, root.group, root, waiting=waiting, above=None))


def _visit(
    snapshot: Snapshot,
    group: PodGroupInfo,
    tried: GroupResult | None,
    *,
    waiting: PodsByGroup,
    above: Verdict | None,
) -> list[LeafOutcome]:
    verdict = above
    if tried is not None and not tried.result.status.is_success:
        verdict = Verdict(tried)
    elif above is not None:
        above.groups += 1
    if not group.is_composite:
        is_void = verdict is not None and verdict is above
        pods = waiting.get(group.key, ())
        return [LeafOutcome(group, pods, None if is_void else tried, verdict)]
    children = {} if tried is None else {child.group.key: child for child in tried.result.children}
    return [
        outcome
        for child in snapshot.child_groups(group.key)
        for outcome in _visit(
            snapshot, child, children.get(child.key), waiting=waiting, above=verdict
        )
    ]
