"""Which feature gate governs which fields: data."""

from __future__ import annotations

from kubegang.api.device_dropping import DEVICE_FIELD_RULES
from kubegang.api.gated_fields import Rule, RuleSet

KindKey = tuple[str, str]
"""API group and kind."""

_CONTAINERS = ("containers[]", "initContainers[]", "ephemeralContainers[]")
_STATUSES = (
    "status.containerStatuses[]",
    "status.initContainerStatuses[]",
    "status.ephemeralContainerStatuses[]",
)
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_USER_FIELDS = (
    "secret.defaultUser",
    "secret.items[].user",
    "configMap.defaultUser",
    "configMap.items[].user",
    "downwardAPI.defaultUser",
    "downwardAPI.items[].user",
    "projected.defaultUser",
    "projected.sources[].secret.items[].user",
    "projected.sources[].configMap.items[].user",
    "projected.sources[].downwardAPI.items[].user",
    "projected.sources[].serviceAccountToken.user",
    "projected.sources[].clusterTrustBundle.user",
    "projected.sources[].podCertificate.user",
)


def _each(prefixes: tuple[str, ...], *members: str) -> tuple[str, ...]:
    return tuple(f"{prefix}.{member}" for prefix in prefixes for member in members)


_POD_SPEC_RULES = (
    Rule("GenericWorkload", ("schedulingGroup",)),
    Rule("GenericWorkload", ("workloadRef",)),
    Rule("PodLevelResources", ("resources",)),
    Rule("UserNamespacesSupport", ("hostUsers",)),
    Rule("HostnameOverride", ("hostnameOverride",)),
    Rule("EvictionRequestAPI", ("evictionResponders",)),
    Rule("SELinuxChangePolicy", ("securityContext.seLinuxChangePolicy",)),
    Rule(
        "MatchLabelKeysInPodTopologySpread",
        ("topologySpreadConstraints[].matchLabelKeys",),
    ),
    Rule("ClusterTrustBundleProjection", ("volumes[].projected.sources[].clusterTrustBundle",)),
    Rule("PodCertificateRequest", ("volumes[].projected.sources[].podCertificate",)),
    Rule("EmptyDirVolumeMode", ("volumes[].emptyDir.mode",)),
    Rule("AtomicWriteVolumeUserFields", _each(("volumes[]",), *_USER_FIELDS)),
    Rule("VolumeBindMountOptions", _each(_CONTAINERS, "volumeMounts[].bindMountOptions")),
    Rule("EnvFiles", _each(_CONTAINERS, "env[].valueFrom.fileKeyRef")),
    Rule(
        "ContainerStopSignals",
        _each(_CONTAINERS, "lifecycle.stopSignal"),
        with_empty_parent=True,
    ),
    Rule(
        "GRPCContainerProbeTLS",
        _each(_CONTAINERS, *(f"{probe}.grpc.mode" for probe in _PROBES)),
    ),
    Rule(
        "H2CContainerProbe",
        _each(
            _CONTAINERS,
            *(f"{probe}.httpGet.protocol" for probe in _PROBES),
            "lifecycle.postStart.httpGet.protocol",
            "lifecycle.preStop.httpGet.protocol",
        ),
    ),
)

POD_SPEC_RULES = RuleSet(_POD_SPEC_RULES)

POD_SPEC_PATHS: dict[KindKey, tuple[str, ...]] = {
    ("", "Pod"): ("spec",),
    ("", "PodTemplate"): ("template.spec",),
    ("", "ReplicationController"): ("spec.template.spec",),
    ("apps", "DaemonSet"): ("spec.template.spec",),
    ("apps", "Deployment"): ("spec.template.spec",),
    ("apps", "ReplicaSet"): ("spec.template.spec",),
    ("apps", "StatefulSet"): ("spec.template.spec",),
    ("batch", "CronJob"): ("spec.jobTemplate.spec.template.spec",),
    ("batch", "Job"): ("spec.template.spec",),
}

JOB_RULES = RuleSet((Rule("WorkloadWithJob", ("scheduling",)),))

JOB_SPEC_PATHS: dict[KindKey, tuple[str, ...]] = {
    ("batch", "CronJob"): ("spec.jobTemplate.spec",),
    ("batch", "Job"): ("spec",),
}

