"""PriorityClass, Workload, PodGroup and CompositePodGroup in one form for all releases.

The form is that of 1.37 (v1beta1 and v1alpha3 are equal in it); objects of the older
versions are brought to it by ``decoding``. A Workload of 1.35, whose groups have no objects
of their own, has them as templates here.
"""

from __future__ import annotations

from typing import Literal

from kubegang.api.meta import Condition, Empty, Form, ObjectMeta


class PriorityClass(Form, frozen=True):
    """A name for a priority."""

    metadata: ObjectMeta = ObjectMeta()
    value: int = 0
    global_default: bool = False
    description: str = ""
    preemption_policy: str | None = None


class GangSchedulingPolicy(Form, frozen=True):
    """All or nothing, of at least ``minCount`` pods."""

    min_count: int | None = None


class PodGroupSchedulingPolicy(Form, frozen=True):
    """Either ``basic`` or ``gang``."""

    basic: Empty | None = None
    gang: GangSchedulingPolicy | None = None


class CompositeGangSchedulingPolicy(Form, frozen=True):
    """All or nothing, of at least ``minGroupCount`` child groups."""

    min_group_count: int | None = None


class CompositePodGroupSchedulingPolicy(Form, frozen=True):
    """Either ``basic`` or ``gang``, of child groups."""

    basic: Empty | None = None
    gang: CompositeGangSchedulingPolicy | None = None


class TopologyConstraint(Form, frozen=True):
    """All pods on nodes with one common value of this label."""

    key: str = ""


class SchedulingConstraints(Form, frozen=True):
    """Constraints on the group as a whole; at most one topology key."""

    topology: tuple[TopologyConstraint, ...] = ()

    @property
    def topology_key(self) -> str:
        """The one key, or empty."""
        return self.topology[0].key if self.topology else ""


class DisruptionMode(Form, frozen=True):
    """Whether preemption may take single members or only all of them."""

    single: Empty | None = None
    all: Empty | None = None

    @property
    def mode(self) -> Literal["single", "all"]:
        """The member that is set; none means single, the API's default."""
        return "single" if self.all is None else "all"


class PodGroupResourceClaim(Form, frozen=True):
    """A device claim that all pods of the group share."""

    name: str = ""
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class WorkloadReference(Form, frozen=True):
    """The Workload, and the template in it, that a group was made from."""

    workload_name: str = ""
    template_name: str = ""


class PodGroupTemplate(Form, frozen=True):
    """What PodGroups of a Workload look like."""

    name: str = ""
    scheduling_policy: PodGroupSchedulingPolicy = PodGroupSchedulingPolicy()
    scheduling_constraints: SchedulingConstraints | None = None
    resource_claims: tuple[PodGroupResourceClaim, ...] = ()
    disruption_mode: DisruptionMode | None = None
    priority_class_name: str = ""
    priority: int | None = None
    preemption_policy: str | None = None


class CompositePodGroupTemplate(Form, frozen=True):
    """What CompositePodGroups of a Workload look like, and their children."""

    name: str = ""
    scheduling_policy: CompositePodGroupSchedulingPolicy = CompositePodGroupSchedulingPolicy()
    scheduling_constraints: SchedulingConstraints | None = None
    disruption_mode: DisruptionMode | None = None
    priority_class_name: str = ""
    priority: int | None = None
    preemption_policy: str | None = None
    pod_group_templates: tuple[PodGroupTemplate, ...] = ()
    composite_pod_group_templates: tuple[CompositePodGroupTemplate, ...] = ()


class TypedLocalObjectReference(Form, frozen=True):
    """An object of the same namespace."""

    api_group: str = ""
    kind: str = ""
    name: str = ""


class WorkloadSpec(Form, frozen=True):
    """``spec`` of a Workload."""

    controller_ref: TypedLocalObjectReference | None = None
    pod_group_templates: tuple[PodGroupTemplate, ...] | None = None
    composite_pod_group_templates: tuple[CompositePodGroupTemplate, ...] = ()


class Workload(Form, frozen=True):
    """Templates for the groups of one workload."""

    metadata: ObjectMeta = ObjectMeta()
    spec: WorkloadSpec = WorkloadSpec()


class PodGroupSpec(Form, frozen=True):
    """``spec`` of a PodGroup."""

    parent_composite_pod_group_name: str | None = None
    workload_ref: WorkloadReference | None = None
    scheduling_policy: PodGroupSchedulingPolicy = PodGroupSchedulingPolicy()
    scheduling_constraints: SchedulingConstraints | None = None
    resource_claims: tuple[PodGroupResourceClaim, ...] = ()
    disruption_mode: DisruptionMode | None = None
    priority_class_name: str = ""
    priority: int | None = None
    preemption_policy: str | None = None


class PodGroupResourceClaimStatus(Form, frozen=True):
    """The claim made for one entry of ``spec.resourceClaims``."""

    name: str = ""
    resource_claim_name: str | None = None


class PodGroupStatus(Form, frozen=True):
    """``status`` of a PodGroup."""

    conditions: tuple[Condition, ...] = ()
    resource_claim_statuses: tuple[PodGroupResourceClaimStatus, ...] = ()


class PodGroup(Form, frozen=True):
    """Pods that are scheduled together."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodGroupSpec = PodGroupSpec()
    status: PodGroupStatus = PodGroupStatus()


class CompositePodGroupSpec(Form, frozen=True):
    """``spec`` of a CompositePodGroup."""

    parent_composite_pod_group_name: str | None = None
    workload_ref: WorkloadReference | None = None
    scheduling_policy: CompositePodGroupSchedulingPolicy = CompositePodGroupSchedulingPolicy()
    scheduling_constraints: SchedulingConstraints | None = None
    disruption_mode: DisruptionMode | None = None
    priority_class_name: str = ""
    priority: int | None = None
    preemption_policy: str | None = None


class CompositePodGroupStatus(Form, frozen=True):
    """``status`` of a CompositePodGroup."""

    conditions: tuple[Condition, ...] = ()


class CompositePodGroup(Form, frozen=True):
    """Groups that are scheduled together."""

    metadata: ObjectMeta = ObjectMeta()
    spec: CompositePodGroupSpec = CompositePodGroupSpec()
    status: CompositePodGroupStatus = CompositePodGroupStatus()
