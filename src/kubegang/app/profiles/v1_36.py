"""Kubernetes 1.36: measured on 1.36.3."""

from __future__ import annotations

from kubegang.api.profile import Gate, PluginWeight
from kubegang.app.profiles.release import release

GATES = (
    Gate("GenericWorkload", gang=True),
    Gate("GangScheduling", gang=True, needs=("GenericWorkload",)),
    Gate("WorkloadAwarePreemption", gang=True, needs=("GangScheduling",)),
    Gate("TopologyAwareWorkloadScheduling", gang=True, needs=("GenericWorkload",)),
    Gate("DRAWorkloadResourceClaims", gang=True, needs=("GenericWorkload",)),
    Gate("WorkloadWithJob", gang=True, needs=("GenericWorkload",)),
    Gate("OpportunisticBatching", default=True),
    # Fields of pods and nodes.
    Gate("CSIVolumeHealth"),
    Gate("ClusterTrustBundleProjection"),
    Gate("ContainerStopSignals"),
    Gate("CoordinatedLeaderElection"),
    Gate("DRAExtendedResource", default=True),
    Gate("DRANodeAllocatableResources"),
    Gate("DRAListTypeAttributes"),
    Gate("EnvFiles", default=True),
    Gate("HostnameOverride", default=True),
    Gate("ImageVolumeWithDigest"),
    Gate("InPlacePodLevelResourcesVerticalScaling", default=True),
    Gate("MatchLabelKeysInPodTopologySpread", default=True),
    Gate("MaxUnavailableStatefulSet"),
    Gate("MutablePVNodeAffinity"),
    Gate("MutablePodResourcesForSuspendedJobs", default=True),
    Gate("MutableSchedulingDirectivesForSuspendedJobs", default=True),
    Gate("NodeDeclaredFeatures", default=True),
    Gate("PodCertificateRequest"),
    Gate("PodLevelResources", default=True),
    Gate("ResourceHealthStatus", default=True),
    Gate("ResourceHealthStatusMessage", default=True),
    Gate("TaintTolerationComparisonOperators"),
    Gate("UserNamespacesHostNetworkSupport"),
    Gate("VolumeLimitScaling"),
)

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

PROFILE = release(
    name="1.36",
    git_version="v1.36.3+kubegang",
    gang_versions=("v1alpha2",),
    gates=GATES,
    plugins=PLUGINS,
    group_cycle="popped-by-member",
    initially_scheduled_condition="PodGroupScheduled",
)
