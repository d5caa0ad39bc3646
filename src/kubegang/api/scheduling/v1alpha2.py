"""Workload and PodGroup as 1.36 has them.

Against 1.37: the back reference to the Workload is one level deeper, the disruption mode is
a word, and there are no composite groups.
"""

from __future__ import annotations

from typing import Literal

from kubegang.api.meta import Empty, Form, ObjectMeta
from kubegang.api.scheduling import types
from kubegang.api.scheduling.types import (
    PodGroupResourceClaim,
    PodGroupSchedulingPolicy,
    PodGroupStatus,
    SchedulingConstraints,
    TypedLocalObjectReference,
)

DisruptionWord = Literal["Pod", "PodGroup"]


class PodGroupTemplate(Form, frozen=True):
    """What PodGroups of a Workload look like."""

    name: str = ""
    scheduling_policy: PodGroupSchedulingPolicy = PodGroupSchedulingPolicy()
    scheduling_constraints: SchedulingConstraints | None = None
    resource_claims: tuple[PodGroupResourceClaim, ...] = ()
    disruption_mode: DisruptionWord | None = None
    priority_class_name: str = ""
    priority: int | None = None

    def to_internal(self) -> types.PodGroupTemplate:
        """Return the form of all releases."""
        return types.PodGroupTemplate(
            name=self.name,
            scheduling_policy=self.scheduling_policy,
            scheduling_constraints=self.scheduling_constraints,
            resource_claims=self.resource_claims,
            disruption_mode=_disruption_mode(self.disruption_mode),
            priority_class_name=self.priority_class_name,
            priority=self.priority,
        )


class WorkloadSpec(Form, frozen=True):
    """``spec`` of a Workload."""

    controller_ref: TypedLocalObjectReference | None = None
    pod_group_templates: tuple[PodGroupTemplate, ...] | None = None


class Workload(Form, frozen=True):
    """A Workload."""

    metadata: ObjectMeta = ObjectMeta()
    spec: WorkloadSpec = WorkloadSpec()

    def to_internal(self) -> types.Workload:
        """Return the form of all releases."""
        templates = self.spec.pod_group_templates or ()
        return types.Workload(
            metadata=self.metadata,
            spec=types.WorkloadSpec(
                controller_ref=self.spec.controller_ref,
                pod_group_templates=tuple(template.to_internal() for template in templates),
            ),
        )


class WorkloadPodGroupTemplateReference(Form, frozen=True):
    """A template of a Workload."""

    workload_name: str = ""
    pod_group_template_name: str = ""


class PodGroupTemplateReference(Form, frozen=True):
    """What the group was made from; a Workload is the only choice."""

    workload: WorkloadPodGroupTemplateReference | None = None


class PodGroupSpec(Form, frozen=True):
    """``spec`` of a PodGroup."""

    pod_group_template_ref: PodGroupTemplateReference | None = None
    scheduling_policy: PodGroupSchedulingPolicy = PodGroupSchedulingPolicy()
    scheduling_constraints: SchedulingConstraints | None = None
    resource_claims: tuple[PodGroupResourceClaim, ...] = ()
    disruption_mode: DisruptionWord | None = None
    priority_class_name: str = ""
    priority: int | None = None


class PodGroup(Form, frozen=True):
    """A PodGroup."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodGroupSpec = PodGroupSpec()
    status: PodGroupStatus = PodGroupStatus()

    def to_internal(self) -> types.PodGroup:
        """Return the form of all releases."""
        spec = self.spec
        return types.PodGroup(
            metadata=self.metadata,
            status=self.status,
            spec=types.PodGroupSpec(
                workload_ref=_workload_ref(spec.pod_group_template_ref),
                scheduling_policy=spec.scheduling_policy,
                scheduling_constraints=spec.scheduling_constraints,
                resource_claims=spec.resource_claims,
                disruption_mode=_disruption_mode(spec.disruption_mode),
                priority_class_name=spec.priority_class_name,
                priority=spec.priority,
            ),
        )


def _workload_ref(ref: PodGroupTemplateReference | None) -> types.WorkloadReference | None:
    if ref is None or ref.workload is None:
        return None
    return types.WorkloadReference(
        workload_name=ref.workload.workload_name,
        template_name=ref.workload.pod_group_template_name,
    )


def _disruption_mode(word: DisruptionWord | None) -> types.DisruptionMode | None:
    if word is None:
        return None
    if word == "PodGroup":
        return types.DisruptionMode(all=Empty())
    return types.DisruptionMode(single=Empty())
