"""Workload as 1.35 has it: groups are entries of the Workload, not objects."""

from __future__ import annotations

from kubegang.api.meta import Form, ObjectMeta
from kubegang.api.scheduling import types
from kubegang.api.scheduling.types import PodGroupSchedulingPolicy, TypedLocalObjectReference


class PodGroup(Form, frozen=True):
    """One group of the Workload's pods."""

    name: str = ""
    policy: PodGroupSchedulingPolicy = PodGroupSchedulingPolicy()


class WorkloadSpec(Form, frozen=True):
    """``spec`` of a Workload."""

    controller_ref: TypedLocalObjectReference | None = None
    pod_groups: tuple[PodGroup, ...] | None = None


class Workload(Form, frozen=True):
    """A Workload."""

    metadata: ObjectMeta = ObjectMeta()
    spec: WorkloadSpec = WorkloadSpec()

    def to_internal(self) -> types.Workload:
        """Return the form of all releases; each group becomes a template."""
        templates = tuple(
            types.PodGroupTemplate(name=group.name, scheduling_policy=group.policy)
            for group in self.spec.pod_groups or ()
        )
        return types.Workload(
            metadata=self.metadata,
            spec=types.WorkloadSpec(
                controller_ref=self.spec.controller_ref, pod_group_templates=templates
            ),
        )
