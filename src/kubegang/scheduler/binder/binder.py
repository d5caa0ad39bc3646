"""Carries decisions out, and takes back what the API refuses.

Everything goes through one dispatcher, so a decision costs the loop no waiting. What comes
of it later, a refused binding above all, is told to cache and queue here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, assert_never

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.interface import Client
from kubegang.client.resources import PODGROUPS
from kubegang.scheduler.binder.binding import Binding, BindingFailed, PodBinder
from kubegang.scheduler.binder.dispatch import DEFAULT_LIMIT, Dispatcher
from kubegang.scheduler.binder.events import EventRecorder
from kubegang.scheduler.binder.evicting import Evictor, Preemption
from kubegang.scheduler.binder.metrics import SchedulerMetrics
from kubegang.scheduler.binder.references import pod_group_reference, pod_reference
from kubegang.scheduler.binder.speaking import HeldReporter
from kubegang.scheduler.binder.status import Condition, StatusWriter
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.cycle.decision import (
    BindPod,
    Decision,
    EvictPod,
    FailPod,
    NominateNode,
    SetPodGroupCondition,
    SkipPod,
)
from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.interface import BindPlugin
from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.changes import ASSIGNED_POD_DELETE
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.scheduler.queue.queue import SchedulingQueue
from kubegang.scheduler.runtime.framework import Framework

Moved = Callable[[tuple[Move, ...]], None]
"""Called when something moved in the queue because of a binding."""

_ASSIGNED: Final = "Successfully assigned {pod} to {node}"

_log = logger(__name__)


class BinderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the binder must be told.

    Attributes:
        host: this machine's name, for events.
        group_condition: the type of the scheduling condition on pod groups.
        speaking: the schedulerNames whose held pods are spoken about.
        calls_in_flight: API calls at a time.
    """

    host: str
    group_condition: str
    speaking: tuple[str, ...] = ()
    calls_in_flight: int = DEFAULT_LIMIT


