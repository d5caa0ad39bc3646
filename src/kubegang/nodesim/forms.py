"""Pods and nodes in typed form: what a simulated kubelet reads of them, no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kubegang.api.core.affinity import NodeAffinity, Toleration
from kubegang.api.core.types import Amount, ContainerPort, ResourceRequirements
from kubegang.api.meta import Condition, Form, ObjectMeta
from kubegang.nodesim.annotations import SILENT


class Container(Form, frozen=True):
    """One container to run; an init container with restartPolicy Always runs beside the others."""

    name: str = ""
    image: str = ""
    restart_policy: str = ""
    resources: ResourceRequirements = ResourceRequirements()
    ports: tuple[ContainerPort, ...] = ()


class Affinity(Form, frozen=True):
    """``spec.affinity``: of other pods a kubelet does not ask."""

    node_affinity: NodeAffinity | None = None


class PodOS(Form, frozen=True):
    """``spec.os``."""

    name: str = ""


class PodClaim(Form, frozen=True):
    """One entry of ``spec.resourceClaims``."""

    name: str = ""
    resource_claim_name: str | None = None


class SchedulingGroup(Form, frozen=True):
    """``spec.schedulingGroup``."""

    pod_group_name: str | None = None


class PodSpec(Form, frozen=True):
    """``spec`` of a Pod."""

    node_name: str = ""
    restart_policy: str = "Always"
    active_deadline_seconds: int | None = None
    init_containers: tuple[Container, ...] = ()
    containers: tuple[Container, ...] = ()
    resource_claims: tuple[PodClaim, ...] = ()
    scheduling_group: SchedulingGroup | None = None
    resources: ResourceRequirements | None = None
    overhead: Mapping[str, Amount] = {}
    node_selector: Mapping[str, str] = {}
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    os: PodOS | None = None


class Running(Form, frozen=True):
    """The state of a container that runs."""

    started_at: str | None = None


class Waiting(Form, frozen=True):
    """The state of a container that does not run yet, or not now."""

    reason: str = ""


class Terminated(Form, frozen=True):
    """The state of a container that has ended."""

    exit_code: int = 0
    reason: str = ""
    started_at: str | None = None
    finished_at: str | None = None


class ContainerState(Form, frozen=True):
    """Exactly one of these."""

    running: Running | None = None
    waiting: Waiting | None = None
    terminated: Terminated | None = None


class ContainerStatus(Form, frozen=True):
    """What was reported of one container."""

    name: str = ""
    state: ContainerState = ContainerState()
    last_state: ContainerState = ContainerState()
    restart_count: int = 0


class PodClaimStatus(Form, frozen=True):
    """One entry of ``status.resourceClaimStatuses``."""

    name: str = ""
    resource_claim_name: str | None = None


class RequestMapping(Form, frozen=True):
    """An extended resource of a container for which the pod's claim has devices."""

    container_name: str = ""
    resource_name: str = ""


class ExtendedClaimStatus(Form, frozen=True):
    """``status.extendedResourceClaimStatus``."""

    resource_claim_name: str = ""
    request_mappings: tuple[RequestMapping, ...] = ()


class PodStatus(Form, frozen=True):
    """``status`` of a Pod."""

    phase: str = "Pending"
    conditions: tuple[Condition, ...] = ()
    start_time: str | None = None
    pod_ip: str = msgspec.field(name="podIP", default="")
    container_statuses: tuple[ContainerStatus, ...] = ()
    resource_claim_statuses: tuple[PodClaimStatus, ...] = ()
    extended_resource_claim_status: ExtendedClaimStatus | None = None


class SimulatedPod(Form, frozen=True):
    """A Pod."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def has_ended(self) -> bool:
        """Whether no container will run again."""
        return self.status.phase in ("Succeeded", "Failed")

    @property
    def group_name(self) -> str:
        """The PodGroup that the pod names, empty if it names none."""
        group = self.spec.scheduling_group
        return (group.pod_group_name or "") if group is not None else ""


class ClaimConsumer(Form, frozen=True):
    """One entry of ``status.reservedFor``."""

    api_group: str = ""
    resource: str = ""
    name: str = ""
    uid: str = ""


class ClaimStatus(Form, frozen=True):
    """``status`` of a ResourceClaim."""

    allocation: dict[str, Any] | None = None
    reserved_for: tuple[ClaimConsumer, ...] = ()


class SimulatedClaim(Form, frozen=True):
    """A ResourceClaim."""

    metadata: ObjectMeta = ObjectMeta()
    status: ClaimStatus = ClaimStatus()


class Address(Form, frozen=True):
    """One entry of ``status.addresses`` of a Node."""

    type: str = ""
    address: str = ""


class Taint(Form, frozen=True):
    """One entry of ``spec.taints``."""

    key: str = ""
    value: str = ""
    effect: str = ""
    time_added: str | None = None


class NodeSpec(Form, frozen=True):
    """``spec`` of a Node."""

    taints: tuple[Taint, ...] = ()


class NodeStatus(Form, frozen=True):
    """``status`` of a Node."""

    conditions: tuple[Condition, ...] = ()
    addresses: tuple[Address, ...] = ()
    allocatable: Mapping[str, Amount] = {}


class SimulatedNode(Form, frozen=True):
    """A Node."""

    metadata: ObjectMeta = ObjectMeta()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()

    @property
    def is_silent(self) -> bool:
        """Whether the node is to behave as if its kubelet was dead."""
        return self.metadata.annotations.get(SILENT) == "true"

    @property
    def is_ready(self) -> bool:
        """Whether the node reports itself Ready."""
        return any(c.type == "Ready" and c.status == "True" for c in self.status.conditions)

    @property
    def internal_ip(self) -> str:
        """The node's address, empty if it has none."""
        return next((a.address for a in self.status.addresses if a.type == "InternalIP"), "")
