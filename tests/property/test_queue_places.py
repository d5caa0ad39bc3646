"""Invariant iii: each pending pod is in exactly one place of the queue, or in flight.

A state machine does what users, the cluster and the scheduler may do, in any order. Beside
it stands a naive model: one dictionary from pod to what is known of it. In the end, with
nothing in the way any more, every pod must come out: none was lost between the places.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from kubegang.scheduler.framework.entities import QueuedEntity, QueuedPodGroupInfo
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo, PodUid
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.scheduler.queue.groupflow import AttemptStatus
from kubegang.scheduler.queue.places import Place
from kubegang.scheduler.queue.queue import key_of
from tests.unit.scheduler.queue.stage import (
    FIT,
    Stage,
    make_group_info,
    make_node_info,
    make_pod_info,
    newer,
)

GROUPS = ("", "red", "red", "blue")
GATE = ("example.com/gate",)
NODE = NodeName("n0")


@dataclass
class Known:
    """What the model knows of a pod.

    Attributes:
        binding: it was placed and its binding is under way, so the queue must not have it.
    """

    pod: PodInfo
    binding: bool = False


def _members(entity: QueuedEntity) -> list[PodInfo]:
    if isinstance(entity, QueuedPodGroupInfo):
        return [queued.pod for queued in entity.members]
    return [entity.pod]


class QueuePlaces(RuleBasedStateMachine):
    """Everything that may happen to the queue."""

    GATHERS = False
    pods = Bundle("pods")

    def __init__(self) -> None:
        super().__init__()
        self.stage = Stage(gathers=self.GATHERS)
        self.stage.add(make_node_info(NODE, cpu=10_000))
        self.model: dict[PodUid, Known] = {}
        self.objects: dict[str, PodGroupInfo] = {}
        self.attempt: QueuedEntity | None = None
        self.records: dict[PodUid, object] = {}
        self.preempting: set[EntityKey] = set()
        self.serial = 0

    @initialize(members=st.integers(0, 3))
    def start_with_a_group(self, members: int) -> None:
        """Most of what is interesting happens to groups that exist."""
        self.write_group("red", 2)
        for _ in range(members):
            self.create_pod("red", gated=False)

    # --- users ---------------------------------------------------------------------------

    @rule(target=pods, group=st.sampled_from(GROUPS), gated=st.sampled_from((False, False, True)))
    def create_pod(self, group: str, gated: bool) -> PodUid:
        self.serial += 1
        gates = GATE if gated else ()
        pod = make_pod_info(f"p{self.serial}", group, scheduling_gates=gates)
        self.model[pod.uid] = Known(pod)
        self.stage.add(pod)
        return pod.uid

    @rule(uid=pods)
    def delete_pod(self, uid: PodUid) -> None:
        known = self.model.pop(uid, None)
        if known is not None:
            self.stage.handlers.pod_deleted(known.pod)

    @rule(uid=pods)
    def remove_gate(self, uid: PodUid) -> None:
        self._update(uid, scheduling_gates=())

    @rule(uid=pods)
    def change_label(self, uid: PodUid) -> None:
        self._update(uid, labels={"serial": str(self.serial)})

    @rule(name=st.sampled_from(("red", "blue")), minimum=st.integers(1, 4))
    def write_group(self, name: str, minimum: int) -> None:
        old = self.objects.get(name)
        self.serial += 1
        new = make_group_info(name, minimum, resource_version=str(self.serial))
        self.objects[name] = new
        if old is None:
            self.stage.add(new)
        else:
            self.stage.handlers.pod_group_updated(old, new)

    @rule(name=st.sampled_from(("red", "blue")))
    def delete_group(self, name: str) -> None:
        old = self.objects.pop(name, None)
        if old is not None:
            self.stage.handlers.pod_group_deleted(old)

    @rule(uid=pods)
    def bind_from_outside(self, uid: PodUid) -> None:
        known = self.model.pop(uid, None)
        if known is not None:
            bound = newer(known.pod, node_name=NODE)
            self.stage.handlers.pod_updated(known.pod, bound)

    # --- the cluster ---------------------------------------------------------------------

    @rule()
    def add_node(self) -> None:
        self.serial += 1
        self.stage.add(make_node_info(f"n{self.serial}"))

    @rule(seconds=st.sampled_from((0.3, 1.0, 7.0, 40.0, 400.0)))
    def wait(self, seconds: float) -> None:
        self.stage.wait(seconds)

    # --- the scheduler -------------------------------------------------------------------

    @precondition(lambda self: self.attempt is None)
    @rule()
    def pop(self) -> None:
        self.attempt = self.stage.pop()

    @precondition(lambda self: self.attempt is not None)
    @rule(placed=st.integers(0, 4), refused=st.booleans(), preempts=st.booleans())
    def finish(self, placed: int, refused: bool, preempts: bool) -> None:
        """Place the first members and fail the others, perhaps preempting for them."""
        entity, self.attempt = self.attempt, None
        assert entity is not None
        present = [pod for pod in _members(entity) if pod.uid in self.model]
        plugins = frozenset({FIT}) if refused else frozenset[str]()
        bound, failed = present[:placed], present[placed:]
        status: AttemptStatus = "scheduled" if bound else "unschedulable" if refused else "error"
        for pod in bound:
            self.model[pod.uid].binding = True
            self.stage.cache.assume(pod.uid, NODE)
        for queued in getattr(entity, "members", [entity]):
            self.records[queued.pod.uid] = queued
        if preempts and refused and not bound:
            self.preempting.add(key_of(entity))
            self.stage.cache.groups.begin_preemption(key_of(entity))
        self.stage.finish(entity, {pod.uid: plugins for pod in failed}, status)

    @precondition(lambda self: self.preempting)
    @rule(data=st.data(), failed=st.booleans())
    def end_preemption(self, data: st.DataObject, failed: bool) -> None:
        self._end_preemption(data.draw(st.sampled_from(sorted(self.preempting, key=str))), failed)

    def _end_preemption(self, key: EntityKey, failed: bool) -> None:
        self.preempting.discard(key)
        self.stage.cache.groups.end_preemption(key)
        self.stage.queue.preemption_ended(key, failed=failed, now=self.stage.clock.time)

    @rule(uid=pods, succeeds=st.booleans())
    def end_binding(self, uid: PodUid, succeeds: bool) -> None:
        known = self.model.get(uid)
        if known is None or not known.binding:
            return
        if succeeds:
            self.bind_from_outside(uid)
            return
        known.binding = False
        if self.stage.cache.forget(uid) is not None:
            queued = self.records[uid]
            queued.pod = known.pod  # type: ignore[attr-defined]
            self.stage.queue.take_back(queued, now=self.stage.clock.time)  # type: ignore[arg-type]

    # --- what must hold ------------------------------------------------------------------

    @invariant()
    def every_pod_is_where_the_model_expects_it(self) -> None:
        self.stage.validate()
        in_flight = {pod.uid for pod in _members(self.attempt)} if self.attempt else set()
        for uid, known in self.model.items():
            place = self.stage.place(known.pod)
            assert place in self._allowed(known, in_flight=uid in in_flight), known.pod.name

    def _allowed(self, known: Known, *, in_flight: bool) -> set[Place]:
        group = known.pod.pod_group
        if known.binding:
            return {Place.NOWHERE}
        if in_flight:
            return {Place.IN_FLIGHT}
        if group is None:
            if known.pod.scheduling_gates:
                return {Place.GATED}
            held = {Place.GATED} if known.pod.uid in self.preempting else set()
            return {Place.ACTIVE, Place.BACKOFF, Place.UNSCHEDULABLE} | held
        if group.name not in self.objects:
            return {Place.INCOMPLETE}
        busy = isinstance(self.attempt, QueuedPodGroupInfo) and self.attempt.group == group
        if busy:
            return {Place.PENDING}
        return {Place.ACTIVE, Place.BACKOFF, Place.GATED}

    def teardown(self) -> None:
        """Clear the way, and see every pod come out."""
        if self.attempt is not None:
            self.finish(0, refused=False, preempts=False)
        for key in list(self.preempting):
            self._end_preemption(key, failed=False)
        for name in ("red", "blue"):
            self.write_group(name, 1)
        for uid in list(self.model):
            self.end_binding(uid, succeeds=False)
            self.remove_gate(uid)
        waiting = set(self.model)
        for _ in range(30):
            self.stage.wait(40)
            while (entity := self.stage.pop()) is not None:
                waiting -= {pod.uid for pod in _members(entity)}
                self.stage.finish(entity, {}, "scheduled")
        assert not waiting

    def _update(self, uid: PodUid, **changes: object) -> None:
        known = self.model.get(uid)
        if known is not None:
            old = known.pod
            self.serial += 1
            known.pod = msgspec.structs.replace(old, resource_version=str(self.serial), **changes)
            self.stage.handlers.pod_updated(old, known.pod)


class GatheredPlaces(QueuePlaces):
    """The same where members are queued one by one, as in 1.36."""

    GATHERS = True

    def _allowed(self, known: Known, *, in_flight: bool) -> set[Place]:
        if known.pod.pod_group is None or known.binding or in_flight:
            return super()._allowed(known, in_flight=in_flight)
        if known.pod.scheduling_gates:
            return {Place.GATED}
        return {Place.ACTIVE, Place.BACKOFF, Place.GATED}


TestQueuePlaces = QueuePlaces.TestCase
TestGatheredPlaces = GatheredPlaces.TestCase
TestGatheredPlaces.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
TestQueuePlaces.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
