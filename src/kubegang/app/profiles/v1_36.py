"""Kubernetes 1.36: measured on 1.36.3."""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api import identity_rules
from kubegang.api.controller_rules import ClaimRules, ControllerRules, DeviceTaintRules
from kubegang.api.profile import EXTENSION_POINTS, Component, PluginWeight
from kubegang.api.scheduling_rules import (
    BatchingRules,
    NodeFeatureRules,
    PreemptionRules,
    ResourceClaimRules,
    SchedulingRules,
    VolumeRules,
)
from kubegang.api.table_rules import OLDER_TABLE_RULES
from kubegang.api.validation.earlier_words import RULES_OF_1_36
from kubegang.app.profiles.gate_tables import gates_of
from kubegang.app.profiles.release import release

GANG_GATES = (
    "GenericWorkload",
    "GangScheduling",
    "WorkloadAwarePreemption",
    "TopologyAwareWorkloadScheduling",
    "DRAWorkloadResourceClaims",
    "WorkloadWithJob",
)

GATES_IN_USE: Mapping[Component, tuple[str, ...]] = {
    "apiserver": GANG_GATES,
    "controllers": ("GenericWorkload", "DRAWorkloadResourceClaims", "WorkloadWithJob"),
    "scheduler": tuple(gate for gate in GANG_GATES if gate != "WorkloadWithJob"),
    "kubelet": ("GenericWorkload", "DRAWorkloadResourceClaims"),
}
"""By component; the kubelet admits pods that are covered by their group's reservation only
with DRAWorkloadResourceClaims, which needs GenericWorkload (KEP-5729)."""

PLUGINS = (
    PluginWeight("SchedulingGates"),
    PluginWeight("PrioritySort"),
    PluginWeight("NodeUnschedulable"),
    PluginWeight("NodeName"),
    PluginWeight("TaintToleration", 3),
    PluginWeight("NodeAffinity", 2),
    PluginWeight("NodePorts"),
    PluginWeight("NodeResourcesFit", 1),
    PluginWeight("VolumeRestrictions"),
    PluginWeight("NodeVolumeLimits"),
    PluginWeight("VolumeBinding"),
    PluginWeight("VolumeZone"),
    PluginWeight("PodTopologySpread", 2),
    PluginWeight("InterPodAffinity", 2),
    PluginWeight("DynamicResources", 2),
    PluginWeight("DefaultPreemption"),
    PluginWeight("NodeResourcesBalancedAllocation", 1),
    PluginWeight("ImageLocality", 1),
    PluginWeight("DefaultBinder"),
    PluginWeight("NodeDeclaredFeatures", gate="NodeDeclaredFeatures"),
    PluginWeight("GangScheduling", gate="GangScheduling"),
    PluginWeight("TopologyPlacementGenerator", gate="TopologyAwareWorkloadScheduling"),
    PluginWeight("PodGroupPodsCount", 1, gate="TopologyAwareWorkloadScheduling"),
)

ABSENT_METRICS = (
    # Claims for extended resources were counted under a name of the scheduler's.
    "dynamic_resource_allocation_resourceclaim_creates",
    "scheduler_batch_rescore_attempts",
    "scheduler_batch_rescore_duration_seconds",
    "scheduler_generated_placements",
    "scheduler_placement_evaluations",
    "scheduler_placement_evaluation_duration_seconds",
    "scheduler_preemption_evaluation_duration_seconds",
    "scheduler_preemption_execution_duration_seconds",
    "scheduler_preemption_pdb_violations",
    "scheduler_preemption_workload_disruptions",
    "scheduler_queue_incoming_entities",
    "scheduler_queued_entities",
    "scheduler_workload_preemption_attempts",
    "scheduler_workload_preemption_victims",
)
"""Metric families that came with 1.37, without ``_total``."""

PROFILE = release(
    identity_rules=identity_rules.RULES_OF_1_36,
    validation_rules=RULES_OF_1_36,
    table_rules=OLDER_TABLE_RULES,
    name="1.36",
    git_version="v1.36.3+kubegang",
    gang_versions=("v1alpha2",),
    gates=gates_of("1.36", gang=GANG_GATES),
    plugins=PLUGINS,
    absent_metrics=ABSENT_METRICS,
    extension_points=EXTENSION_POINTS[:-1],
    group_cycle="popped-by-member",
    initially_scheduled_condition="PodGroupScheduled",
    gates_in_use=GATES_IN_USE,
    device_versions=("v1beta2", "v1alpha3"),
    pod_group_version="v1alpha2",
    rules=SchedulingRules(
        gang_check="permit",
        taints_wake_like_new_nodes=True,
        preemption=PreemptionRules(
            victim_priority="own", spares_victims="still-fit", tells_found_room=False
        ),
        resource_claims=ResourceClaimRules(
            no_claims_text="no new claims to deallocate",
            nothing_freed_text="still not schedulable",
            makes_room_for_groups=False,
            promises_bind_nodes=False,
            deletions_wake=False,
            config_for_all_names_none=False,
            errors_name_the_device=False,
            limit_names_the_request=False,
            taint_rules_version="v1beta2",
        ),
        volumes=VolumeRules(siblings_use_claims=False),
        node_features=NodeFeatureRules(
            known=("RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport")
        ),
        batching=BatchingRules(rescores=False, leaves_nominated=False, within_group=False),
    ),
    controller_rules=ControllerRules(
        claims=ClaimRules(group_matters_without_claims=False),
        device_taints=DeviceTaintRules(looks_at_extended_resources=False, rules_version="v1beta2"),
    ),
)
