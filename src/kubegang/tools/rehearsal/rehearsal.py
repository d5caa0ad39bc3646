"""The scheduler's loop without an API: pop, decide, count as real, until nothing changes.

Queue, cache and decisions are the live scheduler's own. What its binder would ask of the API
is taken as done: bound pods run, victims are gone at once. Time is a number that jumps to the
next thing due. Nothing is written anywhere. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from kubegang.scheduler.binder.counting import count_as_real
from kubegang.scheduler.binder.outcome import failures, queue_status, waiting_on_permit
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.cycle.batch import Batch, first_batch, pops_of
from kubegang.scheduler.cycle.decide import decide
from kubegang.scheduler.cycle.decision import (
    ActivatePods,
    AllowWaitingPod,
    BindPod,
    Decision,
    EvictPod,
    RejectWaitingPod,
    WaitOnPermit,
)
from kubegang.scheduler.cycle.findings import Findings
from kubegang.scheduler.framework.binding import WaitingPod
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import QueuedEntity, QueuedPodInfo, members_of
from kubegang.scheduler.framework.pods import NodeName, PodInfo, PodUid
from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.queue.changes import ASSIGNED_POD_ADD, ASSIGNED_POD_DELETE
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.scheduler.queue.queue import SchedulingQueue, key_of
from kubegang.scheduler.runtime.binding import run_unreserve_plugins
from kubegang.tools.rehearsal.deciders import Decider, Deciders
from kubegang.tools.rehearsal.happenings import Bound, Evicted, nobody_returns, waiting_pods
from kubegang.tools.rehearsal.permits import Held, HeldPods

LONGEST_SECONDS: Final = 3600.0
"""Virtual time after which a rehearsal ends although something may still change."""


class Rehearsal:
    """One course of events; ``run`` plays it, the attributes tell of it.

    Attributes:
        bound, evicted: in the order in which it happened.
        decisions: the last decision about each entity.
        now: seconds since the epoch.
        settled: whether it ended because nothing changed any more.
    """

    def __init__(
        self,
        cache: Cache,
        deciders: Deciders,
        *,
        now: float,
        rng: Rng,
        makes_room: bool = True,
        backoff: BackoffPolicy | None = None,
        replacement: Callable[[PodInfo], PodInfo | None] = nobody_returns,
    ) -> None:
        """Prepare a rehearsal.

        Args:
            cache: the cluster; the rehearsal changes it.
            deciders: what decides.
            now: when it begins.
            rng: breaks ties.
            makes_room: whether pods may be evicted.
            backoff: how long whoever failed pauses.
            replacement: what the controller of an evicted pod makes in its place.
        """
        self.cache = cache
        self.queue = SchedulingQueue(deciders.rules, cache.groups, backoff or BackoffPolicy())
        self.now = self._start = now
        self.bound: list[Bound] = []
        self.evicted: list[Evicted] = []
        self.decisions: dict[EntityKey, Decision] = {}
        self.settled = True
        self._deciders: Mapping[str, Decider] = (
            deciders.whole if makes_room else deciders.without_room
        )
        self._rng = rng
        self._replacement = replacement
        self._held = HeldPods()
        self._tried: set[PodUid] = set()
        self._begun: set[PodUid] = set()
        self._notes: dict[PodUid, CycleState] = {}
        self._batches: dict[str, Batch | None] = {
            name: first_batch(decider.profile) for name, decider in self._deciders.items()
        }
        self._enqueued: list[PodInfo] = []
        self._evicts = True
        self._popped = 0
        self._scan_start = cache.snapshot().scan_start

    # --- filling -------------------------------------------------------------------------

    def enqueue(self, pods: Sequence[PodInfo]) -> None:
        """Let pods wait that the cache knows; older ones came earlier."""
        self._enqueued += pods
        for pod in pods:
            self.queue.add_pod(pod, now=pod.created or self.now)

    # --- running -------------------------------------------------------------------------

    def run(self) -> None:
        """Go on until everybody who waits was tried since the last change."""
        while True:
            entity = self.queue.pop(now=self.now)
            if entity is not None:
                self._attempt(entity)
            elif not self._go_on():
                return

    def attempt_next(self, findings: Findings | None = None) -> Decision | None:
        """Decide about the next entity and do nothing about it; ``None`` if nobody is due."""
        entity = self.queue.pop(now=self.now)
        if entity is None:
            return None
        decision, _ = self._decide(entity, findings)
        return decision

    def attempt_all(self, findings: Findings | None = None) -> tuple[Decision, ...]:
        """Decide about whoever is due, each once, and count it as real; ``undo`` takes it back.

        Nobody is evicted: the decisions say who would be.
        """
        self._evicts = False
        decisions: list[Decision] = []
        while (entity := self.queue.pop(now=self.now)) is not None:
            if not {member.pod.uid for member in members_of(entity)} - self._begun:
                break
            decisions.append(self._attempt(entity, findings))
        return tuple(decisions)

    def undo(self) -> None:
        """Take back who was bound or holds room after ``attempt_all``."""
        for plugin, uid in [(wait.plugin, v.pod.uid) for v in self._held.all() for wait in v.waits]:
            self._reject(plugin, uid)
        for one in reversed(self.bound):
            framework = self._deciders[one.pod.scheduler_name].framework
            state = self._notes.get(one.pod.uid)
            if state is not None:
                snapshot = self.cache.snapshot()
                run_unreserve_plugins(
                    framework, state, pod=one.pod, node=one.node, cluster=snapshot
                )
        for pod in self._enqueued:
            # Promises of nodes go too.
            self.cache.remove_pod(pod.uid)
            self.cache.set_pod(pod)
        self.cache.set_scan_start(self._scan_start)

    def _go_on(self) -> bool:
        """Let time pass until something is due; return whether that may change anything."""
        waits = waiting_pods(self.queue)
        due = [t for t in (self.queue.next_tick(), self._held.next_deadline()) if t is not None]
        if not due or not (waits - self._tried or self._held.all()):
            return False
        if min(due) - self._start > LONGEST_SECONDS:
            self.settled = False
            return False
        self.now = max(self.now, min(due))
        self.queue.tick(now=self.now)
        for plugin, uid in self._held.overdue(now=self.now):
            self._reject(plugin, uid)
        return True

    # --- one attempt ---------------------------------------------------------------------

    def _attempt(self, entity: QueuedEntity, findings: Findings | None = None) -> Decision:
        queued = {member.pod.uid: member for member in members_of(entity)}
        name, key = entity.scheduler_name, key_of(entity)
        decision, notes = self._decide(entity, findings)
        decision = count_as_real(
            decision,
            self.cache,
            entity=key,
            framework=self._deciders[name].framework,
            notes=notes,
        )
        self.queue.finish(
            entity,
            failures(decision),
            queue_status(decision),
            now=self.now,
            waiting=waiting_on_permit(decision),
        )
        self._tried |= queued.keys()
        self._begun |= queued.keys()
        self._notes.update(notes)
        self.decisions[key] = decision
        self._carry_out(decision, queued, notes, entity=key)
        return decision

    def _decide(
        self, entity: QueuedEntity, findings: Findings | None
    ) -> tuple[Decision, dict[PodUid, CycleState]]:
        name = entity.scheduler_name
        decider = self._deciders[name]
        self._popped += pops_of(entity, decider.profile)
        notes: dict[PodUid, CycleState] = {}
        decision = decide(
            self.cache.snapshot(),
            entity,
            profile=decider.profile,
            framework=decider.framework,
            now=self.now,
            rng=self._rng,
            waiting=self._held,
            notes=notes,
            batch=self._batches[name],
            number=self._popped,
            findings=findings,
        )
        self._batches[name] = decision.batch
        return decision, notes

    def _carry_out(
        self,
        decision: Decision,
        queued: Mapping[PodUid, QueuedPodInfo],
        notes: Mapping[PodUid, CycleState],
        *,
        entity: EntityKey,
    ) -> None:
        victims: list[EvictPod] = []
        for instruction in decision.instructions:
            match instruction:
                case BindPod(pod, node):
                    self._bind(pod, node)
                case WaitOnPermit(pod, node, waits):
                    view = WaitingPod(pod, node, waits, self.now)
                    self._held.hold(Held(queued[pod.uid], view, notes.get(pod.uid)))
                case AllowWaitingPod(plugin, uid):
                    self._allow(plugin, uid)
                case RejectWaitingPod(plugin, uid):
                    self._reject(plugin, uid)
                case ActivatePods(keys):
                    self.queue.activate(keys, now=self.now)
                case EvictPod():
                    victims.append(instruction)
        if victims:
            self._evict(victims, entity)

    def _bind(self, pod: PodInfo, node: NodeName) -> None:
        bound = msgspec.structs.replace(pod, node_name=node)
        self.cache.set_pod(bound)
        self.queue.delete_pod(bound, now=self.now)
        self.queue.handle(ASSIGNED_POD_ADD, None, bound, now=self.now)
        self.bound.append(Bound(pod, node, self.now - self._start))
        self._tried.clear()

    def _evict(self, victims: Sequence[EvictPod], entity: EntityKey) -> None:
        for victim in victims:
            preemptor = victim.preemptor or entity
            self.cache.groups.end_preemption(preemptor)
            if self._evicts:
                self._remove(victim.pod, preemptor)
        for preemptor in dict.fromkeys(victim.preemptor or entity for victim in victims):
            self.queue.preemption_ended(preemptor, failed=False, now=self.now)
        self._tried.clear()

    def _remove(self, pod: PodInfo, preemptor: EntityKey) -> None:
        known = self.cache.remove_pod(pod.uid)
        node = known.node if known is not None else pod.node_name
        gone = msgspec.structs.replace(pod, node_name=node)
        self._held.drop(pod.uid)
        self.queue.handle(ASSIGNED_POD_DELETE, gone, None, now=self.now)
        self.evicted.append(Evicted(pod, node, preemptor, self.now - self._start))
        again = self._replacement(pod)
        if again is not None:
            self.cache.set_pod(again)
            self.queue.add_pod(again, now=self.now)

    def _allow(self, plugin: str, uid: PodUid) -> None:
        held = self._held.allow(plugin, uid)
        if held is not None:
            self.queue.let_go(held.view.pod, now=self.now)
            self._bind(held.view.pod, held.view.node)

    def _reject(self, plugin: str, uid: PodUid) -> None:
        held = self._held.drop(uid)
        if held is None:
            return
        pod, node = held.view.pod, held.view.node
        framework = self._deciders[pod.scheduler_name].framework
        if held.state is not None and framework.reserve_plugins:
            snapshot = self.cache.snapshot()
            run_unreserve_plugins(framework, held.state, pod=pod, node=node, cluster=snapshot)
        self.cache.forget(uid)
        self.queue.take_back(held.queued, frozenset({plugin}), now=self.now)
        # Its room may be of use to others; the pod's own group would only wait again.
        own = {one.pod.uid for one in self._held.all() if one.pod.pod_group == pod.pod_group}
        self._tried &= own | {uid}
        given_up = msgspec.structs.replace(pod, node_name=node)
        self.queue.handle(ASSIGNED_POD_DELETE, given_up, None, now=self.now, apart_from=pod.uid)
