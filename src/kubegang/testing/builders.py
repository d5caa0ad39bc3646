"""Builders of API objects for tests: immutable, in the words of the domain.

Each method returns a new builder, so a shared base cannot leak from one row of a table to the
next. A bare builder makes a valid object. ``obj()`` gives the typed form, ``json()`` what a
client would send, ``times(n)`` a list with numbered names; ``info()`` the scheduler's view.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from kubegang.api.core.affinity import (
    Affinity,
    NodeAffinity,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PreferredSchedulingTerm,
    Toleration,
)
from kubegang.api.core.types import (
    Container,
    ContainerImage,
    ContainerPort,
    Node,
    NodeSpec,
    NodeStatus,
    Pod,
    PodSchedulingGate,
    PodSchedulingGroup,
    PodSpec,
    PodStatus,
    ResourceRequirements,
    Taint,
)
from kubegang.api.meta import Empty, Form, ObjectMeta
from kubegang.api.scheduling.types import (
    DisruptionMode,
    GangSchedulingPolicy,
    PodGroup,
    PodGroupSchedulingPolicy,
    PodGroupSpec,
    PriorityClass,
    SchedulingConstraints,
    TopologyConstraint,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.scheduler.framework.conversion import node_info, pod_group_info, pod_info
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo

FormT = TypeVar("FormT", bound=Form)
T = TypeVar("T", bound="_Builder")

GPU = "nvidia.com/gpu"


def _replace(form: FormT, **changes: Any) -> FormT:
    return msgspec.structs.replace(form, **changes)


def _amounts(amounts: Mapping[str, str]) -> dict[str, str]:
    """Return resource names for keyword arguments: ``gpu`` is the GPU resource."""
    return {GPU if name == "gpu" else name: amount for name, amount in amounts.items()}


@dataclasses.dataclass(frozen=True)
class _Builder:
    """What all builders have: metadata."""

    metadata: ObjectMeta

    def _with_meta(self: T, **changes: Any) -> T:
        return dataclasses.replace(self, metadata=_replace(self.metadata, **changes))

    def named(self: T, name: str) -> T:
        """Give it another name, and the uid that goes with it."""
        return self._with_meta(name=name, uid=f"uid-{name}")

    def times(self: T, count: int) -> list[T]:
        """Return numbered copies: ``w-0``, ``w-1`` and so on."""
        return [self.named(f"{self.metadata.name}-{index}") for index in range(count)]

    def ns(self: T, namespace: str) -> T:
        """Put it into a namespace."""
        return self._with_meta(namespace=namespace)

    def label(self: T, key: str, value: str) -> T:
        """Add a label."""
        return self._with_meta(labels={**self.metadata.labels, key: value})

    def created(self: T, seconds: float) -> T:
        """Say when it was created, in seconds since the epoch."""
        return self._with_meta(creation_timestamp=format_time(seconds))

    def terminating(self: T) -> T:
        """Give it a deletion timestamp."""
        return self._with_meta(deletion_timestamp=format_time(0))


@dataclasses.dataclass(frozen=True)
class PodBuilder(_Builder):
    """Builds pods."""

    spec: PodSpec
    status: PodStatus

    def _with_spec(self, **changes: Any) -> PodBuilder:
        return dataclasses.replace(self, spec=_replace(self.spec, **changes))

    def _with_container(self, **changes: Any) -> PodBuilder:
        first, *rest = self.spec.containers or ()
        return self._with_spec(containers=(_replace(first, **changes), *rest))

    def req(self, **amounts: str) -> PodBuilder:
        """Ask for resources; ``gpu`` stands for the extended resource, whose limit is set too."""
        requests = _amounts(amounts)
        limits = {name: amount for name, amount in requests.items() if "/" in name}
        return self._with_container(resources=ResourceRequirements(requests, limits))

    def init(self, *, sidecar: bool = False, **amounts: str) -> PodBuilder:
        """Add an init container that asks for resources."""
        number = len(self.spec.init_containers)
        container = Container(
            name=f"init-{number}",
            image="registry.example/init:1",
            resources=ResourceRequirements(_amounts(amounts)),
            restart_policy="Always" if sidecar else None,
        )
        return self._with_spec(init_containers=(*self.spec.init_containers, container))

    def overhead(self, **amounts: str) -> PodBuilder:
        """Add what the runtime itself needs."""
        return self._with_spec(overhead=_amounts(amounts))

    def group(self, name: str) -> PodBuilder:
        """Make it a member of a PodGroup."""
        return self._with_spec(scheduling_group=PodSchedulingGroup(name))

    def priority(self, value: int) -> PodBuilder:
        """Set the priority that admission would compute."""
        return self._with_spec(priority=value)

    def never_preempting(self) -> PodBuilder:
        """Give it preemptionPolicy Never."""
        return self._with_spec(preemption_policy="Never")

    def scheduler(self, name: str) -> PodBuilder:
        """Choose the scheduler profile."""
        return self._with_spec(scheduler_name=name)

    def on(self, node: str) -> PodBuilder:
        """Bind it to a node."""
        return self._with_spec(node_name=node)

    def nominated(self, node: str) -> PodBuilder:
        """Promise it a node."""
        return dataclasses.replace(self, status=_replace(self.status, nominated_node_name=node))

    def phase(self, phase: str) -> PodBuilder:
        """Set status.phase."""
        return dataclasses.replace(self, status=_replace(self.status, phase=phase))

    def gated(self, *names: str) -> PodBuilder:
        """Add scheduling gates."""
        return self._with_spec(scheduling_gates=tuple(PodSchedulingGate(name) for name in names))

    def toleration(
        self, key: str, operator: str = "Exists", *, value: str = "", effect: str = ""
    ) -> PodBuilder:
        """Tolerate a taint; an empty key tolerates every one."""
        added = Toleration(key, operator, value, effect)
        return self._with_spec(tolerations=(*self.spec.tolerations, added))

    def select(self, key: str, value: str) -> PodBuilder:
        """Ask for a node label through nodeSelector."""
        return self._with_spec(node_selector={**self.spec.node_selector, key: value})

    def requires(self, *requirements: tuple[str, str, tuple[str, ...]]) -> PodBuilder:
        """Add an alternative to the required affinity, of (key, operator, values) each."""
        return self._require(NodeSelectorTerm(match_expressions=_requirements(requirements)))

    def requires_name(self, operator: str, *names: str) -> PodBuilder:
        """Add an alternative about metadata.name, one expression per name."""
        fields = tuple(NodeSelectorRequirement("metadata.name", operator, (n,)) for n in names)
        return self._require(NodeSelectorTerm(match_fields=fields))

    def prefers(self, weight: int, *requirements: tuple[str, str, tuple[str, ...]]) -> PodBuilder:
        """Add a preferred node affinity term."""
        affinity = self._node_affinity()
        term = NodeSelectorTerm(match_expressions=_requirements(requirements))
        preferred = affinity.preferred_during_scheduling_ignored_during_execution
        added = (*preferred, PreferredSchedulingTerm(weight, term))
        return self._with_affinity(
            _replace(affinity, preferred_during_scheduling_ignored_during_execution=added)
        )

    def port(self, number: int, protocol: str = "TCP", *, ip: str = "") -> PodBuilder:
        """Take a port of the host."""
        first = (self.spec.containers or (Container(),))[0]
        added = ContainerPort(number, number, ip, protocol)
        return self._with_container(ports=(*first.ports, added))

    def image(self, name: str) -> PodBuilder:
        """Set the container's image."""
        return self._with_container(image=name)

    def obj(self) -> Pod:
        """Return the typed form."""
        return Pod(metadata=self.metadata, spec=self.spec, status=self.status)

    def json(self) -> JsonObject:
        """Return what a client would send."""
        return _json("v1", "Pod", self.obj())

    def info(self) -> PodInfo:
        """Return the scheduler's view."""
        return pod_info(self.obj())

    def _require(self, term: NodeSelectorTerm) -> PodBuilder:
        affinity = self._node_affinity()
        required = affinity.required_during_scheduling_ignored_during_execution or NodeSelector()
        terms = (*(required.node_selector_terms or ()), term)
        return self._with_affinity(
            _replace(
                affinity,
                required_during_scheduling_ignored_during_execution=NodeSelector(terms),
            )
        )

    def _node_affinity(self) -> NodeAffinity:
        affinity = self.spec.affinity
        return (affinity and affinity.node_affinity) or NodeAffinity()

    def _with_affinity(self, affinity: NodeAffinity) -> PodBuilder:
        return self._with_spec(affinity=Affinity(node_affinity=affinity))


