"""Kubernetes 1.37: measured on 1.37.2."""

from __future__ import annotations

from kubegang.api.profile import Gate, PluginWeight
from kubegang.app.profiles.release import release

GATES = (
    Gate("GenericWorkload", gang=True),
    Gate("TopologyAwareWorkloadScheduling", gang=True, needs=("GenericWorkload",)),
    Gate("DRAWorkloadResourceClaims", gang=True, needs=("GenericWorkload",)),
    Gate("WorkloadWithJob", gang=True, needs=("GenericWorkload",)),
    Gate("PodGroupPreemptionPolicy", gang=True, needs=("GenericWorkload",)),
    Gate(
        "CompositePodGroup",
        gang=True,
        needs=("GenericWorkload", "TopologyAwareWorkloadScheduling"),
    ),
    Gate("OpportunisticBatching", default=True),
    # Fields of pods, nodes and Jobs.
    Gate("AtomicWriteVolumeUserFields"),
    Gate("CSIVolumeHealth"),
    Gate("ClusterTrustBundleProjection", default=True),
    Gate("ContainerStopSignals"),
    Gate("CoordinatedLeaderElection"),
    Gate("DRANodeAllocatableResources"),
    Gate("DRAListTypeAttributes"),
    Gate("EmptyDirVolumeMode"),
    Gate("EnvFiles", default=True),
    Gate("EvictionRequestAPI"),
    Gate("GRPCContainerProbeTLS"),
    Gate("H2CContainerProbe"),
    Gate("ImageVolumeWithDigest"),
    Gate("InPlacePodLevelResourcesVerticalScaling", default=True),
    Gate("InPlacePodVerticalScalingSchedulerPreemption"),
    Gate("MatchLabelKeysInPodTopologySpread", default=True),
    Gate("MaxUnavailableStatefulSet", default=True),
    Gate("MutablePVNodeAffinity"),
    Gate("MutablePodResourcesForSuspendedJobs", default=True),
    Gate("MutableSchedulingDirectivesForSuspendedJobs", default=True),
    Gate("PodCertificateRequest", default=True),
    Gate("PodLevelResources", default=True),
    Gate("ResourceHealthStatus", default=True),
    Gate("ResourceHealthStatusMessage", default=True),
    Gate("TaintTolerationComparisonOperators"),
    Gate("UserNamespacesHostNetworkSupport"),
    Gate("VolumeBindMountOptions"),
    Gate("VolumeLimitScaling", default=True),
)

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

PROFILE = release(
    name="1.37",
    git_version="v1.37.2+kubegang",
    gang_versions=("v1beta1", "v1alpha3"),
    gates=GATES,
    plugins=PLUGINS,
    group_cycle="entity",
    initially_scheduled_condition="PodGroupInitiallyScheduled",
)
