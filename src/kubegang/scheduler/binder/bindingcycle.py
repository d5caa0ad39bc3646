"""Bringing pods to their nodes: permit, what must be done before, binding, and the undo.

Pods get here with a node that they count on, and everything reserved. Whatever ends the way
before the binding is made takes all of that back, and queues the pod again.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.interface import Client
from kubegang.scheduler.binder.binding import Binding, BindingFailed, PodBinder
from kubegang.scheduler.binder.changing import Changer
from kubegang.scheduler.binder.dispatch import Dispatcher
from kubegang.scheduler.binder.metrics import SchedulerMetrics
from kubegang.scheduler.binder.permitting import WaitingRoom
from kubegang.scheduler.binder.preparing import Preparer
from kubegang.scheduler.binder.telling import PodTeller
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.framework.binding import WaitingPod
from kubegang.scheduler.framework.fiterror import one_node_error
from kubegang.scheduler.framework.pods import NodeName, PodInfo, PodUid
from kubegang.scheduler.framework.status import Status, failure, unschedulable
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.changes import ASSIGNED_POD_DELETE
from kubegang.scheduler.queue.queue import SchedulingQueue
from kubegang.scheduler.runtime.binding import (
    changes_taken_back,
    choose_bind_plugin,
    run_post_bind_plugins,
    run_unreserve_plugins,
)

Moved = Callable[[tuple[Move, ...]], None]
"""Called when something moved in the queue because of a binding."""

Undone = Callable[[PodInfo, NodeName, Status], None]
"""Called when a pod goes back to the queue that had a place: which, where, and why."""

_log = logger(__name__)


class BindingCycle:
    """All pods between their node's choice and the binding.

    Attributes:
        waiting: those that wait on permit.
    """

    def __init__(
        self,
        client: Client,
        dispatcher: Dispatcher,
        *,
        changer: Changer,
        cache: Cache,
        queue: SchedulingQueue,
        teller: PodTeller,
        metrics: SchedulerMetrics,
        clock: Clock,
        promise_outlives: bool,
        moved: Moved,
        undone: Undone,
        wake: Callable[[], None],
    ) -> None:
        """Set up.

        Args:
            client: where to bind.
            dispatcher: makes the calls.
            changer: changes what plugins want changed.
            cache: counts pods on their nodes.
            queue: takes pods back.
            teller: says why.
            metrics: counts.
            clock: the time, and pauses.
            promise_outlives: whether a pod whose binding fails keeps the node that was
                promised to it in the same attempt.
            moved: called when something moved in the queue.
            undone: called when a pod goes back to the queue that had a place.
            wake: called when ``next_tick`` may have come nearer.
        """
        self._cache = cache
        self._queue = queue
        self._teller = teller
        self._metrics = metrics
        self._clock = clock
        self._promise_outlives = promise_outlives
        self._moved = moved
        self._undone = undone
        self.waiting = WaitingRoom(
            allowed=self._permitted, rejected=self._give_up, waited=self._permit_waited
        )
        self._changer = changer
        self._preparer = Preparer(
            client=client,
            dispatcher=dispatcher,
            changer=changer,
            cache=cache,
            clock=clock,
            prepared=self._bind,
            failed=self._give_up,
            waits=wake,
        )
        self._pod_binder = PodBinder(
            client,
            dispatcher,
            cache=cache,
            clock=clock,
            bound=self._bound,
            failed=self._binding_failed,
        )

    def start(self, binding: Binding) -> None:
        """Bring a pod to its node that nobody makes wait."""
        self._preparer.start(binding)

    def tick(self, *, now: float) -> None:
        """End what has taken too long."""
        self.waiting.tick(now=now)
        self._preparer.tick(now=now)

    def next_tick(self) -> float | None:
        """Return the next deadline, or ``None``."""
        due = (self.waiting.next_tick(), self._preparer.next_tick())
        return min((t for t in due if t is not None), default=None)

    # --- what happens meanwhile ----------------------------------------------------------

    def cluster_changed(self) -> None:
        """Look again at what pods wait for before they are bound."""
        self._preparer.cluster_changed()

    def pod_gone(self, uid: PodUid) -> None:
        """Forget a pod that was deleted, or bound by somebody else."""
        waiting = self.waiting.drop(uid)
        binding = waiting or self._preparer.drop(uid)
        if binding is not None:
            self._unreserve(binding)
        if waiting is not None:
            # Seen on 1.35.4: a pod that waits on permit is rejected before it is forgotten.
            note = one_node_error(unschedulable("removed"))
            self._teller.warn(waiting.queued.pod, note)

    def node_gone(self, node: NodeName) -> None:
        """Send pods back to the queue that wait on permit with a place on this node.

        (Upstream lets them wait, and then binds them to a node that does not exist.)
        """
        for uid in self.waiting.on_node(node):
            binding = self.waiting.drop(uid)
            if binding is not None:
                self._give_up(binding, failure(f'node "{node}" not found'))
        self._preparer.cluster_changed()

    def preempt(self, uid: PodUid) -> bool:
        """Take the node from a pod that is not being bound yet; return whether it was so."""
        binding = self.waiting.drop(uid) or self._preparer.drop(uid)
        if binding is None:
            return False
        self._give_up(binding, unschedulable("preempted").by("DefaultPreemption"))
        return True

    # --- from step to step ---------------------------------------------------------------

    def _permitted(self, binding: Binding) -> None:
        self._moved(self._queue.let_go(binding.queued.pod, now=self._clock.steady()))
        self._preparer.start(binding)

    def _permit_waited(self, pod: WaitingPod, status: Status) -> None:
        self._metrics.permit_wait.labels(status.code.value).observe(
            self._clock.steady() - pod.since
        )

    def _bind(self, binding: Binding) -> None:
        pod = binding.queued.pod
        choose_bind_plugin(binding.framework, pod=pod, node=binding.node)
        self._teller.discard(pod.uid)
        self._pod_binder.start(binding)

    def _bound(self, binding: Binding) -> None:
        pod, now = binding.queued.pod, self._clock.steady()
        # What was to be said while it was on its way there is refused from now on.
        self._teller.discard(pod.uid)
        self._metrics.note_bound(binding.queued, started=binding.started, now=now)
        run_post_bind_plugins(binding.framework, binding.state, pod=pod, node=binding.node)
        self._teller.tell_bound(pod, binding.node)

    def _binding_failed(self, failed: BindingFailed) -> None:
        binding = failed.binding
        plugin = choose_bind_plugin(
            binding.framework, pod=binding.queued.pod, node=binding.node
        ).NAME
        status = failure(f'running Bind plugin "{plugin}": {failed.error}').by(plugin)
        self._give_up(binding, status, is_pending=failed.is_pending)

    # --- the undo ------------------------------------------------------------------------

    def _give_up(self, binding: Binding, status: Status, *, is_pending: bool = True) -> None:
        """Free the node, queue the pod again if it still waits, and say so."""
        pod, now = binding.queued.pod, self._clock.steady()
        _log.warning(
            "pod not bound",
            pod=pod.key,
            node=binding.node,
            podGroup=str(pod.pod_group or ""),
            error=status.as_error,
        )
        self._unreserve(binding)
        latest = self._cache.forget(pod.uid)
        # The pod first: that its room is free is of no use to itself.
        if latest is not None and is_pending:
            moves = self._take_back(binding, latest, status)
        else:
            moves = self._queue.delete_pod(pod, now=now)
        freed = msgspec.structs.replace(pod, node_name=binding.node)
        moves += self._queue.handle(ASSIGNED_POD_DELETE, freed, None, now=now, apart_from=pod.uid)
        error = not status.is_rejected
        self._metrics.attempts.note_failed(
            pod.scheduler_name, error=error, seconds=now - binding.started
        )
        self._moved(moves)

    def _take_back(self, binding: Binding, pod: PodInfo, status: Status) -> tuple[Move, ...]:
        queued, now = binding.queued, self._clock.steady()
        # A node that it did not get is not promised to it any longer (schedule_one.go,
        # handleBindingCycleError).
        if queued.pod.nominated_node_name or not self._promise_outlives:
            self._cache.nominate(pod.uid, NodeName(""))
            self._teller.take_promise_back(pod)
        queued.pod = pod
        self._undone(pod, binding.node, status)
        if status.is_rejected:
            self._teller.tell_failure(pod, "Unschedulable", one_node_error(status))
            return self._queue.take_back(queued, frozenset({status.plugin}), now=now)
        self._teller.tell_failure(pod, "SchedulerError", status.as_error)
        return self._queue.take_back(queued, now=now)

    def _unreserve(self, binding: Binding) -> None:
        pod, cluster = binding.queued.pod, self._cache.snapshot()
        changes = changes_taken_back(
            binding.framework, binding.state, pod=pod, node=binding.node, cluster=cluster
        )
        run_unreserve_plugins(
            binding.framework, binding.state, pod=pod, node=binding.node, cluster=cluster
        )
        if changes:
            self._changer.submit(changes)
