"""Cache, queue and event handlers on a stage: what the scheduler sees, without a server.

The clock is a number that tests set; the plugins are the real ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from kubegang.base.feature_gates import FeatureGates
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.eventhandlers import EventHandlers
from kubegang.scheduler.framework.entities import (
    QueuedEntity,
    QueuedPodGroupInfo,
    QueuedPodInfo,
)
from kubegang.scheduler.framework.events import Action, ClusterEvent, HintRegistration
from kubegang.scheduler.framework.interface import PluginContext
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import (
    NodeName,
    PodGroupInfo,
    PodGroupKey,
    PodInfo,
    PodUid,
    Requests,
)
from kubegang.scheduler.framework.terms import NodeAffinityTerms
from kubegang.scheduler.plugins.defaultpreemption.plugin import DefaultPreemption
from kubegang.scheduler.plugins.gangscheduling.plugin import GangScheduling
from kubegang.scheduler.plugins.schedulinggates.plugin import SchedulingGates
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.groupflow import AttemptStatus
from kubegang.scheduler.queue.places import Place
from kubegang.scheduler.queue.queue import SchedulingQueue
from kubegang.scheduler.queue.rules import QueueRules

SCHEDULER = "default-scheduler"
FIT = "NodeResourcesFit"
"""The plugin that refuses ordinary pods in these tests; new nodes may cure it."""


def make_pod_info(name: str, group: str = "", **changes: object) -> PodInfo:
    """Return a pending pod of one CPU; ``changes`` replace fields."""
    base = PodInfo(
        uid=PodUid(f"uid-{name}"),
        namespace="ns",
        name=name,
        resource_version="1",
        labels={},
        scheduler_name=SCHEDULER,
        priority=0,
        preemption_policy="PreemptLowerPriority",
        node_name=NodeName(""),
        nominated_node_name=NodeName(""),
        pod_group=PodGroupKey("ns", group) if group else None,
        workload_ref=None,
        scheduling_gates=(),
        requests=Requests((("cpu", 1000),), 1000, 200 * 1024 * 1024),
        affinity=NodeAffinityTerms((), None, ()),
        tolerations=(),
        host_ports=(),
        images=(),
        terminating=False,
        finished=False,
        created=0.0,
        condition=None,
        generation=1,
    )
    return msgspec.structs.replace(base, **changes)


def make_group_info(name: str, min_count: int | None, **changes: object) -> PodGroupInfo:
    """Return a PodGroup; ``min_count`` ``None`` makes it a basic one."""
    base = PodGroupInfo(
        key=PodGroupKey("ns", name),
        uid=f"uid-{name}",
        resource_version="1",
        created=0.0,
        terminating=False,
        min_count=min_count,
        topology_key="",
        priority=0,
        preemption_policy="PreemptLowerPriority",
        disruption_mode="single",
        parent="",
        initially_scheduled=None,
    )
    return msgspec.structs.replace(base, **changes)


def make_node_info(name: str, *, cpu: int = 4, **changes: object) -> NodeInfo:
    """Return a node of so many CPUs."""
    base = NodeInfo(
        name=NodeName(name),
        uid=f"uid-{name}",
        resource_version="1",
        labels={},
        taints=(),
        unschedulable=False,
        allocatable=(("cpu", 1000 * cpu),),
        allowed_pods=110,
    )
    return msgspec.structs.replace(base, **changes)


def newer(pod: PodInfo, **changes: object) -> PodInfo:
    """Return the pod after a change, with another resourceVersion."""
    version = str(int(pod.resource_version) + 1)
    return msgspec.structs.replace(pod, resource_version=version, **changes)


@dataclass
class StageClock:
    """A clock that only tests move."""

    time: float = 1000.0

    def now(self) -> float:
        return self.time

    def steady(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nothing on the stage sleeps")


class NobodyBinds:
    """A watch over bindings where there are none."""

    def pod_gone(self, uid: PodUid) -> None:
        """Have nothing to forget."""

    def node_gone(self, node: NodeName) -> None:
        """Have nobody to send back."""


class Stage:
    """Drives the queue through the event handlers, as the informers would."""

    def __init__(
        self,
        *,
        policy: BackoffPolicy | None = None,
        wakes_after_deletion: bool = False,
        gathers: bool = False,
    ) -> None:
        context = PluginContext(FeatureGates({"GenericWorkload": True}))
        gang, gates = GangScheduling(context), SchedulingGates(context)
        preemption = DefaultPreemption(context)
        self.rules = QueueRules(
            gates=(gates, preemption, gang),
            hints={
                gates.NAME: gates.queueing_hints(),
                gang.NAME: gang.queueing_hints(),
                preemption.NAME: preemption.queueing_hints(),
                FIT: (
                    HintRegistration(ClusterEvent("Node", Action.ADD)),
                    HintRegistration(ClusterEvent("AssignedPod", Action.DELETE)),
                ),
            },
            wakes_after_deletion=wakes_after_deletion,
            groups=not gathers,
            gathers=gathers,
        )
        self.clock = StageClock()
        self.cache = Cache()
        self.queue = SchedulingQueue(
            {SCHEDULER: self.rules}, self.cache.groups, policy or BackoffPolicy()
        )
        self.moves: list[Move] = []
        self.handlers = EventHandlers(
            self.cache,
            self.queue,
            scheduler_names=[SCHEDULER],
            clock=self.clock,
            handled=lambda event, moves, seconds: self.moves.extend(moves),
            binding=NobodyBinds(),
        )

    def add(self, *objects: PodInfo | PodGroupInfo | NodeInfo) -> None:
        """Let objects appear."""
        for obj in objects:
            if isinstance(obj, PodInfo):
                self.handlers.pod_added(obj)
            elif isinstance(obj, PodGroupInfo):
                self.handlers.pod_group_added(obj)
            else:
                self.handlers.node_added(obj)

    def pods(self, *names: str, group: str = "") -> list[PodInfo]:
        """Let pods appear, and return them."""
        pods = [make_pod_info(name, group) for name in names]
        self.add(*pods)
        return pods

    def place(self, pod: PodInfo) -> Place:
        """Return where a pod is."""
        return self.queue.contents.place_of(pod)

    def places(self, *pods: PodInfo) -> set[Place]:
        """Return where several pods are."""
        return {self.place(pod) for pod in pods}

    def pop(self) -> QueuedEntity | None:
        """Pop the next entity."""
        return self.queue.pop(now=self.clock.time)

    def pop_group(self) -> QueuedPodGroupInfo:
        """Pop what must be a group."""
        entity = self.pop()
        assert isinstance(entity, QueuedPodGroupInfo)
        return entity

    def pop_pod(self) -> QueuedPodInfo:
        """Pop what must be an ordinary pod."""
        entity = self.pop()
        assert isinstance(entity, QueuedPodInfo)
        return entity

    def fail(self, entity: QueuedEntity, *plugins: str, error: bool = False) -> None:
        """End an attempt that placed nobody."""
        members = entity.members if isinstance(entity, QueuedPodGroupInfo) else [entity]
        failed = {queued.pod.uid: frozenset(plugins) for queued in members}
        self.finish(entity, failed, "error" if error else "unschedulable")

    def finish(
        self,
        entity: QueuedEntity,
        failed: dict[PodUid, frozenset[str]],
        status: AttemptStatus,
    ) -> None:
        """End an attempt."""
        self.moves += self.queue.finish(entity, failed, status, now=self.clock.time)

    def wait(self, seconds: float) -> None:
        """Let time pass and the queue notice."""
        self.clock.time += seconds
        self.moves += self.queue.tick(now=self.clock.time)

    def validate(self) -> None:
        """Check the invariants of cache and queue."""
        self.cache.validate()
        self.queue.validate()


def names(entity: QueuedPodGroupInfo) -> list[str]:
    """Return the names of a group's members, in order."""
    return [queued.pod.name for queued in entity.members]
