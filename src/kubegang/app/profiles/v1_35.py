"""Kubernetes 1.35: measured on 1.35.4."""

from __future__ import annotations

from kubegang.api.profile import Gate, PluginWeight
from kubegang.app.profiles.release import release

GATES = (
    Gate("GenericWorkload", gang=True),
    Gate("GangScheduling", gang=True, needs=("GenericWorkload",)),
    Gate("OpportunisticBatching", default=True),
    # Fields of pods and nodes.
    Gate("CSIVolumeHealth"),
    Gate("ClusterTrustBundleProjection"),
    Gate("ContainerStopSignals"),
    Gate("CoordinatedLeaderElection"),
    Gate("DRAExtendedResource"),
    Gate("EnvFiles", default=True),
    Gate("HostnameOverride", default=True),
    Gate("ImageVolumeWithDigest"),
    Gate("InPlacePodLevelResourcesVerticalScaling"),
    Gate("MatchLabelKeysInPodTopologySpread", default=True),
    Gate("MaxUnavailableStatefulSet"),
    Gate("MutablePVNodeAffinity"),
    Gate("MutablePodResourcesForSuspendedJobs"),
    Gate("MutableSchedulingDirectivesForSuspendedJobs"),
    Gate("NodeDeclaredFeatures"),
    Gate("PodCertificateRequest"),
    Gate("PodLevelResources", default=True),
    Gate("ResourceHealthStatus"),
    Gate("SELinuxChangePolicy", default=True),
    Gate("TaintTolerationComparisonOperators"),
    Gate("UserNamespacesHostNetworkSupport"),
    Gate("UserNamespacesSupport", default=True),
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
)

PROFILE = release(
    name="1.35",
    git_version="v1.35.4+kubegang",
    gang_versions=("v1alpha1",),
    gates=GATES,
    plugins=PLUGINS,
    group_cycle="member-by-member",
    # Groups have no objects in 1.35, so nothing carries a condition.
    initially_scheduled_condition="",
)
