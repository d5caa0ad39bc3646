"""Attempts: deciding about one entity after the other, and starting what follows.

Nothing waits between taking a snapshot and counting the result as real; what the API must be
told is left to the binder.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from kubegang.api.profile import SchedulerProfile
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.scheduler.binder.binder import Binder
from kubegang.scheduler.binder.counting import count_as_real
from kubegang.scheduler.binder.metrics import SchedulerMetrics
from kubegang.scheduler.binder.outcome import (
    failures,
    group_result,
    queue_status,
    waiting_on_permit,
)
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.cycle.batch import first_batch, pops_of
from kubegang.scheduler.cycle.decide import decide
from kubegang.scheduler.cycle.decision import Decision
from kubegang.scheduler.diagnoses import Diagnoses
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import (
    QueuedEntity,
    QueuedPodGroupInfo,
    QueuedPodInfo,
    members_of,
)
from kubegang.scheduler.framework.pods import PodUid
from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.queue import SchedulingQueue, key_of
from kubegang.scheduler.runtime.framework import Framework

_log = logger(__name__)


class MovesNoted(Protocol):
    """Told what moved in the queue."""

    def __call__(self, moves: tuple[Move, ...], *, now: float) -> None:
        """Look at the moves."""
        ...


class Attempts:
    """One attempt at a time, at whatever the queue hands out."""

    def __init__(
        self,
        cache: Cache,
        queue: SchedulingQueue,
        *,
        profiles: Mapping[str, SchedulerProfile],
        frameworks: Mapping[str, Framework],
        binder: Binder,
        diagnoses: Diagnoses,
        metrics: SchedulerMetrics,
        note: MovesNoted,
        clock: Clock,
        rng: Rng,
    ) -> None:
        """Take what decides, and who acts on it.

        Args:
            cache: what is believed of the cluster; what is decided counts there at once.
            queue: told how each attempt ended.
            profiles: what is decided how, by schedulerName.
            frameworks: the plugins of each profile.
            binder: carries decisions out.
            diagnoses: keeps why somebody stays pending.
            metrics: counts.
            note: told what moved in the queue.
            clock: the time.
            rng: breaks ties.
        """
        self._cache = cache
        self._queue = queue
        self._profiles = profiles
        self._frameworks = frameworks
        self._binder = binder
        self._diagnoses = diagnoses
        self._metrics = metrics
        self._note = note
        self._clock = clock
        self._rng = rng
        self._batches = {name: first_batch(profile) for name, profile in profiles.items()}
        self._cycles = 0
        self._popped = 0

    def attempt(self, entity: QueuedEntity) -> None:
        """Decide about an entity and start what follows; a bug ends this attempt only."""
        self._cycles += 1
        queued = {member.pod.uid: member for member in members_of(entity)}
        try:
            self._run_cycle(entity, queued, entity.scheduler_name)
        except Exception:  # noqa: BLE001 - a guard: one broken entity must not stop the others.
            _log.exception("attempt failed", entity=entity.key, cycle=self._cycles)
            self._give_up(entity, queued)

    def _run_cycle(
        self, entity: QueuedEntity, queued: Mapping[PodUid, QueuedPodInfo], name: str
    ) -> None:
        started = self._clock.steady()
        key, framework = key_of(entity), self._frameworks[name]
        notes: dict[PodUid, CycleState] = {}
        # 1. Decide about the cluster as it is now.
        decision = self._decide(entity, name, notes=notes, now=started)
        # 2. Count the result as real.
        decision = count_as_real(
            decision, self._cache, entity=key, framework=framework, notes=notes
        )
        # 3. Tell the queue what became of it.
        now = self._clock.steady()
        self._finish(entity, decision, now=now)
        # 4. Start the act; it goes on while the next entity is decided about.
        self._binder.start(
            decision, queued, entity=key, framework=framework, notes=notes, started=started
        )
        # 5. Keep why, and count.
        self._report(entity, decision, name, seconds=now - started)

    def _decide(
        self, entity: QueuedEntity, name: str, *, notes: dict[PodUid, CycleState], now: float
    ) -> Decision:
        profile = self._profiles[name]
        self._popped += pops_of(entity, profile)
        decision = decide(
            self._cache.snapshot(),
            entity,
            profile=profile,
            framework=self._frameworks[name],
            now=now,
            rng=self._rng,
            waiting=self._binder.waiting_pods,
            notes=notes,
            batch=self._batches[name],
            number=self._popped,
        )
        self._batches[name] = decision.batch
        return decision

    def _finish(self, entity: QueuedEntity, decision: Decision, *, now: float) -> None:
        failed, waiting = failures(decision), waiting_on_permit(decision)
        status = queue_status(decision)
        moves = self._queue.finish(entity, failed, status, now=now, waiting=waiting)
        self._note(moves, now=now)

    def _give_up(self, entity: QueuedEntity, queued: Mapping[PodUid, QueuedPodInfo]) -> None:
        """Take back what a broken attempt may have counted, and queue all pods again."""
        for uid in queued:
            self._cache.forget(uid)
            self._cache.groups.end_preemption(uid)
        self._cache.groups.end_preemption(key_of(entity))
        now = self._clock.steady()
        failed = dict.fromkeys(queued, frozenset[str]())
        self._note(self._queue.finish(entity, failed, "error", now=now), now=now)

    def _report(
        self, entity: QueuedEntity, decision: Decision, name: str, *, seconds: float
    ) -> None:
        if decision.unbound or decision.status == "waiting-on-permit":
            gathered = self._profiles[name].group_cycle == "popped-by-member"
            keys = [pod.uid for pod in decision.unbound] if gathered else [key_of(entity)]
            self._diagnoses.found(keys, decision.diagnosis)
        is_group = isinstance(entity, QueuedPodGroupInfo)
        self._count(decision, name, is_group=is_group, seconds=seconds)
        _log.info(
            decision.status,
            cycle=self._cycles,
            diagnosis=decision.diagnosis.message,
            **{"podGroup" if is_group else "pod": entity.key},
        )

    def _count(self, decision: Decision, name: str, *, is_group: bool, seconds: float) -> None:
        if decision.batching is not None:
            self._metrics.batches.note(name, decision.batching)
        if decision.room is not None:
            self._metrics.preemption.note_search(decision.room, for_group=is_group)
        if is_group:
            result = group_result(decision)
            self._metrics.group_attempts.note_decided(name, result=result, seconds=seconds)
        else:
            self._metrics.attempts.note_decided(seconds)
