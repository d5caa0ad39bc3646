"""The course of a trace: jobs come, start when the scheduler lets them, and end. Pure.

Queue, cache and decisions are the live scheduler's own; time is a number that jumps to the
next thing due. A job runs from the moment when all its pods have a node. If one of them is
evicted, the others stop too, and the job begins anew.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final

from kubegang.scheduler.framework.pods import PodUid
from kubegang.scheduler.snapshot.table import SnapshotTable
from kubegang.tools.replaying.driven import DrivenRehearsal, Likeness
from kubegang.tools.replaying.objects import JobObjects, ObjectMaker
from kubegang.tools.replaying.trace import TraceJob

QUIET_SECONDS: Final = 1000.0
"""After so long without a change nobody starts any more: every one that waits was tried since.

Pods that wait on permit give up their nodes after five minutes (1.35); the scheduler wakes who
has rested for five minutes, and looks for them every 30 seconds.
"""

_FOREVER: Final = float("inf")


@dataclass(slots=True, eq=False)
class JobRun:
    """What became of a job; times are seconds since the trace began.

    Attributes:
        pending: its pods without a node.
        started: when it began the last time; ``None`` while it waits.
        evictions: how often it had to begin anew.
    """

    job: TraceJob
    objects: JobObjects | None = None
    pending: set[PodUid] = field(default_factory=set)
    started: float | None = None
    ended: float | None = None
    evictions: int = 0

    @property
    def wait(self) -> float | None:
        """How long it waited until it began."""
        return None if self.started is None else self.started - self.job.submitted


class Course:
    """Plays a trace; ``run`` plays it to the end.

    Attributes:
        runs: one for each job, in the order of submission.
        running, waiting: the places in ``runs`` of the jobs that do so now.
        ended: how many jobs have.
        now: seconds since the trace began.
    """

    def __init__(
        self,
        jobs: Sequence[TraceJob],
        rehearsal: Callable[[Likeness], DrivenRehearsal],
        maker: ObjectMaker,
        *,
        changed: Callable[[Course], None],
    ) -> None:
        """Prepare.

        Args:
            jobs: in the order of their submission.
            rehearsal: makes the cluster, at the moment when the trace begins, given who is
                alike.
            maker: makes the jobs' objects.
            changed: called after each moment at which something started or ended.
        """
        self.runs = [JobRun(job) for job in jobs]
        self.running: set[int] = set()
        self.waiting: set[int] = set()
        self.ended = 0
        self.now = 0.0
        self._rehearsal = rehearsal(self._likeness)
        self._maker = maker
        self._changed = changed
        self._begin = self._rehearsal.now
        self._arrived = 0
        self._ends: list[tuple[float, int, int]] = []
        self._owners: dict[PodUid, int] = {}
        self._last_change = 0.0

    @property
    def nodes(self) -> SnapshotTable:
        """What the nodes have, and what is taken of it."""
        return self._rehearsal.cache.snapshot().nodes

    def _likeness(self, uid: PodUid) -> Hashable:
        job = self.runs[self._owners[uid]].job
        requests = tuple(sorted(job.requests.items()))
        return job.pods, job.gang, requests, job.priority, job.topology_key

    def run(self) -> None:
        """Play to the end: until every job has ended, or those that are left never start."""
        while (due := self._next_due()) is not None:
            self.now = due
            self._rehearsal.advance(self._begin + due)
            is_changed = self._end_due() | self._submit_due() | self._schedule()
            if is_changed:
                self._last_change = self.now
                self._changed(self)

    def _next_due(self) -> float | None:
        ticking = self._rehearsal.next_due()
        tick = _FOREVER if ticking is None else max(ticking - self._begin, self.now)
        end = self._ends[0][0] if self._ends else _FOREVER
        coming = self.runs[self._arrived].job.submitted if self._has_more() else _FOREVER
        due = min(tick, end, coming)
        if due == _FOREVER:
            return None
        is_over = end == coming == _FOREVER and due - self._last_change > QUIET_SECONDS
        return None if is_over else due

    def _has_more(self) -> bool:
        return self._arrived < len(self.runs)

    # --- what comes and goes -------------------------------------------------------------

    def _submit_due(self) -> bool:
        before = self._arrived
        while self._has_more() and self.runs[self._arrived].job.submitted <= self.now:
            self._submit(self._arrived)
            self._arrived += 1
        return self._arrived > before

    def _submit(self, number: int) -> None:
        run = self.runs[number]
        now = self._begin + self.now
        made = self._maker.objects_of(run.job, number=number, attempt=run.evictions, now=now)
        run.objects, run.started = made, None
        run.pending = {pod.uid for pod in made.pods}
        self.waiting.add(number)
        self._owners.update(dict.fromkeys(run.pending, number))
        self._rehearsal.submit(made)

    def _end_due(self) -> bool:
        ended = False
        while self._ends and self._ends[0][0] <= self.now:
            _, number, attempt = heapq.heappop(self._ends)
            run = self.runs[number]
            if attempt == run.evictions:
                run.ended = self.now
                self.ended += 1
                self._stop(number)
                ended = True
        return ended

    def _stop(self, number: int) -> None:
        run = self.runs[number]
        self.running.discard(number)
        if run.objects is None:
            return
        self._rehearsal.end(run.objects)
        for pod in run.objects.pods:
            self._owners.pop(pod.uid, None)
        run.objects = None

    # --- what the scheduler did ----------------------------------------------------------

    def _schedule(self) -> bool:
        """Let the scheduler work until nothing changes any more at this moment."""
        is_changed = False
        while True:
            self._rehearsal.attempt_due()
            if not self._note_changes():
                return is_changed
            is_changed = True

    def _note_changes(self) -> bool:
        """Begin jobs whose last pod got a node, and those anew that lost one."""
        bound, evicted = tuple(self._rehearsal.bound), tuple(self._rehearsal.evicted)
        self._rehearsal.bound.clear()
        self._rehearsal.evicted.clear()
        lost = {self._owners[one.pod.uid] for one in evicted if one.pod.uid in self._owners}
        for number in lost:
            self._begin_anew(number)
        for one in bound:
            owner = self._owners.get(one.pod.uid)
            if owner is not None:
                self._note_bound(owner, one.pod.uid)
        return bool(bound or evicted)

    def _note_bound(self, number: int, uid: PodUid) -> None:
        run = self.runs[number]
        run.pending.discard(uid)
        if not run.pending and run.started is None:
            run.started = self.now
            self.waiting.discard(number)
            self.running.add(number)
            heapq.heappush(self._ends, (self.now + run.job.duration, number, run.evictions))

    def _begin_anew(self, number: int) -> None:
        run = self.runs[number]
        self._stop(number)
        run.evictions += 1
        self._submit(number)
