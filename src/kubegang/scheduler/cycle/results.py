"""What became of groups that were tried: their pods, and for composites their child groups.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kubegang.scheduler.cycle.decision import PodDiagnosis
from kubegang.scheduler.framework.cluster import Assignment, Placement
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo
from kubegang.scheduler.framework.status import Code, Status

GROUP_UNSCHEDULABLE = "pod group is unschedulable"
"""The cause behind every status of a group that found no room."""


class MemberResult(msgspec.Struct, frozen=True):
    """What became of one pod.

    Attributes:
        status: success: it has a place in this trial.
        node: that place, else empty.
        message: what kube-scheduler says if it has none.
        plugins: whose refusals they were.
        diagnosis: the same for people.
        state: the notes of its attempt, if it has a place.
    """

    pod: PodInfo
    status: Status
    node: NodeName = NodeName("")
    row: int = -1
    message: str = ""
    plugins: tuple[str, ...] = ()
    diagnosis: PodDiagnosis | None = None
    state: CycleState | None = None


class PlacementResult(msgspec.Struct, frozen=True):
    """What became of a group on one placement.

    Attributes:
        status: success: the minimum is reached.
        members: the pods that were tried, in order; with a status other than success there
            may be fewer than the group has. Empty for a composite.
        children: the child groups that were tried, in order. Empty for a pod group.
    """

    placement: Placement
    status: Status
    members: tuple[MemberResult, ...] = ()
    children: tuple[GroupResult, ...] = ()

    def fitting(self) -> Iterator[MemberResult]:
        """Yield the pods that have a place, apart from those of child groups that failed."""
        for member in self.members:
            if member.node:
                yield member
        for child in self.children:
            if child.result.status.is_success:
                yield from child.result.fitting()

    def everyone(self) -> Iterator[MemberResult]:
        """Yield all pods that were tried, in order, those of child groups that failed too."""
        yield from self.members
        for child in self.children:
            yield from child.result.everyone()

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        """Who would go where: those that are fitting."""
        return tuple(Assignment(member.pod, member.row) for member in self.fitting())


class GroupResult(msgspec.Struct, frozen=True):
    """What became of a group.

    Attributes:
        result: on the best placement; if none holds the group, on the first.
        tried: how many placements there were.
    """

    group: PodGroupInfo
    result: PlacementResult
    tried: int


def none_available(first: Status, tried: int) -> str:
    """Return the text of a group that none of the placements holds."""
    return f"0/{tried} placements are available, first placement status: {first.as_error}"


def group_unschedulable(*reasons: str) -> Status:
    """Return the status of a group that found no room."""
    return Status(Code.UNSCHEDULABLE, reasons, cause=GROUP_UNSCHEDULABLE)
