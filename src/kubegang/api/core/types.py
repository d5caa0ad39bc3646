"""Pod, Node and Namespace, as the code reads them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kubegang.api.core.affinity import Affinity, Toleration, TopologySpreadConstraint
from kubegang.api.core.volumesources import (
    AzureDisk,
    CSIVolumeSource,
    EphemeralVolumeSource,
    GCEPersistentDisk,
    ISCSIVolumeSource,
    PersistentVolumeClaimVolumeSource,
    RBDVolumeSource,
    VolumeIDDisk,
)
from kubegang.api.meta import Form, ObjectMeta

Amount = str | int | float
"""A quantity; one that was not sent as text is a plain number."""


class ResourceRequirements(Form, frozen=True):
    """What a container, or a whole pod, asks for and may use."""

    requests: Mapping[str, Amount] = {}
    limits: Mapping[str, Amount] = {}


class ContainerPort(Form, frozen=True):
    """A port of a container; it takes room on the node only with a host port."""

    container_port: int = 0
    host_port: int = 0
    host_ip: str = msgspec.field(name="hostIP", default="")
    protocol: str = ""
    name: str = ""


class ContainerRestartRule(Form, frozen=True):
    """What is done when the container ends in some way."""

    action: str = ""


class VolumeMount(Form, frozen=True):
    """Where a volume is seen; of that, what a node must be able to do."""

    bind_mount_options: tuple[str, ...] = ()


class Container(Form, frozen=True):
    """A container or an init container."""

    name: str = ""
    image: str = ""
    resources: ResourceRequirements = ResourceRequirements()
    ports: tuple[ContainerPort, ...] = ()
    restart_policy: str | None = None
    restart_policy_rules: tuple[ContainerRestartRule, ...] = ()
    volume_mounts: tuple[VolumeMount, ...] = ()


class Volume(Form, frozen=True):
    """A volume, with the sources that scheduling looks at.

    Of those given as plain data it only matters whether two pods have the same.
    """

    name: str = ""
    persistent_volume_claim: PersistentVolumeClaimVolumeSource | None = None
    ephemeral: EphemeralVolumeSource | None = None
    csi: CSIVolumeSource | None = None
    gce_persistent_disk: GCEPersistentDisk | None = None
    aws_elastic_block_store: VolumeIDDisk | None = None
    azure_disk: AzureDisk | None = None
    cinder: VolumeIDDisk | None = None
    portworx_volume: VolumeIDDisk | None = None
    iscsi: ISCSIVolumeSource | None = None
    rbd: RBDVolumeSource | None = None
    config_map: object = None
    secret: object = None
    empty_dir: object = None
    host_path: object = None
    downward_api: object = msgspec.field(name="downwardAPI", default=None)
    projected: object = None
    nfs: object = None
    fc: object = None
    image: object = None


class PodSchedulingGate(Form, frozen=True):
    """A name that keeps the pod out of the queue until it is removed."""

    name: str = ""


class PodReadinessGate(Form, frozen=True):
    """A condition that must be True before the pod is Ready."""

    condition_type: str = ""


class PodSchedulingGroup(Form, frozen=True):
    """The PodGroup that the pod belongs to (1.36 and later)."""

    pod_group_name: str | None = None


class WorkloadReference(Form, frozen=True):
    """The Workload, and the group in it, that the pod belongs to (1.35 only)."""

    name: str = ""
    pod_group: str = ""
    pod_group_replica_key: str = ""


class PodResourceClaim(Form, frozen=True):
    """A device claim of the pod, by name or by template."""

    name: str = ""
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class PodSpec(Form, frozen=True):
    """``spec`` of a pod or of a pod template."""

    containers: tuple[Container, ...] | None = None
    init_containers: tuple[Container, ...] = ()
    volumes: tuple[Volume, ...] = ()
    restart_policy: str = ""
    termination_grace_period_seconds: int | None = None
    active_deadline_seconds: int | None = None
    node_selector: Mapping[str, str] = {}
    node_name: str = ""
    host_network: bool = False
    host_users: bool | None = None
    affinity: Affinity | None = None
    scheduler_name: str = ""
    tolerations: tuple[Toleration, ...] = ()
    priority_class_name: str = ""
    priority: int | None = None
    preemption_policy: str | None = None
    readiness_gates: tuple[PodReadinessGate, ...] = ()
    overhead: Mapping[str, Amount] = {}
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] = ()
    scheduling_gates: tuple[PodSchedulingGate, ...] = ()
    resource_claims: tuple[PodResourceClaim, ...] = ()
    resources: ResourceRequirements | None = None
    scheduling_group: PodSchedulingGroup | None = None
    workload_ref: WorkloadReference | None = None


class PodCondition(Form, frozen=True):
    """One entry of ``status.conditions`` of a pod."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    last_probe_time: str | None = None
    last_transition_time: str | None = None
    observed_generation: int = 0


