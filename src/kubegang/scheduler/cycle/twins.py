"""Nodes for members that are like members before them, without looking at every node again.

Members of a group mostly ask for the same, and between two of them only the node changed that
the first one took. Here the same answers are given as by the search that looks at all nodes:
the same sample, the same scores, the same draw among the best. What makes it possible is that
nobody but such members was placed since the base; the stamp of the node table tells. Pure.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from kubegang.scheduler.cycle.handle import SEARCHES_PER_MEMBER, CycleHandle
from kubegang.scheduler.cycle.judgements import Judgements, PodKind
from kubegang.scheduler.cycle.outlook import Outlook
from kubegang.scheduler.cycle.siblings import Standing
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.nodetable import RowArray
from kubegang.scheduler.framework.pods import PodInfo, PodUid, is_twin
from kubegang.scheduler.runtime.additive import (
    additive_parts,
    score_by_nodes,
    still_additive,
)

_MOST_KINDS: Final = 32
"""Groups of more kinds of pods are not worth it: each member is like few others."""


class _Step(NamedTuple):
    """A member that was given a node.

    Attributes:
        stamp: of the node table before it was placed.
        placed_stamp: of the node table once it is.
    """

    uid: PodUid
    kind: int
    row: int
    stamp: int
    placed_stamp: int


class Twins:
    """Which members are alike, and how nodes look to each kind of them, within one cycle."""

    def __init__(self, handle: CycleHandle) -> None:
        self._handle = handle
        self._snapshot = handle.cluster
        self._framework = handle.framework
        self._base = -1
        self._kinds: list[PodKind] = []
        self._kind_by_uid: dict[PodUid, int] = {}
        self._judgements: list[Judgements] = []
        self._asked: list[int] = []
        self._outlooks: dict[int, Outlook] = {}
        self._standing = Standing()
        self._steps: list[_Step] = []
        self._next: _Step | None = None
        self._unsuited: PodInfo | None = None

    # --- what members were given ----------------------------------------------------------

    def note(
        self, pod: PodInfo, state: CycleState, *, row: int, rows: RowArray, narrowed: bool
    ) -> None:
        """Remember a member that got a node by the search that looks at all nodes.

        Args:
            pod: the member.
            state: of its attempt.
            row: its node.
            rows: the nodes of the placement.
            narrowed: whether plugins left only some of them to look at.
        """
        self._follow()
        self._next = None
        number = self._kind_of(pod)
        if number is None and not narrowed and len(self._kinds) < _MOST_KINDS:
            number = self._add_kind(pod, state, rows)
        if number is None:
            self._unsuited = pod
        else:
            self._kind_by_uid[pod.uid] = number
            self.expect(pod, row)

    def _add_kind(self, pod: PodInfo, state: CycleState, rows: RowArray) -> int | None:
        if self._unsuited is not None and is_twin(self._unsuited, pod):
            return None
        if self._handle.leaves_room(pod):
            return None
        notes = CycleState(state.group)
        notes.adopt(state)
        notes.skip_score.clear()
        parts = additive_parts(self._framework, notes, pod=pod, cluster=self._snapshot, rows=rows)
        if parts is None:
            return None
        by_nodes = score_by_nodes(parts, notes, pod=pod, cluster=self._snapshot)
        kind = PodKind(pod, notes, parts, by_nodes)
        self._kinds.append(kind)
        self._asked.append(0)
        self._judgements.append(
            Judgements(
                self._snapshot,
                self._framework,
                kind=kind,
                kinds=self._kinds,
                standing=self._standing,
            )
        )
        return len(self._kinds) - 1

    def _kind_of(self, pod: PodInfo) -> int | None:
        number = self._kind_by_uid.get(pod.uid)
        if number is not None:
            return number
        for known in range(len(self._kinds) - 1, -1, -1):
            if is_twin(self._kinds[known].pod, pod):
                self._kind_by_uid[pod.uid] = known
                return known
        return None

    def _follow(self) -> None:
        """Find out who was placed and who was taken back since the last time."""
        stamp, step = self._snapshot.nodes.stamp, self._next
        if (
            step is not None
            and stamp == step.placed_stamp
            and self._snapshot.row_of(step.uid) == step.row
        ):
            self._take(step)
        while self._steps and self._steps[-1].placed_stamp != stamp:
            self._take_back(self._steps.pop())
        if not self._steps and stamp != self._base:
            self._begin(stamp)

    def _take(self, step: _Step) -> None:
        self._steps.append(step)
        self._next = None
        self._standing.change(step.row, step.kind, 1)

    def _take_back(self, step: _Step) -> None:
        self._standing.change(step.row, step.kind, -1)
        # Their notes of what changed are not to be trusted any more.
        self._outlooks.clear()

    def _begin(self, stamp: int) -> None:
        """Count from here on: somebody else was placed or taken away."""
        self._base = stamp
        self._kinds.clear()
        self._kind_by_uid.clear()
        self._judgements.clear()
        self._asked.clear()
        self._outlooks.clear()
        self._standing.clear(self._snapshot.nodes.size)
        self._next = None

    # --- recognising ----------------------------------------------------------------------

    def recognise(self, pod: PodInfo, rows: RowArray) -> Outlook | None:
        """Return how nodes look to a member; ``None`` if all plugins must be asked.

        Args:
            pod: a member that is placed nowhere.
            rows: the only nodes to look at, in order.
        """
        self._follow()
        number = self._kind_of(pod)
        if number is None or not self._is_worth_knowing(number, rows):
            return None
        if self._snapshot.nominations and self._handle.leaves_room(pod):
            # Who is decided about may have changed since, and with it who leaves room to whom.
            return None
        kind = self._kinds[number]
        if kind.parts.is_unsure and not still_additive(
            kind.parts, kind.state, pod=pod, cluster=self._snapshot, rows=rows
        ):
            return None
        outlook = self._outlooks.get(number)
        if outlook is None or outlook.rows is not rows:
            outlook = self._outlooks[number] = Outlook(
                rows,
                size=self._snapshot.nodes.size,
                kind=kind,
                judgements=self._judgements[number],
                steps=len(self._steps),
            )
        for step in self._steps[outlook.steps :]:
            outlook.note_change(step.row)
        outlook.steps = len(self._steps)
        return outlook

    def _is_worth_knowing(self, kind: int, rows: RowArray) -> bool:
        """Return whether so many were like this member that more will follow."""
        self._asked[kind] += 1
        in_domain = len(rows) < self._snapshot.nodes.size
        weight = SEARCHES_PER_MEMBER if in_domain else 1
        return 2 * weight * self._asked[kind] >= self._framework.compare_members_from

    def expect(self, pod: PodInfo, row: int) -> None:
        """Expect a member that was recognised to be placed next, if anybody is."""
        nodes = self._snapshot.nodes
        kind = self._kind_by_uid[pod.uid]
        self._next = _Step(pod.uid, kind, row, nodes.stamp, nodes.next_stamp)
