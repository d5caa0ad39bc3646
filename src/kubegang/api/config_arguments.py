"""Arguments of the scheduler's plugins, with upstream's defaults (1.37.2)."""

from __future__ import annotations

from typing import Literal

import msgspec

from kubegang.api.core.affinity import NodeAffinity, TopologySpreadConstraint


class ConfigForm(
    msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True
):
    """A part of the configuration; a field that it does not have is an error."""


class Arguments(ConfigForm, frozen=True, kw_only=True):
    """What all plugin arguments have."""

    api_version: str = ""
    kind: str = ""


class ResourceSpec(ConfigForm, frozen=True, kw_only=True):
    """A resource that counts in a score, and how much."""

    name: str
    weight: int = 1


_CPU_AND_MEMORY = (ResourceSpec(name="cpu"), ResourceSpec(name="memory"))


class UtilizationShapePoint(ConfigForm, frozen=True, kw_only=True):
    """A point of a function from utilization to score."""

    utilization: int
    score: int


class RequestedToCapacityRatio(ConfigForm, frozen=True, kw_only=True):
    """The function of the strategy of that name."""

    shape: tuple[UtilizationShapePoint, ...] = ()


class ScoringStrategy(ConfigForm, frozen=True, kw_only=True):
    """Which nodes are better: emptier ones, fuller ones, or by a function."""

    type: Literal["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"] = "LeastAllocated"
    resources: tuple[ResourceSpec, ...] = _CPU_AND_MEMORY
    requested_to_capacity_ratio: RequestedToCapacityRatio | None = None


class NodeResourcesFitArgs(Arguments, frozen=True, kw_only=True):
    """Arguments of NodeResourcesFit."""

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    scoring_strategy: ScoringStrategy = ScoringStrategy()


class NodeResourcesBalancedAllocationArgs(Arguments, frozen=True, kw_only=True):
    """Arguments of NodeResourcesBalancedAllocation."""

    resources: tuple[ResourceSpec, ...] = _CPU_AND_MEMORY


class NodeAffinityArgs(Arguments, frozen=True, kw_only=True):
    """Arguments of NodeAffinity."""

    added_affinity: NodeAffinity | None = None


class InterPodAffinityArgs(Arguments, frozen=True, kw_only=True):
    """Arguments of InterPodAffinity."""

    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False


class PodTopologySpreadArgs(Arguments, frozen=True, kw_only=True):
    """Arguments of PodTopologySpread."""

    default_constraints: tuple[TopologySpreadConstraint, ...] = ()
    defaulting_type: Literal["System", "List"] = "System"


class DefaultPreemptionArgs(Arguments, frozen=True, kw_only=True):
    """Arguments of DefaultPreemption."""

    min_candidate_nodes_percentage: int = 10
    min_candidate_nodes_absolute: int = 100


class DynamicResourcesArgs(Arguments, frozen=True, kw_only=True):
    """Arguments of DynamicResources; times in Go's form."""

    filter_timeout: str = "10s"
    binding_timeout: str = "10m"


class VolumeBindingArgs(Arguments, frozen=True, kw_only=True):
    """Arguments of VolumeBinding."""

    bind_timeout_seconds: int = 600
    shape: tuple[UtilizationShapePoint, ...] = (
        UtilizationShapePoint(utilization=0, score=10),
        UtilizationShapePoint(utilization=100, score=0),
    )


ARGUMENT_FORMS: dict[str, type[Arguments]] = {
    "DefaultPreemption": DefaultPreemptionArgs,
    "DynamicResources": DynamicResourcesArgs,
    "InterPodAffinity": InterPodAffinityArgs,
    "NodeAffinity": NodeAffinityArgs,
    "NodeResourcesBalancedAllocation": NodeResourcesBalancedAllocationArgs,
    "NodeResourcesFit": NodeResourcesFitArgs,
    "PodTopologySpread": PodTopologySpreadArgs,
    "VolumeBinding": VolumeBindingArgs,
}
"""The form of each plugin's arguments; a plugin that is not here takes what it is given."""