class ContainerStateRunning(Form, frozen=True):
    """The container runs."""

    started_at: str | None = None


class ContainerStateTerminated(Form, frozen=True):
    """The container has ended."""

    exit_code: int = 0
    reason: str = ""
    message: str = ""
    started_at: str | None = None
    finished_at: str | None = None


class ContainerStateWaiting(Form, frozen=True):
    """The container does not run yet, or not any more until it is started again."""

    reason: str = ""
    message: str = ""


class ContainerState(Form, frozen=True):
    """One of three; none means waiting."""

    waiting: ContainerStateWaiting | None = None
    running: ContainerStateRunning | None = None
    terminated: ContainerStateTerminated | None = None


class ContainerStatus(Form, frozen=True):
    """What a node reports about a container."""

    name: str = ""
    state: ContainerState = ContainerState()
    ready: bool = False
    restart_count: int = 0
    image: str = ""
    started: bool | None = None


class PodResourceClaimStatus(Form, frozen=True):
    """The claim made for one entry of ``spec.resourceClaims``."""

    name: str = ""
    resource_claim_name: str | None = None


class PodStatus(Form, frozen=True):
    """``status`` of a pod."""

    phase: str = ""
    conditions: tuple[PodCondition, ...] = ()
    message: str = ""
    reason: str = ""
    nominated_node_name: str = ""
    host_ip: str = msgspec.field(name="hostIP", default="")
    pod_ip: str = msgspec.field(name="podIP", default="")
    start_time: str | None = None
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()
    qos_class: str = ""
    resource_claim_statuses: tuple[PodResourceClaimStatus, ...] = ()


class Pod(Form, frozen=True):
    """A pod."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()


class PodTemplateSpec(Form, frozen=True):
    """What a controller makes pods from."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()


class Taint(Form, frozen=True):
    """What keeps pods off a node unless they tolerate it."""

    key: str = ""
    value: str = ""
    effect: str = ""
    time_added: str | None = None


class NodeSpec(Form, frozen=True):
    """``spec`` of a node."""

    pod_cidr: str = msgspec.field(name="podCIDR", default="")
    pod_cidrs: tuple[str, ...] = msgspec.field(name="podCIDRs", default=())
    provider_id: str = msgspec.field(name="providerID", default="")
    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()


class NodeCondition(Form, frozen=True):
    """One entry of ``status.conditions`` of a node."""

    type: str = ""
    status: str = ""
    last_heartbeat_time: str | None = None
    last_transition_time: str | None = None
    reason: str = ""
    message: str = ""


class ContainerImage(Form, frozen=True):
    """An image that lies on the node."""

    names: tuple[str, ...] | None = None
    size_bytes: int = 0


class NodeAddress(Form, frozen=True):
    """An address of the node."""

    type: str = ""
    address: str = ""


class NodeStatus(Form, frozen=True):
    """``status`` of a node."""

    capacity: Mapping[str, Amount] = {}
    allocatable: Mapping[str, Amount] = {}
    conditions: tuple[NodeCondition, ...] = ()
    addresses: tuple[NodeAddress, ...] = ()
    images: tuple[ContainerImage, ...] = ()
    declared_features: tuple[str, ...] = ()


class Node(Form, frozen=True):
    """A node."""

    metadata: ObjectMeta = ObjectMeta()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class NamespaceSpec(Form, frozen=True):
    """``spec`` of a namespace."""

    finalizers: tuple[str, ...] = ()


class NamespaceStatus(Form, frozen=True):
    """``status`` of a namespace."""

    phase: str = ""


class Namespace(Form, frozen=True):
    """A namespace; its labels matter to pod affinity."""

    metadata: ObjectMeta = ObjectMeta()
    spec: NamespaceSpec = NamespaceSpec()
    status: NamespaceStatus = NamespaceStatus()
