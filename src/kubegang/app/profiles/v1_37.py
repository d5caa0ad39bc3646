"""Kubernetes 1.37: measured on 1.37.2."""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.profile import Component, PluginWeight
from kubegang.app.profiles.gate_tables import gates_of
from kubegang.app.profiles.release import release

GANG_GATES = (
    "GenericWorkload",
    "TopologyAwareWorkloadScheduling",
    "DRAWorkloadResourceClaims",
    "WorkloadWithJob",
    "PodGroupPreemptionPolicy",
    "CompositePodGroup",
)

GATES_IN_USE: Mapping[Component, tuple[str, ...]] = {
    "apiserver": GANG_GATES,
    "controllers": tuple(gate for gate in GANG_GATES if gate != "PodGroupPreemptionPolicy"),
    "scheduler": tuple(gate for gate in GANG_GATES if gate != "WorkloadWithJob"),
    "kubelet": ("GenericWorkload", "DRAWorkloadResourceClaims"),
}
"""By component; see 1.36. CompositePodGroup is a gate of the controllers too (1.37.2)."""

PLUGINS = (
    PluginWeight("SchedulingGates"),
    PluginWeight("PrioritySort"),
    PluginWeight("NodeName"),
    PluginWeight("NodeUnschedulable"),
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
    PluginWeight("NodeDeclaredFeatures"),
    PluginWeight("GangScheduling", gate="GenericWorkload"),
    PluginWeight("TopologyPlacementGenerator", gate="TopologyAwareWorkloadScheduling"),
    PluginWeight("PodGroupPodsCount", 1, gate="TopologyAwareWorkloadScheduling"),
)

ABSENT_METRICS = (
    # Deprecated in 1.37, and shown no more.
    "scheduler_preemption_goroutines_duration_seconds",
    # Counted together with those of the controllers.
    "scheduler_resourceclaim_creates",
)

PROFILE = release(
    name="1.37",
    git_version="v1.37.2+kubegang",
    gang_versions=("v1beta1", "v1alpha3"),
    gates=gates_of("1.37", gang=GANG_GATES),
    plugins=PLUGINS,
    absent_metrics=ABSENT_METRICS,
    group_cycle="entity",
    initially_scheduled_condition="PodGroupInitiallyScheduled",
    gates_in_use=GATES_IN_USE,
    device_versions=("v1beta2", "v1alpha3"),
    pod_group_version="v1beta1",
)