# One gate of 1.36 governs three fields, each in use on its own.
_PREEMPTION_FIELDS = ("disruptionMode", "priorityClassName", "priority")

_TEMPLATE_RULES = (
    Rule("TopologyAwareWorkloadScheduling", ("schedulingConstraints",)),
    Rule("DRAWorkloadResourceClaims", ("resourceClaims",)),
    Rule("PodGroupPreemptionPolicy", ("preemptionPolicy",)),
    *(Rule("WorkloadAwarePreemption", (field,)) for field in _PREEMPTION_FIELDS),
)

TEMPLATE_RULES = RuleSet(_TEMPLATE_RULES)

# A composite template has no claims, and its topology constraint hangs on no gate of its own.
COMPOSITE_TEMPLATE_RULES = RuleSet((Rule("PodGroupPreemptionPolicy", ("preemptionPolicy",)),))

_KIND_RULES: dict[KindKey, tuple[Rule, ...]] = {
    ("", "Pod"): (
        Rule(
            "InPlacePodLevelResourcesVerticalScaling",
            ("status.resources", "status.allocatedResources"),
        ),
        Rule("DRAExtendedResource", ("status.extendedResourceClaimStatus",)),
        Rule("DRANodeAllocatableResources", ("status.nodeAllocatableResourceClaimStatuses",)),
        Rule("CSIVolumeHealth", ("status.volumeHealth",)),
        Rule("ResourceHealthStatus", _each(_STATUSES, "allocatedResourcesStatus")),
        Rule(
            "ResourceHealthStatusMessage",
            _each(_STATUSES, "allocatedResourcesStatus[].resources[].message"),
        ),
        Rule("ImageVolumeWithDigest", _each(_STATUSES, "volumeMounts[].volumeStatus")),
    ),
    ("", "Node"): (
        Rule("NodeDeclaredFeatures", ("status.declaredFeatures",)),
        Rule("InPlacePodVerticalScalingSchedulerPreemption", ("spec.podPreemptionPolicy",)),
    ),
    ("", "PersistentVolumeClaim"): (Rule("CSIVolumeHealth", ("status.healthStatus",)),),
    ("autoscaling", "HorizontalPodAutoscaler"): (
        Rule(
            "HPAConfigurableTolerance",
            ("spec.behavior.scaleDown.tolerance", "spec.behavior.scaleUp.tolerance"),
        ),
    ),
    ("apps", "StatefulSet"): (
        Rule("MaxUnavailableStatefulSet", ("spec.updateStrategy.rollingUpdate.maxUnavailable",)),
    ),
    ("storage.k8s.io", "CSIDriver"): (
        Rule("VolumeLimitScaling", ("spec.preventPodSchedulingIfMissing",)),
    ),
    ("coordination.k8s.io", "Lease"): (
        Rule("CoordinatedLeaderElection", ("spec.strategy",)),
        Rule("CoordinatedLeaderElection", ("spec.preferredHolder",)),
    ),
    **DEVICE_FIELD_RULES,
    ("scheduling.k8s.io", "PodGroup"): (
        Rule("TopologyAwareWorkloadScheduling", ("spec.schedulingConstraints",)),
        Rule(
            "DRAWorkloadResourceClaims",
            ("spec.resourceClaims", "status.resourceClaimStatuses"),
            in_use=("spec.resourceClaims",),
        ),
        Rule("PodGroupPreemptionPolicy", ("spec.preemptionPolicy",)),
        Rule("CompositePodGroup", ("spec.parentCompositePodGroupName",)),
        # 1.36 writes the default after dropping, so a user's PodGroup becomes Pod.
        Rule("WorkloadAwarePreemption", ("spec.disruptionMode",), becomes="Pod"),
        Rule("WorkloadAwarePreemption", ("spec.priorityClassName",)),
        Rule("WorkloadAwarePreemption", ("spec.priority",)),
    ),
    ("scheduling.k8s.io", "CompositePodGroup"): (
        Rule("PodGroupPreemptionPolicy", ("spec.preemptionPolicy",)),
    ),
}

KIND_RULES = {key: RuleSet(rules) for key, rules in _KIND_RULES.items()}
