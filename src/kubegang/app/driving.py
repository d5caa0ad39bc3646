"""Lets virtual time pass until the cluster has settled, and notes why whoever waits does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Hashable, Iterator

from kubegang.app.embedded import EmbeddedCluster
from kubegang.app.following import Follower
from kubegang.app.settling import SettlingRule
from kubegang.base.clock import Clock
from kubegang.scheduler.cycle.decision import Diagnosis
from kubegang.scheduler.queue.places import Place
from kubegang.tools.history import History
from kubegang.tools.records import EntityKey
from kubegang.tools.runreport import Stopped
from kubegang.tools.unitprogress import reason_key

LOOK_SECONDS = 10.0
"""How often is looked where nothing changes: retries may end with another reason."""

SETTLE_SECONDS = 0.001
"""In virtual time this passes only once everything that follows at once has happened."""

Progress = Callable[[float], None]
"""Told the virtual seconds that have passed, now and then."""


class Driver:
    """Waits and looks; changes nothing itself."""

    def __init__(
        self,
        cluster: EmbeddedCluster,
        follower: Follower,
        history: History,
        *,
        clock: Clock,
        rule: SettlingRule,
        progress: Progress,
    ) -> None:
        self._cluster = cluster
        self._follower = follower
        self._history = history
        self._clock = clock
        self._rule = rule
        self._progress = progress
        self._reasons: dict[EntityKey, Hashable] = {}

    async def run(self, *, until: float) -> Stopped:
        """Return when the cluster has settled, or ``until`` seconds have passed."""
        while True:
            left = until - self._follower.elapsed
            if left <= 0:
                return "until"
            at = await self._next_moment(min(LOOK_SECONDS, left))
            self._note_waits(at=at)
            self._progress(self._follower.elapsed)
            if self._is_settled():
                return "settled"

    def explain(self, key: EntityKey) -> Diagnosis | None:
        """Ask the scheduler why an entity is pending."""
        scheduler = self._cluster.scheduler
        return None if scheduler is None else scheduler.explain(key)

    async def _next_moment(self, seconds: float) -> float:
        """Wait for a change, but no longer than ``seconds``; return when it was."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._follower.changed.wait()
        at = self._follower.elapsed
        await self._clock.sleep(SETTLE_SECONDS)
        self._follower.changed.clear()
        return at

    def _note_waits(self, *, at: float) -> None:
        """Tell the history the reasons that are new."""
        reasons: dict[EntityKey, Hashable] = {}
        for key in self._pending():
            diagnosis = self.explain(key)
            if diagnosis is None:
                continue
            reasons[key] = reason_key(diagnosis)
            if self._reasons.get(key) != reasons[key]:
                self._history.note_wait(key, diagnosis, at=at)
        self._reasons = reasons

    def _pending(self) -> Iterator[EntityKey]:
        scheduler = self._cluster.scheduler
        if scheduler is None:
            return
        for entry in scheduler.queue.contents.entries():
            # Whoever is being tried, or about to be, has nothing to say yet.
            if entry.place not in (Place.ACTIVE, Place.IN_FLIGHT):
                yield entry.key
        yield from scheduler.queue.contents.incomplete_groups()

    def _is_settled(self) -> bool:
        history = self._history
        waits = any(pod.state == "pending" for pod in history.pods.values()) or any(
            job.state == "active" and job.active < job.wanted for job in history.jobs.values()
        )
        return self._rule.is_settled(
            quiet=self._follower.elapsed - self._follower.last_progress,
            something_waits=waits,
            something_is_due=self._is_something_due(),
        )

    def _is_something_due(self) -> bool:
        nodes = self._cluster.nodes
        if nodes is not None and nodes.next_due() is not None:
            return True
        if self._history.timetables:
            return True
        return any(job.deadline is not None for job in self._history.jobs.values())
