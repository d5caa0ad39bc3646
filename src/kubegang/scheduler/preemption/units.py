"""Victim units: what preemption takes whole or not at all, and which of them matter more.

A pod is a unit of its own. A group whose disruption mode is ``all`` is one unit with its
members on all nodes; of a pod's groups, one above the other, the highest such takes all below
it along. For a member of a group the group's priority counts, in both modes, and in a tree
that of the topmost group (KEP-5710, KEP-6012; measured on 1.37.2). Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, Literal

import msgspec

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo, PodUid

NOT_STARTED: Final = math.inf
"""Starts later than every pod that has started."""

UnitKind = Literal["pod", "group", "composite"]
"""A member of a group is of kind ``group`` even where it is a unit of its own."""

_RANKS: Final = {"pod": 1, "group": 2, "composite": 3}


class VictimUnit(msgspec.Struct, frozen=True, eq=False, gc=False):
    """Pods that go together.

    Attributes:
        pods: at least one.
        started: when the first of them started.
        found: the place among the units of one search; the earlier one matters more where
            nothing else decides. Upstream takes the present for the start of a pod that has
            none, which comes to the same.
    """

    kind: UnitKind
    priority: int
    pods: tuple[PodInfo, ...]
    started: float
    found: int

    @property
    def importance(self) -> tuple[int, int, int, float, int]:
        """Sort by it for the most important first: priority, kind, size, age."""
        return (-self.priority, -_RANKS[self.kind], -len(self.pods), self.started, self.found)

    @property
    def is_group(self) -> bool:
        """Whether evicting it disrupts a pod group."""
        return self.kind != "pod"


def find_units(
    cluster: ClusterView,
    rows: Iterable[int],
    *,
    below: int,
    by_group: bool,
    members_alone: bool = False,
) -> list[VictimUnit]:
    """Return the units with a pod on some nodes, in the order of nodes and pods.

    Args:
        cluster: where to look.
        rows: the nodes.
        below: only units of lower priority.
        by_group: whether pod groups exist; else every pod stands for itself.
        members_alone: a member that is a unit of its own has its own priority (1.36), not
            its group's.
    """
    units: list[VictimUnit] = []
    taken: set[PodUid] = set()
    for row in rows:
        for pod in cluster.pods_on(row):
            if pod.uid in taken:
                continue
            groups = _groups_of(cluster, pod) if by_group else ()
            whole = _taken_whole(groups)
            own = not groups or (members_alone and whole is None)
            priority = pod.priority if own else groups[-1].priority
            if priority >= below:
                continue
            pods: Sequence[PodInfo] = (pod,)
            kind: UnitKind = "group" if by_group and pod.pod_group is not None else "pod"
            if whole is not None:
                # Groups that name each other as parents may both claim a pod.
                members = cluster.scheduled_members(whole.key)
                pods = [member for member in members if member.uid not in taken]
                taken.update(member.uid for member in pods)
                kind = "composite" if whole.is_composite else "group"
            units.append(make_unit(kind, priority, pods, found=len(units)))
    return units


def make_unit(kind: UnitKind, priority: int, pods: Sequence[PodInfo], *, found: int) -> VictimUnit:
    """Return a unit of these pods."""
    started = min(NOT_STARTED if pod.started is None else pod.started for pod in pods)
    return VictimUnit(kind, priority, tuple(pods), started, found)


def by_importance(units: Iterable[VictimUnit]) -> list[VictimUnit]:
    """Return units in order, the most important first."""
    return sorted(units, key=_importance)


def _importance(unit: VictimUnit) -> tuple[int, int, int, float, int]:
    return unit.importance


def _groups_of(cluster: ClusterView, pod: PodInfo) -> Sequence[PodGroupInfo]:
    """Return the groups that a pod belongs to, the lowest first, as far as they are known."""
    return () if pod.pod_group is None else cluster.lineage(pod.pod_group)


def _taken_whole(groups: Sequence[PodGroupInfo]) -> PodGroupInfo | None:
    """Return the highest group that goes whole or not at all."""
    return next((group for group in reversed(groups) if group.disruption_mode == "all"), None)
