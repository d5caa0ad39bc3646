"""Carries decisions out, and takes back what the API refuses.

Everything goes through one dispatcher, so a decision costs the loop no waiting. What comes
of it later, a refused binding above all, is told to cache and queue here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import assert_never

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import PODGROUPS
from kubegang.scheduler.binder.binding import Binding
from kubegang.scheduler.binder.bindingcycle import BindingCycle, Moved, Undone
from kubegang.scheduler.binder.changing import Changer
from kubegang.scheduler.binder.dispatch import DEFAULT_LIMIT, Dispatcher
from kubegang.scheduler.binder.events import EventRecorder
from kubegang.scheduler.binder.evicting import Evictor, Preemption
from kubegang.scheduler.binder.metrics import SchedulerMetrics
from kubegang.scheduler.binder.preemptionmetrics import preemptor_of
from kubegang.scheduler.binder.references import pod_group_reference, pod_reference
from kubegang.scheduler.binder.speaking import HeldReporter
from kubegang.scheduler.binder.status import Condition, StatusWriter
from kubegang.scheduler.binder.telling import PodTeller
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.cycle.decision import (
    ActivatePods,
    AllowWaitingPod,
    BindPod,
    ChangeObject,
    Decision,
    EvictPod,
    FailPod,
    NominateNode,
    RejectWaitingPod,
    SetPodGroupCondition,
    SkipPod,
    WaitOnPermit,
)
from kubegang.scheduler.framework.binding import WaitingPods
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.pods import NodeName, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.scheduler.queue.queue import SchedulingQueue
from kubegang.scheduler.runtime.framework import Framework


class BinderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the binder must be told.

    Attributes:
        host: this machine's name, for events.
        group_condition: the type of the scheduling condition on pod groups.
        speaking: the schedulerNames whose held pods are spoken about.
        calls_in_flight: API calls at a time.
        pod_groups: in which API version pod groups are written and referred to.
        refers_to_pods: whether events on victims refer to the pod they go for.
        promise_outlives: whether a pod whose binding fails keeps the node that was promised
            to it in the same attempt.
    """

    host: str
    group_condition: str
    pod_groups: Resource = PODGROUPS
    refers_to_pods: bool = False
    promise_outlives: bool = False
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
        undone: Undone,
        wake: Callable[[], None],
    ) -> None:
        self._cache = cache
        self._queue = queue
        self._metrics = metrics
        self._clock = clock
        self._moved = moved
        self._pod_groups = settings.pod_groups
        self._refers_to_pods = settings.refers_to_pods
        self._dispatcher = Dispatcher(limit=settings.calls_in_flight)
        self._events = EventRecorder(client, self._dispatcher, clock=clock, host=settings.host)
        self._statuses = StatusWriter(
            client,
            self._dispatcher,
            clock=clock,
            group_condition=settings.group_condition,
            pod_groups=settings.pod_groups,
        )
        self._teller = PodTeller(self._events, self._statuses)
        self._held = HeldReporter(
            queue.contents,
            cache,
            statuses=self._statuses,
            events=self._events,
            speaking=settings.speaking,
            group_api_version=settings.pod_groups.api_version,
        )
        self._changer = Changer(
            client, self._dispatcher, cache=cache, clock=clock, metrics=metrics.claims
        )
        self._cycle = BindingCycle(
            client,
            self._dispatcher,
            changer=self._changer,
            cache=cache,
            queue=queue,
            teller=self._teller,
            metrics=metrics,
            clock=clock,
            promise_outlives=settings.promise_outlives,
            moved=moved,
            undone=undone,
            wake=wake,
        )
        self._evictor = Evictor(
            client,
            self._dispatcher,
            events=self._events,
            clock=clock,
            ended=self._preemption_ended,
            give_up=self._cycle.preempt,
            has_node=self._has_node,
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
        self._cycle.tick(now=now)

    def next_tick(self) -> float | None:
        """Return when ``tick`` has something to do, or ``None``."""
        due = (self._held.next_report(), self._events.next_tick(), self._cycle.next_tick())
        return min((t for t in due if t is not None), default=None)

    def start(
        self,
        decision: Decision,
        queued: Mapping[PodUid, QueuedPodInfo],
        *,
        entity: EntityKey,
        framework: Framework,
        notes: Mapping[PodUid, CycleState],
        started: float,
    ) -> None:
        """Carry out a decision; pods with a node must be assumed and reserved for already.

        Args:
            decision: what to do.
            entity: what was decided about.
            queued: the queue records of the pods that were decided about.
            framework: the plugins to ask.
            notes: what they noted about pods that got a node.
            started: when the attempt began.
        """

        def binding(pod: PodInfo, node: NodeName) -> Binding:
            state = notes.get(pod.uid) or CycleState()
            return Binding(queued[pod.uid], node, started, framework, state)

        evictions: list[EvictPod] = []
        bindings: list[Binding] = []
        for instruction in decision.instructions:
            match instruction:
                case BindPod(pod, node):
                    # What was still to be said about its waiting is out of date now.
                    self._statuses.discard(pod.uid)
                    bindings.append(binding(pod, node))
                case WaitOnPermit(pod, node, waits):
                    self._statuses.discard(pod.uid)
                    self._cycle.waiting.hold(binding(pod, node), waits, now=started)
                case AllowWaitingPod(plugin, uid):
                    self._cycle.waiting.allow(plugin, uid)
                case RejectWaitingPod(plugin, uid, message):
                    self._cycle.waiting.reject(plugin, uid, message)
                case ActivatePods(keys):
                    self._moved(self._queue.activate(keys, now=self._clock.steady()))
                case FailPod(pod, reason, message):
                    self._count_failure(pod, reason, started=started)
                    self._teller.tell_failure(pod, reason, message)
                case NominateNode(pod, node):
                    self._statuses.nominate(pod, node)
                case EvictPod():
                    evictions.append(instruction)
                case SkipPod(pod, message):
                    if message:
                        self._teller.warn(pod, message)
                case ChangeObject(change):
                    self._changer.submit((change,))
                case SetPodGroupCondition():
                    self._set_group_condition(instruction)
                case _:
                    assert_never(instruction)
        # One that fails at once takes back what was promised above.
        for one in bindings:
            self._cycle.start(one)
        if evictions:
            self._evict(evictions, entity, queued=queued)

    def _count_failure(self, pod: PodInfo, reason: str, *, started: float) -> None:
        self._metrics.attempts.note_failed(
            pod.scheduler_name,
            error=reason == "SchedulerError",
            seconds=self._clock.steady() - started,
        )

    def _evict(
        self,
        evictions: Sequence[EvictPod],
        entity: EntityKey,
        *,
        queued: Mapping[PodUid, QueuedPodInfo],
    ) -> None:
        controller = next(iter(queued.values())).scheduler_name
        by_preemptor: dict[EntityKey, list[EvictPod]] = {}
        for eviction in evictions:
            by_preemptor.setdefault(eviction.preemptor or entity, []).append(eviction)
        for preemptor, theirs in by_preemptor.items():
            related = self._group_reference(preemptor)
            if self._refers_to_pods and not isinstance(preemptor, PodGroupKey):
                related = pod_reference(queued[preemptor].pod)
            self._evictor.preempt(preemptor, theirs, controller=controller, related=related)

    # --- what pods on their way must know ------------------------------------------------

    @property
    def waiting_pods(self) -> WaitingPods:
        """The pods that wait on permit."""
        return self._cycle.waiting

    def cluster_changed(self) -> None:
        """Look again at what pods wait for before they are bound."""
        self._cycle.cluster_changed()

    def pod_gone(self, uid: PodUid) -> None:
        """Forget a pod that was deleted, or bound by somebody else."""
        self._cycle.pod_gone(uid)

    def node_gone(self, node: NodeName) -> None:
        """Forget a node that was deleted."""
        self._cycle.node_gone(node)

    def _set_group_condition(self, wish: SetPodGroupCondition) -> None:
        group = self._cache.groups.pod_group(wish.group)
        if group is not None:
            condition = Condition(wish.status, wish.reason, wish.message)
            self._statuses.set_group_condition(group, condition)

    def _group_reference(self, entity: EntityKey) -> JsonObject | None:
        group = self._cache.groups.pod_group(entity) if isinstance(entity, PodGroupKey) else None
        if group is None:
            return None
        return pod_group_reference(group, api_version=self._pod_groups.api_version)

    # --- how preemptions end -------------------------------------------------------------

    def _has_node(self, uid: PodUid) -> bool:
        known = self._cache.pod(uid)
        return known is not None and bool(known.node)

    def _preemption_ended(self, preemption: Preemption) -> None:
        """Let the preemptor be tried again."""
        preemptor, now = preemption.preemptor, self._clock.steady()
        self._metrics.preemption.note_execution(
            preemptor_of(preemptor),
            failed=preemption.failed,
            seconds=now - preemption.started,
        )
        self._cache.groups.end_preemption(preemptor)
        self._moved(self._queue.preemption_ended(preemptor, failed=preemption.failed, now=now))