@dataclasses.dataclass(frozen=True)
class NodeBuilder(_Builder):
    """Builds nodes."""

    spec: NodeSpec
    status: NodeStatus

    def capacity(self, **amounts: str) -> NodeBuilder:
        """Set some of what the node has; ``gpu`` stands for the extended resource."""
        allocatable = {**self.status.allocatable, **_amounts(amounts)}
        changed = _replace(self.status, allocatable=allocatable, capacity=allocatable)
        return dataclasses.replace(self, status=changed)

    def zone(self, name: str) -> NodeBuilder:
        """Put it into a zone."""
        return self.label("topology.kubernetes.io/zone", name)

    def rack(self, name: str) -> NodeBuilder:
        """Put it into a rack."""
        return self.label("rack", name)

    def taint(self, key: str, effect: str = "NoSchedule", *, value: str = "") -> NodeBuilder:
        """Add a taint."""
        taints = (*self.spec.taints, Taint(key, value, effect))
        return dataclasses.replace(self, spec=_replace(self.spec, taints=taints))

    def cordoned(self) -> NodeBuilder:
        """Make it unschedulable."""
        return dataclasses.replace(self, spec=_replace(self.spec, unschedulable=True))

    def image(self, name: str, *, size_bytes: int) -> NodeBuilder:
        """Put an image onto it."""
        images = (*self.status.images, ContainerImage((name,), size_bytes))
        return dataclasses.replace(self, status=_replace(self.status, images=images))

    def obj(self) -> Node:
        """Return the typed form; the hostname label follows the name."""
        labels = {"kubernetes.io/hostname": self.metadata.name, **self.metadata.labels}
        metadata = _replace(self.metadata, labels=labels)
        return Node(metadata=metadata, spec=self.spec, status=self.status)

    def json(self) -> JsonObject:
        """Return what a client would send."""
        return _json("v1", "Node", self.obj())

    def info(self) -> NodeInfo:
        """Return the scheduler's view."""
        return node_info(self.obj())


