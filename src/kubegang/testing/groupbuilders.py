"""The builders of PodGroups, CompositePodGroups and PriorityClasses."""

from __future__ import annotations

import dataclasses
from typing import Any

from kubegang.api.meta import Empty
from kubegang.api.scheduling.types import (
    CompositeGangSchedulingPolicy,
    CompositePodGroup,
    CompositePodGroupSchedulingPolicy,
    CompositePodGroupSpec,
    DisruptionMode,
    GangSchedulingPolicy,
    PodGroup,
    PodGroupSchedulingPolicy,
    PodGroupSpec,
    PriorityClass,
    SchedulingConstraints,
    TopologyConstraint,
    WorkloadReference,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.scheduler.framework.groupconversion import composite_pod_group_info, pod_group_info
from kubegang.scheduler.framework.pods import PodGroupInfo
from kubegang.testing.building import Builder, as_json, replaced

_ANY_WORKLOAD = WorkloadReference("w", "t")
"""What has a parent, and every composite, must name one; it need not exist."""


@dataclasses.dataclass(frozen=True)
class PodGroupBuilder(Builder):
    """Builds PodGroups."""

    spec: PodGroupSpec

    def _with_spec(self, **changes: Any) -> PodGroupBuilder:
        return dataclasses.replace(self, spec=replaced(self.spec, **changes))

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

    def child_of(self, parent: str) -> PodGroupBuilder:
        """Put it below a CompositePodGroup."""
        return self._with_spec(parent_composite_pod_group_name=parent, workload_ref=_ANY_WORKLOAD)

    def obj(self) -> PodGroup:
        """Return the typed form."""
        return PodGroup(metadata=self.metadata, spec=self.spec)

    def json(self) -> JsonObject:
        """Return what a client would send."""
        return as_json("scheduling.k8s.io/v1beta1", "PodGroup", self.obj())

    def info(self) -> PodGroupInfo:
        """Return the scheduler's view."""
        return pod_group_info(self.obj(), condition_type="PodGroupInitiallyScheduled")


@dataclasses.dataclass(frozen=True)
class CompositePodGroupBuilder(Builder):
    """Builds CompositePodGroups."""

    spec: CompositePodGroupSpec

    def _with_spec(self, **changes: Any) -> CompositePodGroupBuilder:
        return dataclasses.replace(self, spec=replaced(self.spec, **changes))

    def gang(self, *, min_groups: int) -> CompositePodGroupBuilder:
        """Ask for at least so many child groups at once."""
        gang = CompositeGangSchedulingPolicy(min_groups)
        return self._with_spec(scheduling_policy=CompositePodGroupSchedulingPolicy(gang=gang))

    def basic(self) -> CompositePodGroupBuilder:
        """Ask for any child group."""
        policy = CompositePodGroupSchedulingPolicy(basic=Empty())
        return self._with_spec(scheduling_policy=policy)

    def topology(self, key: str) -> CompositePodGroupBuilder:
        """Keep all below it within one domain of a topology key."""
        constraints = SchedulingConstraints((TopologyConstraint(key),))
        return self._with_spec(scheduling_constraints=constraints)

    def priority(self, value: int) -> CompositePodGroupBuilder:
        """Set the priority that admission would compute."""
        return self._with_spec(priority=value)

    def disrupted_whole(self) -> CompositePodGroupBuilder:
        """Let preemption take all below it or nobody."""
        return self._with_spec(disruption_mode=DisruptionMode(all=Empty()))

    def child_of(self, parent: str) -> CompositePodGroupBuilder:
        """Put it below another one."""
        return self._with_spec(parent_composite_pod_group_name=parent)

    def obj(self) -> CompositePodGroup:
        """Return the typed form."""
        return CompositePodGroup(metadata=self.metadata, spec=self.spec)

    def json(self) -> JsonObject:
        """Return what a client would send."""
        return as_json("scheduling.k8s.io/v1alpha3", "CompositePodGroup", self.obj())

    def info(self) -> PodGroupInfo:
        """Return the scheduler's view."""
        return composite_pod_group_info(self.obj())


@dataclasses.dataclass(frozen=True)
class PriorityClassBuilder(Builder):
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
        return {**as_json("scheduling.k8s.io/v1", "PriorityClass", self.obj()), "value": self.value}
