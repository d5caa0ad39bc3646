"""Carries decisions out, and takes back what the API refuses.

Everything goes through one dispatcher, so a decision costs the loop no waiting. What comes
of it later, a refused binding above all, is told to cache and queue here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal, assert_never

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import PODGROUPS
from kubegang.scheduler.binder.binding import Binding, BindingFailed, PodBinder
from kubegang.scheduler.binder.dispatch import DEFAULT_LIMIT, Dispatcher
from kubegang.scheduler.binder.events import EventRecorder
from kubegang.scheduler.binder.evicting import Evictor, Preemption
from kubegang.scheduler.binder.metrics import SchedulerMetrics
from kubegang.scheduler.binder.permitting import WaitingRoom
from kubegang.scheduler.binder.preemptionmetrics import preemptor_of
from kubegang.scheduler.binder.preparing import Preparer
from kubegang.scheduler.binder.references import pod_group_reference, pod_reference
from kubegang.scheduler.binder.speaking import HeldReporter
from kubegang.scheduler.binder.status import Condition, StatusWriter
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.cycle.decision import (
    ActivatePods,
    AllowWaitingPod,
    BindPod,
    Decision,
    EvictPod,
    FailPod,
    NominateNode,
    RejectWaitingPod,
    SetPodGroupCondition,
    SkipPod,
    WaitOnPermit,
)
from kubegang.scheduler.framework.binding import WaitingPod, WaitingPods
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.fiterror import one_node_error
from kubegang.scheduler.framework.pods import NodeName, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.framework.status import Status, failure, unschedulable
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.changes import ASSIGNED_POD_DELETE
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.scheduler.queue.queue import SchedulingQueue
from kubegang.scheduler.runtime.binding import (
    choose_bind_plugin,
    run_post_bind_plugins,
    run_unreserve_plugins,
)
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
        pod_groups: in which API version pod groups are written and referred to.
    """

    host: str
    group_condition: str
    pod_groups: Resource = PODGROUPS
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
        wake: Callable[[], None],
    ) -> None:
        self._cache = cache
        self._queue = queue
        self._metrics = metrics
        self._clock = clock
        self._moved = moved
        self._pod_groups = settings.pod_groups
        self._dispatcher = Dispatcher(limit=settings.calls_in_flight)
        self._events = EventRecorder(client, self._dispatcher, clock=clock, host=settings.host)
        self._statuses = StatusWriter(
            client,
            self._dispatcher,
            clock=clock,
            group_condition=settings.group_condition,
            pod_groups=settings.pod_groups,
        )
        self._held = HeldReporter(
            queue,
            cache,
            statuses=self._statuses,
            events=self._events,
            speaking=settings.speaking,
            group_api_version=settings.pod_groups.api_version,
        )
        self._evictor = Evictor(
            client,
            self._dispatcher,
            events=self._events,
            clock=clock,
            ended=self._preemption_ended,
            give_up=self._preempt_unbound,
        )
        self._waiting = WaitingRoom(
            allowed=self._permitted, rejected=self._rejected, waited=self._permit_waited
        )
        self._preparer = Preparer(
            client=client,
            dispatcher=self._dispatcher,
            cache=cache,
            clock=clock,
            prepared=self._bind,
            failed=self._not_prepared,
            waits=wake,
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
        self._waiting.tick(now=now)
        self._preparer.tick(now=now)

    def next_tick(self) -> float | None:
        """Return when ``tick`` has something to do, or ``None``."""
        due = (
            self._held.next_report(),
            self._events.next_tick(),
            self._waiting.next_tick(),
            self._preparer.next_tick(),
        )
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
        for instruction in decision.instructions:
            match instruction:
                case BindPod(pod, node):
                    # What was still to be said about its waiting is out of date now.
                    self._statuses.discard(pod.uid)
                    self._preparer.start(binding(pod, node))
                case WaitOnPermit(pod, node, waits):
                    self._statuses.discard(pod.uid)
                    self._waiting.hold(binding(pod, node), waits, now=started)
                case AllowWaitingPod(plugin, uid):
                    self._waiting.allow(plugin, uid)
                case RejectWaitingPod(plugin, uid, message):
                    self._waiting.reject(plugin, uid, message)
                case ActivatePods(keys):
                    self._moved(self._queue.activate(keys, now=self._clock.now()))
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
            self._evict(evictions, entity, queued=queued)

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
            if not isinstance(preemptor, PodGroupKey) and preemptor in queued:
                related = pod_reference(queued[preemptor].pod)
            self._evictor.preempt(preemptor, theirs, controller=controller, related=related)

    # --- pods on their way to the binding ------------------------------------------------

    @property
    def waiting_pods(self) -> WaitingPods:
        """The pods that wait on permit."""
        return self._waiting

    def cluster_changed(self) -> None:
        """Look again at what pods wait for before they are bound."""
        self._preparer.cluster_changed()

    def pod_gone(self, uid: PodUid) -> None:
        """Forget a pod that was deleted, or bound by somebody else."""
        waiting = self._waiting.drop(uid)
        binding = waiting or self._preparer.drop(uid)
        if binding is not None:
            self._unreserve(binding)
        if waiting is not None:
            # Seen on 1.35.4: a pod that waits on permit is rejected before it is forgotten.
            note = one_node_error(unschedulable("removed"))
            self._tell(waiting.queued.pod, "Warning", reason="FailedScheduling", note=note)

    def node_gone(self, node: NodeName) -> None:
        """Send pods back to the queue that wait on permit with a place on this node.

        (Upstream lets them wait, and then binds them to a node that does not exist.)
        """
        for uid in self._waiting.on_node(node):
            binding = self._waiting.drop(uid)
            if binding is not None:
                self._give_up(binding, failure(f'node "{node}" not found'))

    def _permitted(self, binding: Binding) -> None:
        pod = binding.queued.pod
        self._moved(self._queue.let_go(pod, now=self._clock.now()))
        self._preparer.start(binding)

    def _permit_waited(self, pod: WaitingPod, status: Status) -> None:
        self._metrics.permit_wait.labels(status.code.value).observe(self._clock.now() - pod.since)

    def _rejected(self, binding: Binding, status: Status) -> None:
        self._give_up(binding, status)

    def _not_prepared(self, binding: Binding, status: Status) -> None:
        self._give_up(binding, status)

    def _preempt_unbound(self, uid: PodUid) -> bool:
        """Take the node from a pod that is not being bound yet; return whether it was so."""
        binding = self._waiting.drop(uid) or self._preparer.drop(uid)
        if binding is None:
            return False
        self._give_up(binding, unschedulable("preempted").by("DefaultPreemption"))
        return True

    def _bind(self, binding: Binding) -> None:
        pod = binding.queued.pod
        self._statuses.discard(pod.uid)
        choose_bind_plugin(binding.framework, pod=pod, node=binding.node)
        self._pod_binder.start(binding)

    def _set_group_condition(self, wish: SetPodGroupCondition) -> None:
        group = self._cache.pod_group(wish.group)
        if group is not None:
            condition = Condition(wish.status, wish.reason, wish.message)
            self._statuses.set_group_condition(group, condition)

    def _group_reference(self, entity: EntityKey) -> JsonObject | None:
        group = self._cache.pod_group(entity) if isinstance(entity, PodGroupKey) else None
        if group is None:
            return None
        return pod_group_reference(group, api_version=self._pod_groups.api_version)

    # --- how preemptions and bindings end ------------------------------------------------

    def _preemption_ended(self, preemption: Preemption) -> None:
        """Let the preemptor be tried again."""
        preemptor, now = preemption.preemptor, self._clock.now()
        self._metrics.preemption.note_execution(
            preemptor_of(preemptor),
            failed=preemption.failed,
            seconds=now - preemption.started,
        )
        self._cache.end_preemption(preemptor)
        self._moved(self._queue.preemption_ended(preemptor, failed=preemption.failed, now=now))

    def _pod_bound(self, binding: Binding) -> None:
        pod = binding.queued.pod
        now = self._clock.now()
        self._metrics.note_bound(binding.queued, started=binding.started, now=now)
        run_post_bind_plugins(binding.framework, binding.state, pod=pod, node=binding.node)
        self._events.record(
            pod_reference(pod),
            type="Normal",
            reason="Scheduled",
            action="Binding",
            note=_ASSIGNED.format(pod=pod.key, node=binding.node),
            controller=pod.scheduler_name,
            repeats=False,
        )

    def _binding_failed(self, failed: BindingFailed) -> None:
        binding = failed.binding
        plugin = choose_bind_plugin(
            binding.framework, pod=binding.queued.pod, node=binding.node
        ).NAME
        status = failure(f'running Bind plugin "{plugin}": {failed.error}').by(plugin)
        self._give_up(binding, status, is_pending=failed.is_pending)

    def _give_up(self, binding: Binding, status: Status, *, is_pending: bool = True) -> None:
        """Free the node, queue the pod again if it still waits, and say so."""
        queued, now = binding.queued, self._clock.now()
        pod = queued.pod
        _log.warning(
            "pod not bound",
            pod=pod.key,
            node=binding.node,
            podGroup=str(pod.pod_group or ""),
            error=status.as_error,
        )
        self._unreserve(binding)
        latest = self._cache.forget(pod.uid)
        moves: tuple[Move, ...] = ()
        if latest is not None and is_pending:
            queued.pod = latest
            plugins = frozenset({status.plugin}) if status.is_rejected else frozenset[str]()
            # Before the others learn of the room, which is of no use to this pod itself.
            moves = self._queue.take_back(queued, plugins, now=now)
            if status.is_rejected:
                self._report_failure(latest, "Unschedulable", one_node_error(status))
            else:
                self._report_failure(latest, "SchedulerError", status.as_error)
        else:
            moves = self._queue.delete_pod(pod, now=now)
        freed = msgspec.structs.replace(pod, node_name=binding.node)
        moves += self._queue.handle(ASSIGNED_POD_DELETE, freed, None, now=now, apart_from=pod.uid)
        error = not status.is_rejected
        self._metrics.note_failed(pod.scheduler_name, error=error, seconds=now - binding.started)
        self._moved(moves)

    def _unreserve(self, binding: Binding) -> None:
        run_unreserve_plugins(
            binding.framework,
            binding.state,
            pod=binding.queued.pod,
            node=binding.node,
            cluster=self._cache.snapshot(),
        )

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