class Binder:
    """The acting half of the scheduler; works while ``run`` runs."""

    def __init__(
        self,
        client: Client,
        cache: Cache,
        queue: SchedulingQueue,
        *,
        settings: BinderSettings,
        metrics: SchedulerMetrics,
        clock: Clock,
        moved: Moved,
    ) -> None:
        self._cache = cache
        self._queue = queue
        self._metrics = metrics
        self._clock = clock
        self._moved = moved
        self._dispatcher = Dispatcher(limit=settings.calls_in_flight)
        self._events = EventRecorder(client, self._dispatcher, clock=clock, host=settings.host)
        self._statuses = StatusWriter(
            client, self._dispatcher, clock=clock, group_condition=settings.group_condition
        )
        self._held = HeldReporter(
            queue,
            cache,
            statuses=self._statuses,
            events=self._events,
            speaking=settings.speaking,
            group_api_version=PODGROUPS.api_version,
        )
        self._evictor = Evictor(
            client,
            self._dispatcher,
            events=self._events,
            clock=clock,
            ended=self._preemption_ended,
        )
        self._pod_binder = PodBinder(
            client,
            self._dispatcher,
            cache=cache,
            clock=clock,
            bound=self._pod_bound,
            failed=self._binding_failed,
        )

    async def run(self) -> None:
        """Make API calls until ``stop``, then those that were asked for before."""
        await self._dispatcher.run()

    def stop(self) -> None:
        """Let ``run`` end once every call is done."""
        self._dispatcher.stop()

    def note(self, moves: Iterable[Move], *, now: float) -> None:
        """Remember who is held now, to speak about it later."""
        self._held.note(moves, now=now)

    def tick(self, *, now: float) -> None:
        """Speak about who is held for long, and look after events."""
        self._held.tick(now=now)
        self._events.tick()

    def next_tick(self) -> float | None:
        """Return when ``tick`` has something to do, or ``None``."""
        due = (self._held.next_report(), self._events.next_tick())
        return min((t for t in due if t is not None), default=None)

    def start(
        self,
        decision: Decision,
        queued: Mapping[PodUid, QueuedPodInfo],
        *,
        entity: EntityKey,
        framework: Framework,
        started: float,
    ) -> None:
        """Carry out a decision; pods to be bound must be assumed already.

        Args:
            decision: what to do.
            entity: what was decided about.
            queued: the queue records of the pods that were decided about.
            framework: the bind plugins to ask.
            started: when the attempt began.
        """
        evictions: list[EvictPod] = []
        for instruction in decision.instructions:
            match instruction:
                case BindPod(pod):
                    self._bind(instruction, queued[pod.uid], framework=framework, started=started)
                case FailPod(pod, reason, message):
                    error = reason == "SchedulerError"
                    seconds = self._clock.now() - started
                    self._metrics.note_failed(pod.scheduler_name, error=error, seconds=seconds)
                    self._report_failure(pod, reason, message)
                case NominateNode(pod, node):
                    self._statuses.nominate(pod, node)
                case EvictPod():
                    evictions.append(instruction)
                case SkipPod(pod, message):
                    if message:
                        self._tell(pod, "Warning", reason="FailedScheduling", note=message)
                case SetPodGroupCondition():
                    self._set_group_condition(instruction)
                case _:
                    assert_never(instruction)
        if evictions:
            controller = next(iter(queued.values())).scheduler_name
            related = self._group_reference(entity)
            self._evictor.preempt(entity, evictions, controller=controller, related=related)

    def _bind(
        self, bind: BindPod, queued: QueuedPodInfo, *, framework: Framework, started: float
    ) -> None:
        # What was still to be said about the pod's waiting is out of date now.
        self._statuses.discard(bind.pod.uid)
        plugin = _bind_plugin(framework, bind)
        self._pod_binder.start(Binding(queued, bind.node, plugin.NAME, started))

    def _set_group_condition(self, wish: SetPodGroupCondition) -> None:
        group = self._cache.pod_group(wish.group)
        if group is not None:
            condition = Condition(wish.status, wish.reason, wish.message)
            self._statuses.set_group_condition(group, condition)

    def _group_reference(self, entity: EntityKey) -> JsonObject | None:
        group = self._cache.pod_group(entity) if isinstance(entity, PodGroupKey) else None
        if group is None:
            return None
        return pod_group_reference(group, api_version=PODGROUPS.api_version)

    # --- how preemptions and bindings end ------------------------------------------------

    def _preemption_ended(self, preemption: Preemption) -> None:
        """Let the preemptor be tried again."""
        preemptor, now = preemption.preemptor, self._clock.now()
        self._metrics.preemption.note_execution(
            for_group=isinstance(preemptor, PodGroupKey),
            failed=preemption.failed,
            seconds=now - preemption.started,
        )
        self._cache.end_preemption(preemptor)
        self._moved(self._queue.preemption_ended(preemptor, failed=preemption.failed, now=now))

    def _pod_bound(self, binding: Binding) -> None:
        pod = binding.queued.pod
        now = self._clock.now()
        self._metrics.note_bound(binding.queued, started=binding.started, now=now)
        self._events.record(
            pod_reference(pod),
            type="Normal",
            reason="Scheduled",
            action="Binding",
            note=_ASSIGNED.format(pod=pod.key, node=binding.node),
            controller=pod.scheduler_name,
            repeats=False,
        )

    def _binding_failed(self, failure: BindingFailed) -> None:
        """Free the node, queue the pod again if it still waits, and say so."""
        binding, now = failure.binding, self._clock.now()
        queued = binding.queued
        pod = queued.pod
        _log.warning(
            "binding failed",
            pod=pod.key,
            node=binding.node,
            podGroup=str(pod.pod_group or ""),
            error=failure.error,
        )
        latest = self._cache.forget(pod.uid)
        moves = self._queue.handle(ASSIGNED_POD_DELETE, pod, None, now=now)
        if latest is not None and failure.is_pending:
            queued.pod = latest
            moves += self._queue.take_back(queued, now=now)
            message = f'running Bind plugin "{binding.plugin}": {failure.error}'
            self._report_failure(latest, "SchedulerError", message)
        self._metrics.note_failed(pod.scheduler_name, error=True, seconds=now - binding.started)
        self._moved(moves)

    # --- telling -------------------------------------------------------------------------

    def _report_failure(
        self, pod: PodInfo, reason: Literal["Unschedulable", "SchedulerError"], message: str
    ) -> None:
        self._tell(pod, "Warning", reason="FailedScheduling", note=message)
        self._statuses.set_pod_condition(pod, Condition("False", reason, message))

    def _tell(
        self, pod: PodInfo, type: Literal["Normal", "Warning"], *, reason: str, note: str
    ) -> None:
        self._events.record(
            pod_reference(pod),
            type=type,
            reason=reason,
            action="Scheduling",
            note=note,
            controller=pod.scheduler_name,
        )


def _bind_plugin(framework: Framework, bind: BindPod) -> BindPlugin:
    for plugin in framework.bind_plugins:
        if plugin.bind(bind.pod, bind.node) is not None:
            return plugin
    raise InvariantError(f"no plugin binds pod {bind.pod.key} to {bind.node}")
