"""The loop: pop, snapshot, decide, apply.

The scheduler owns cache, queue and snapshot; only code on its event loop changes them, and
nothing waits between taking a snapshot and counting the result. What the API must be told is
left to the binder. It knows the cluster through informers only, so one that was killed and
started again goes on from what the API says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from prometheus_client import CollectorRegistry

from kubegang.api.profile import SchedulerProfile
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.base.turns import next_turn
from kubegang.client.interface import Client
from kubegang.client.resources import pod_groups_in
from kubegang.scheduler.attempts import Attempts
from kubegang.scheduler.binder.binder import Binder, BinderSettings
from kubegang.scheduler.binder.dispatch import DEFAULT_LIMIT
from kubegang.scheduler.binder.metrics import SchedulerMetrics
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.cycle.decision import Diagnosis
from kubegang.scheduler.diagnoses import Diagnoses
from kubegang.scheduler.following import follow_cluster
from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.frameworks import PluginArgs, build_frameworks
from kubegang.scheduler.plugins.registry import PLUGINS, PluginFactory
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.scheduler.queue.queue import SchedulingQueue
from kubegang.scheduler.queue.rules import QueueRules
from kubegang.scheduler.runtime.framework import Framework

CYCLES_PER_TURN: Final = 16
SECONDS_PER_TURN: Final = 0.005
"""After so much work, whichever comes first, other tasks get their turn."""

GRACE_SECONDS: Final = 3.0
"""How long calls that were begun may take once the scheduler is to end."""

_log = logger(__name__)


class SchedulerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a KubeSchedulerConfiguration says beyond the profiles, and where we are.

    Attributes:
        plugin_args: per schedulerName the arguments of its plugins.
        plugins: what profiles may name, by name.
        calls_in_flight: API calls at a time.
        host: this machine's name, for events.
    """

    backoff: BackoffPolicy = BackoffPolicy()
    plugin_args: Mapping[str, PluginArgs] = {}
    plugins: Mapping[str, PluginFactory] = msgspec.field(default_factory=lambda: PLUGINS)
    calls_in_flight: int = DEFAULT_LIMIT
    host: str = "localhost"