@dataclasses.dataclass(frozen=True)
class PodGroupBuilder(_Builder):
    """Builds PodGroups."""

    spec: PodGroupSpec

    def _with_spec(self, **changes: Any) -> PodGroupBuilder:
        return dataclasses.replace(self, spec=_replace(self.spec, **changes))

    def gang(self, *, min_count: int) -> PodGroupBuilder:
        """Ask for at least so many pods at once."""
        policy = PodGroupSchedulingPolicy(gang=GangSchedulingPolicy(min_count))
        return self._with_spec(scheduling_policy=policy)

    def basic(self) -> PodGroupBuilder:
        """Ask for nothing."""
        return self._with_spec(scheduling_policy=PodGroupSchedulingPolicy(basic=Empty()))

    def topology(self, key: str) -> PodGroupBuilder:
        """Keep the group within one domain of a topology key."""
        constraints = SchedulingConstraints((TopologyConstraint(key),))
        return self._with_spec(scheduling_constraints=constraints)

    def priority(self, value: int) -> PodGroupBuilder:
        """Set the priority that admission would compute."""
        return self._with_spec(priority=value)

    def never_preempting(self) -> PodGroupBuilder:
        """Give it preemptionPolicy Never."""
        return self._with_spec(preemption_policy="Never")

    def disrupted_whole(self) -> PodGroupBuilder:
        """Let preemption take all members or none."""
        return self._with_spec(disruption_mode=DisruptionMode(all=Empty()))

    def obj(self) -> PodGroup:
        """Return the typed form."""
        return PodGroup(metadata=self.metadata, spec=self.spec)

    def json(self) -> JsonObject:
        """Return what a client would send."""
        return _json("scheduling.k8s.io/v1beta1", "PodGroup", self.obj())

    def info(self) -> PodGroupInfo:
        """Return the scheduler's view."""
        return pod_group_info(self.obj(), condition_type="PodGroupInitiallyScheduled")


