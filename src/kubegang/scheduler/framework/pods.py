"""Pods and pod groups as the scheduler sees them: compact, frozen, with parts interned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, NewType

import msgspec

from kubegang.scheduler.framework.devices import ClaimReference
from kubegang.scheduler.framework.extendedresources import ExtendedRequest
from kubegang.scheduler.framework.podvolumes import PodVolume
from kubegang.scheduler.framework.terms import (
    NodeAffinityTerms,
    PodAffinityTerms,
    SpreadConstraint,
    Toleration,
)

PodUid = NewType("PodUid", str)
NodeName = NewType("NodeName", str)


GroupKind = Literal["PodGroup", "CompositePodGroup"]


class PodGroupKey(NamedTuple):
    """Namespace, name and kind of a group: of a PodGroup, or of a CompositePodGroup.

    Names of the two kinds do not get in each other's way.
    """

    namespace: str
    name: str
    kind: GroupKind = "PodGroup"

    @property
    def is_composite(self) -> bool:
        """Whether its members are groups, not pods."""
        return self.kind == "CompositePodGroup"

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class ControllerKey(NamedTuple):
    """What manages a pod, of the kinds whose selectors tell pods apart: see ``workloads``."""

    kind: Literal["ReplicationController", "ReplicaSet", "StatefulSet"]
    namespace: str
    name: str


class HostPort(NamedTuple):
    """A port that the pod takes on its node."""

    host_ip: str
    protocol: str
    port: int


class Requests(NamedTuple):
    """What a pod asks of a node, in exact integers.

    Attributes:
        items: resource name and amount, sorted by name; cpu in milli-CPU, memory and
            ephemeral-storage in bytes, everything else in units. Zero amounts are left out.
        score_milli_cpu: for scoring, 100 per container that asks for no cpu.
        score_memory_bytes: for scoring, 200 MiB per container that asks for no memory.
    """

    items: tuple[tuple[str, int], ...]
    score_milli_cpu: int
    score_memory_bytes: int


class PodInfo(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The scheduler's view of one pod.

    Attributes:
        node_name: where it is bound or assumed; empty while it is pending.
        nominated_node_name: where preemption promised it room; empty if nowhere.
        pod_group: the group it names, if any, whether or not that exists.
        workload_ref: 1.35's ``(workload, pod group, replica key)``, if any.
        terminating: it has a deletionTimestamp.
        finished: its phase is Succeeded or Failed.
        images: of all containers, with ``:latest`` where no tag is written.
        created: metadata.creationTimestamp, seconds since the epoch.
        condition: the PodScheduled condition as last seen: (status, reason, message).
        generation: metadata.generation, which the condition repeats.
        started: status.startTime, seconds since the epoch; ``None`` before it has one.
        preempted: it is terminating because preemption evicted it.
        pod_affinity: what it wants of the pods around it, if anything.
        spread: its own topology spread constraints.
        controller: what manages it, if that is one of the kinds of ``ControllerKey``.
        volumes: those of its volumes that matter to where it may run.
        features: what its node must be able to do, by the names that nodes declare.
        volume_sources: what its volumes are, as text, without ConfigMaps and Secrets.
        device_claims: the device claims that it names, in its order.
        extended_requests: what its containers ask for of resources that devices may stand
            behind.
    """

    uid: PodUid
    namespace: str
    name: str
    resource_version: str
    labels: Mapping[str, str]
    scheduler_name: str
    priority: int
    preemption_policy: Literal["PreemptLowerPriority", "Never"]
    node_name: NodeName
    nominated_node_name: NodeName
    pod_group: PodGroupKey | None
    workload_ref: tuple[str, str, str] | None
    scheduling_gates: tuple[str, ...]
    requests: Requests
    affinity: NodeAffinityTerms
    tolerations: tuple[Toleration, ...]
    host_ports: tuple[HostPort, ...]
    images: tuple[str, ...]
    terminating: bool
    finished: bool
    created: float
    condition: tuple[str, str, str] | None
    generation: int = 0
    started: float | None = None
    preempted: bool = False
    pod_affinity: PodAffinityTerms | None = None
    spread: tuple[SpreadConstraint, ...] = ()
    controller: ControllerKey | None = None
    volumes: tuple[PodVolume, ...] = ()
    features: tuple[str, ...] = ()
    volume_sources: tuple[bytes, ...] = ()
    device_claims: tuple[ClaimReference, ...] = ()
    extended_requests: tuple[ExtendedRequest, ...] = ()

    @property
    def has_claims(self) -> bool:
        """Whether it names device claims."""
        return bool(self.device_claims)

    @property
    def key(self) -> str:
        """``namespace/name``, as texts and logs name it."""
        return f"{self.namespace}/{self.name}"


def is_twin(one: PodInfo, other: PodInfo) -> bool:
    """Return whether two pods differ in nothing that a filter or a score may depend on.

    Who a pod is (name, uid, version, age) and what it was told last must not decide where it
    may run.
    """
    return (
        one.requests == other.requests
        and one.affinity == other.affinity
        and one.tolerations == other.tolerations
        and one.host_ports == other.host_ports
        and one.images == other.images
        and one.labels == other.labels
        and one.priority == other.priority
        and one.nominated_node_name == other.nominated_node_name
        and one.node_name == other.node_name
        and one.namespace == other.namespace
        and one.pod_group == other.pod_group
        and one.scheduler_name == other.scheduler_name
        and one.pod_affinity == other.pod_affinity
        and one.spread == other.spread
        and one.controller == other.controller
        and one.volumes == other.volumes
        and one.features == other.features
        and one.device_claims == other.device_claims
        and one.extended_requests == other.extended_requests
    )


class PodGroupInfo(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The scheduler's view of one PodGroup object (1.35: of a Workload's group).

    A CompositePodGroup has the same form: its members are groups, and it has no condition.

    Attributes:
        min_count: the gang's minimum; ``None`` for a basic group.
        topology_key: the one topology key its pods must share, or empty.
        disruption_mode: whether preemption may take single members or only all.
        parent: the name of the CompositePodGroup that it belongs to, or empty.
        initially_scheduled: the scheduling condition as last seen: (status, reason, message).
        device_claims: the device claims that its pods share.
    """

    key: PodGroupKey
    uid: str
    resource_version: str
    created: float
    terminating: bool
    min_count: int | None
    topology_key: str
    priority: int
    preemption_policy: Literal["PreemptLowerPriority", "Never"]
    disruption_mode: Literal["single", "all"]
    parent: str
    initially_scheduled: tuple[str, str, str] | None
    device_claims: tuple[ClaimReference, ...] = ()

    @property
    def quorum(self) -> int:
        """How many members make the group worth starting: 1 for a basic group."""
        return 1 if self.min_count is None else self.min_count

    @property
    def is_composite(self) -> bool:
        """Whether its members are groups, not pods."""
        return self.key.is_composite

    @property
    def parent_key(self) -> PodGroupKey | None:
        """The group that it belongs to, whether or not that exists; ``None`` for a root."""
        if not self.parent:
            return None
        return PodGroupKey(self.key.namespace, self.parent, "CompositePodGroup")