class Scheduler:
    """Schedules the pods of its profiles while ``run`` runs.

    Attributes:
        cache: what is believed of the cluster; only the scheduler changes it.
        queue: what is pending; only the scheduler changes it.
    """

    def __init__(
        self,
        client: Client,
        profiles: Sequence[SchedulerProfile],
        *,
        clock: Clock,
        rng: Rng,
        registry: CollectorRegistry,
        settings: SchedulerSettings | None = None,
    ) -> None:
        """Put the parts together.

        Args:
            client: the API.
            profiles: what is decided how; a pod's schedulerName picks one.
            clock: the time, and pauses.
            rng: breaks ties.
            registry: where metrics are counted.
            settings: backoff and limits.

        Raises:
            PluginConfigError: a profile's plugins cannot be built.
        """
        settings = settings or SchedulerSettings()
        self._clock = clock
        self._profiles = {profile.scheduler_name: profile for profile in profiles}
        frameworks = build_frameworks(profiles, args=settings.plugin_args, plugins=settings.plugins)
        rules = {
            name: QueueRules.of(profile, frameworks[name])
            for name, profile in self._profiles.items()
        }
        self.cache = Cache()
        self.queue = SchedulingQueue(rules, self.cache.groups, settings.backoff)
        self._metrics = SchedulerMetrics(registry)
        self._metrics.queue.watch(self.queue.contents, self.cache)
        for name, framework in frameworks.items():
            framework.meter = self._metrics.points.meter(framework, profile=name, clock=clock)
        self._diagnoses = Diagnoses(self.queue.contents)
        self._binder = self._build_binder(client, rules, settings=settings)
        self._informers = follow_cluster(
            client,
            self.cache,
            self.queue,
            profiles=profiles,
            rules=rules,
            clock=clock,
            handled=self._event_handled,
            binder=self._binder,
        )
        self._work = asyncio.Event()
        self._stopped = asyncio.Event()
        self._attempt = self._build_attempts(frameworks, rng).attempt

    def _build_binder(
        self, client: Client, rules: Mapping[str, QueueRules], *, settings: SchedulerSettings
    ) -> Binder:
        release = next(iter(self._profiles.values()))
        return Binder(
            client,
            self.cache,
            self.queue,
            settings=BinderSettings(
                host=settings.host,
                group_condition=release.initially_scheduled_condition,
                pod_groups=pod_groups_in(release.pod_group_version),
                refers_to_pods=release.rules.preemption.victims_refer_to_pod,
                promise_outlives=release.rules.promise_outlives_failed_binding,
                speaking=tuple(name for name, rule in rules.items() if rule.speaking),
                calls_in_flight=settings.calls_in_flight,
            ),
            metrics=self._metrics,
            clock=self._clock,
            moved=self._moved,
            undone=self._diagnoses.undone,
            wake=self._wake,
        )

    def _build_attempts(self, frameworks: Mapping[str, Framework], rng: Rng) -> Attempts:
        return Attempts(
            self.cache,
            self.queue,
            profiles=self._profiles,
            frameworks=frameworks,
            binder=self._binder,
            diagnoses=self._diagnoses,
            metrics=self._metrics,
            note=self._note,
            clock=self._clock,
            rng=rng,
        )

    # --- running -------------------------------------------------------------------------

    async def run(self, *, active: asyncio.Event | None = None) -> None:
        """Schedule until ``stop``; then let the calls that were begun come to their end.

        Args:
            active: once set, decisions begin; until then the cluster is only watched, so that
                a stand-by need not read it first.
        """
        async with asyncio.TaskGroup() as tasks:
            binder = tasks.create_task(self._binder.run())
            watching = [tasks.create_task(informer.run()) for informer in self._informers]
            await self._wait_synced_or_stopped(active)
            _log.info("scheduling", profiles=sorted(self._profiles))
            await self._loop()
            self._binder.stop()
            # Bindings that were begun are finished, so that no gang is left half bound.
            await self._wait_at_most(GRACE_SECONDS, binder)
            for task in (binder, *watching):
                task.cancel()

    def stop(self) -> None:
        """Let ``run`` end."""
        self._stopped.set()
        self._work.set()

    async def wait_synced(self) -> None:
        """Return when the cluster has been seen whole once."""
        for informer in self._informers:
            await informer.synced.wait()

    async def _wait_ready(self, active: asyncio.Event | None) -> None:
        await self.wait_synced()
        if active is not None:
            await active.wait()

    @property
    def is_synced(self) -> bool:
        """Whether the cluster has been seen whole once; before, nothing is decided."""
        return all(informer.synced.is_set() for informer in self._informers)

    async def _wait_synced_or_stopped(self, active: asyncio.Event | None) -> None:
        synced = asyncio.ensure_future(self._wait_ready(active))
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait((synced, stopped), return_when=asyncio.FIRST_COMPLETED)
        finally:
            synced.cancel()
            stopped.cancel()

    async def _loop(self) -> None:
        while not self._stopped.is_set():
            self._tick()
            if not self._work_for_a_turn():
                await self._wait_for_work()
            # Informers and the binder share this loop; a long queue must not starve them.
            await next_turn()

    def _work_for_a_turn(self) -> bool:
        """Run cycles until the turn is over; return whether there may be more to do."""
        started = self._clock.steady()
        for _ in range(CYCLES_PER_TURN):
            entity = self.queue.pop(now=self._clock.steady())
            if entity is None:
                return False
            self._attempt(entity)
            if self._stopped.is_set() or self._clock.steady() - started > SECONDS_PER_TURN:
                break
        return True

    async def _wait_for_work(self) -> None:
        """Return when something moved, or when the clock has something to do."""
        due = [t for t in (self.queue.next_tick(), self._binder.next_tick()) if t is not None]
        self._work.clear()
        if not due:
            await self._work.wait()
            return
        moved = asyncio.ensure_future(self._work.wait())
        try:
            await self._wait_at_most(min(due) - self._clock.steady(), moved)
        finally:
            moved.cancel()

    async def _wait_at_most(self, seconds: float, awaited: asyncio.Future[Any]) -> None:
        """Return when something is done, or when so much time has passed on our clock."""
        timer = asyncio.ensure_future(self._clock.sleep(max(seconds, 0.0)))
        try:
            await asyncio.wait((timer, awaited), return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()

    def _tick(self) -> None:
        now = self._clock.steady()
        self._note(self.queue.tick(now=now), now=now)
        self._binder.tick(now=now)

    # --- what moved ----------------------------------------------------------------------

    def _event_handled(self, event: str, moves: tuple[Move, ...], seconds: float) -> None:
        self._metrics.queue.note_event(event, seconds)
        self._moved(moves)
        if self.queue.is_ready:
            # Nothing need have moved for that: see ``BackoffQueue.stir``.
            self._work.set()
        self._binder.cluster_changed()

    def _wake(self) -> None:
        """Look anew when the next thing is due."""
        self._work.set()

    def _moved(self, moves: tuple[Move, ...]) -> None:
        if moves:
            self._note(moves, now=self._clock.steady())
            self._work.set()

    def _note(self, moves: tuple[Move, ...], *, now: float) -> None:
        self._metrics.queue.note_moves(moves)
        self._binder.note(moves, now=now)
        self._diagnoses.note(moves)

    # --- explaining ----------------------------------------------------------------------

    def explain(self, key: EntityKey) -> Diagnosis | None:
        """Return why an entity is pending, or ``None`` if it is not."""
        return self._diagnoses.explain(key, now=self._clock.steady())
