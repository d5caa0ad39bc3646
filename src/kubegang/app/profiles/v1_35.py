"""Kubernetes 1.35: measured on 1.35.4."""

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
from kubegang.api.table_rules import OLDEST_TABLE_RULES
from kubegang.api.validation.earlier_words import RULES_OF_1_35
from kubegang.api.warning_rules import OLDEST_WARNING_RULES
from kubegang.app.profiles import v1_36
from kubegang.app.profiles.gate_tables import gates_of
from kubegang.app.profiles.release import release

GANG_GATES = (
    "GenericWorkload",
    "GangScheduling",
)

GATES_IN_USE: Mapping[Component, tuple[str, ...]] = {
    "apiserver": ("GenericWorkload",),
    "controllers": (),
    "scheduler": GANG_GATES,
    "kubelet": (),
}
"""By component (KEP-4671)."""

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
)

ABSENT_METRICS = (
    *v1_36.ABSENT_METRICS,
    "scheduler_pod_scheduled_after_flush",
    "scheduler_podgroup_schedule_attempts",
    "scheduler_podgroup_scheduling_algorithm_duration_seconds",
    "scheduler_podgroup_scheduling_attempt_duration_seconds",
)
"""Metric families that came with 1.36 and 1.37, without ``_total``."""

PROFILE = release(
    identity_rules=identity_rules.RULES_OF_1_35,
    validation_rules=RULES_OF_1_35,
    warning_rules=OLDEST_WARNING_RULES,
    table_rules=OLDEST_TABLE_RULES,
    name="1.35",
    git_version="v1.35.4+kubegang",
    gang_versions=("v1alpha1",),
    gates=gates_of("1.35", gang=GANG_GATES),
    plugins=PLUGINS,
    absent_metrics=ABSENT_METRICS,
    extension_points=EXTENSION_POINTS[:-3],
    internal_configz=True,
    group_cycle="member-by-member",
    # Groups have no objects in 1.35, so nothing carries a condition.
    initially_scheduled_condition="",
    gates_in_use=GATES_IN_USE,
    device_versions=("v1alpha3",),
    pod_group_version="",
    workload_version="v1alpha1",
    rules=SchedulingRules(
        gang_check="workload-permit",
        taints_wake_like_new_nodes=True,
        balance_is_compared=False,
        promise_outlives_failed_binding=True,
        preemption=PreemptionRules(
            knows_groups=False,
            victim_priority="own",
            victims_refer_to_pod=True,
            tells_found_room=False,
        ),
        resource_claims=ResourceClaimRules(
            no_claims_text="no new claims to deallocate",
            nothing_freed_text="still not schedulable",
            makes_room_for_groups=False,
            promises_bind_nodes=False,
            deletions_wake=False,
            siblings_share=False,
            config_for_all_names_none=False,
            errors_name_the_device=False,
            limit_names_the_request=False,
            taint_rules_version="v1alpha3",
            slow_searches_fail=False,
            scores_by_position=True,
        ),
        volumes=VolumeRules(lists_migrated_plugins=True, missing_driver_by_choice=False),
        node_features=NodeFeatureRules(
            known=("RestartAllContainersOnContainerExits",), names_missing=True
        ),
        batching=BatchingRules(rescores=False, leaves_nominated=False, within_group=False),
    ),
    controller_rules=ControllerRules(
        deployments_wait_for_selected=True,
        claims=ClaimRules(
            group_matters_without_claims=False,
            template_wakes=False,
            looks_at_every_claim=False,
            releases_beside_unknown=False,
        ),
        device_taints=DeviceTaintRules(
            looks_at_extended_resources=False,
            remembers_evicted=False,
            looks_beyond_missing_pods=False,
            rules_version="v1alpha3",
        ),
    ),
)