@dataclasses.dataclass(frozen=True)
class PriorityClassBuilder(_Builder):
    """Builds PriorityClasses."""

    value: int
    preemption_policy: str | None = None

    def never_preempting(self) -> PriorityClassBuilder:
        """Give it preemptionPolicy Never."""
        return dataclasses.replace(self, preemption_policy="Never")

    def obj(self) -> PriorityClass:
        """Return the typed form."""
        return PriorityClass(
            metadata=self.metadata, value=self.value, preemption_policy=self.preemption_policy
        )

    def json(self) -> JsonObject:
        """Return what a client would send."""
        return {**_json("scheduling.k8s.io/v1", "PriorityClass", self.obj()), "value": self.value}


def make_pod(name: str = "p") -> PodBuilder:
    """Return a builder of a pending pod with one container that asks for nothing."""
    container = Container(name="main", image="registry.example/app:1")
    return PodBuilder(
        _metadata(name, namespace="default"),
        PodSpec(containers=(container,), scheduler_name="default-scheduler"),
        PodStatus(phase="Pending"),
    )


def make_node(name: str = "n") -> NodeBuilder:
    """Return a builder of a node with 4 CPUs, 32 GiB and room for 110 pods."""
    node = NodeBuilder(_metadata(name), NodeSpec(), NodeStatus())
    return node.capacity(cpu="4", memory="32Gi", pods="110")


def make_podgroup(name: str = "g") -> PodGroupBuilder:
    """Return a builder of a basic group."""
    return PodGroupBuilder(_metadata(name, namespace="default"), PodGroupSpec()).basic()


def make_priority_class(name: str, value: int) -> PriorityClassBuilder:
    """Return a builder of a priority class."""
    return PriorityClassBuilder(_metadata(name), value)


def make_cluster(
    *, nodes: int = 0, racks: int = 0, nodes_per_rack: int = 8, like: NodeBuilder | None = None
) -> list[NodeBuilder]:
    """Return equal nodes: ``n-0`` … without racks, or ``r0-0`` … with label ``rack``.

    Args:
        nodes: how many, without racks.
        racks: how many racks of ``nodes_per_rack`` nodes each.
        nodes_per_rack: how many nodes a rack has.
        like: what each of them looks like; 4 CPUs if not given.
    """
    base = like or make_node("n")
    in_racks = [
        node
        for rack in range(racks)
        for node in base.rack(f"r{rack}").named(f"r{rack}").times(nodes_per_rack)
    ]
    return base.times(nodes) + in_racks


def _metadata(name: str, *, namespace: str = "") -> ObjectMeta:
    return ObjectMeta(
        name=name, namespace=namespace, uid=f"uid-{name}", creation_timestamp=format_time(0)
    )


def _requirements(
    requirements: tuple[tuple[str, str, tuple[str, ...]], ...],
) -> tuple[NodeSelectorRequirement, ...]:
    return tuple(NodeSelectorRequirement(*requirement) for requirement in requirements)


def _json(api_version: str, kind: str, obj: Form) -> JsonObject:
    body: JsonObject = msgspec.to_builtins(obj)
    # What the server fills in is not sent.
    for field in ("uid", "creationTimestamp", "resourceVersion"):
        body["metadata"].pop(field, None)
    return {"apiVersion": api_version, "kind": kind, **body}
