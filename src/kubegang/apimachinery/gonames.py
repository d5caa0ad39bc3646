"""Go's names of types, for texts such as ``of type v1.RestartPolicy``.

Structs are known by their definitions' names. Named strings and maps are not in any OpenAPI
document, nor is which struct is embedded in which; both stand here, as facts of the public
Go API modules 0.37.2 (and ``DisruptionMode``, which was a string in 0.36).

Pure data and look-ups.
"""

from __future__ import annotations

from typing import Final

from kubegang.apimachinery.schema import Schema

_NAMED: Final = """
AddressType EndpointSlice.addressType
AllocationConfigSource DeviceAllocationConfiguration.source
AppArmorProfileType AppArmorProfile.type
AzureDataDiskCachingMode AzureDiskVolumeSource.cachingMode
AzureDataDiskKind AzureDiskVolumeSource.kind
Capability Capabilities.add Capabilities.drop
ClaimResourceStatus PersistentVolumeClaimStatus.allocatedResourceStatuses
CompletionMode JobSpec.completionMode
ComponentConditionType ComponentCondition.type
ConcurrencyPolicy CronJobSpec.concurrencyPolicy
ConditionStatus ComponentCondition.status Condition.status NamespaceCondition.status
    NodeCondition.status PersistentVolumeClaimCondition.status PodCondition.status
    ReplicationControllerCondition.status
ContainerRestartPolicy Container.restartPolicy EphemeralContainer.restartPolicy
ContainerRestartRuleAction ContainerRestartRule.action
ContainerRestartRuleOnExitCodesOperator ContainerRestartRuleOnExitCodes.operator
CoordinatedLeaseStrategy LeaseSpec.strategy
DNSPolicy PodSpec.dnsPolicy
DaemonSetConditionType DaemonSetCondition.type
DaemonSetUpdateStrategyType DaemonSetUpdateStrategy.type
DeletionPropagation DeleteOptions.propagationPolicy
DeploymentConditionType DeploymentCondition.type
DeploymentStrategyType DeploymentStrategy.type
DeviceAllocationMode DeviceSubRequest.allocationMode ExactDeviceRequest.allocationMode
DeviceTaintEffect DeviceTaint.effect DeviceToleration.effect
DeviceTolerationOperator DeviceToleration.operator
DisruptionMode PodGroupSpec.disruptionMode PodGroupTemplate.disruptionMode
FSGroupPolicy CSIDriverSpec.fsGroupPolicy
FieldSelectorOperator FieldSelectorRequirement.operator
FinalizerName NamespaceSpec.finalizers
FullyQualifiedName DeviceConstraint.distinctAttribute DeviceConstraint.matchAttribute
    DeviceDerivedAttribute.name ResourceSliceSpec.partitionTypeAttribute
GRPCProbeMode GRPCAction.mode
HPAScalingPolicyType HPAScalingPolicy.type
HTTPProtocol HTTPGetAction.protocol
HorizontalPodAutoscalerConditionType HorizontalPodAutoscalerCondition.type
HostPathType HostPathVolumeSource.type
IPFamily ServiceSpec.ipFamilies
IPFamilyPolicy ServiceSpec.ipFamilyPolicy
JobConditionType JobCondition.type
LabelSelectorOperator LabelSelectorRequirement.operator
LimitType LimitRangeItem.type
LoadBalancerIPMode LoadBalancerIngress.ipMode
ManagedFieldsOperationType ManagedFieldsEntry.operation
MetricSourceType MetricSpec.type MetricStatus.type
MetricTargetType MetricTarget.type
MountPropagationMode VolumeMount.mountPropagation
NamespaceConditionType NamespaceCondition.type
NamespacePhase NamespaceStatus.phase
NodeAddressType NodeAddress.type
NodeConditionType NodeCondition.type
NodeInclusionPolicy TopologySpreadConstraint.nodeAffinityPolicy
    TopologySpreadConstraint.nodeTaintsPolicy
NodePhase NodeStatus.phase
NodeSelectorOperator NodeSelectorRequirement.operator
OSName PodOS.name
PathType HTTPIngressPath.pathType
PersistentVolumeAccessMode PersistentVolumeClaimSpec.accessModes
    PersistentVolumeClaimStatus.accessModes PersistentVolumeSpec.accessModes
PersistentVolumeClaimConditionType PersistentVolumeClaimCondition.type
PersistentVolumeClaimModifyVolumeStatus ModifyVolumeStatus.status
PersistentVolumeClaimPhase PersistentVolumeClaimStatus.phase
PersistentVolumeClaimRetentionPolicyType
    StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted
    StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled
PersistentVolumeMode PersistentVolumeClaimSpec.volumeMode PersistentVolumeSpec.volumeMode
PersistentVolumePhase PersistentVolumeStatus.phase
PersistentVolumeReclaimPolicy PersistentVolumeSpec.persistentVolumeReclaimPolicy
PodConditionType PodCondition.type PodReadinessGate.conditionType
PodFSGroupChangePolicy PodSecurityContext.fsGroupChangePolicy
PodFailurePolicyAction PodFailurePolicyRule.action
PodFailurePolicyOnExitCodesOperator PodFailurePolicyOnExitCodesRequirement.operator
PodManagementPolicyType StatefulSetSpec.podManagementPolicy
PodPhase PodStatus.phase
PodQOSClass PodStatus.qosClass
PodReplacementPolicy JobSpec.podReplacementPolicy
PodResizeStatus PodStatus.resize
PodSELinuxChangePolicy PodSecurityContext.seLinuxChangePolicy
PolicyType NetworkPolicySpec.policyTypes
PreemptionPolicy CompositePodGroupSpec.preemptionPolicy CompositePodGroupTemplate.preemptionPolicy
    PodGroupSpec.preemptionPolicy PodGroupTemplate.preemptionPolicy PodSpec.preemptionPolicy
ProcMountType SecurityContext.procMount
Protocol ContainerPort.protocol PortStatus.protocol ServicePort.protocol
PullPolicy Container.imagePullPolicy EphemeralContainer.imagePullPolicy
    ImageVolumeSource.pullPolicy
QualifiedName NodeAllocatableMapping.capacityKey
RecursiveReadOnlyMode VolumeMount.recursiveReadOnly VolumeMountStatus.recursiveReadOnly
ReplicaSetConditionType ReplicaSetCondition.type
ReplicationControllerConditionType ReplicationControllerCondition.type
ResourceHealthStatus ResourceHealth.health
ResourceID ResourceHealth.resourceID
ResourceList ContainerStatus.allocatedResources LimitRangeItem.default
    LimitRangeItem.defaultRequest LimitRangeItem.max LimitRangeItem.maxLimitRequestRatio
    LimitRangeItem.min NodeStatus.allocatable NodeStatus.capacity
    PersistentVolumeClaimStatus.allocatedResources PersistentVolumeClaimStatus.capacity
    PersistentVolumeSpec.capacity PodSpec.overhead PodStatus.allocatedResources
    ResourceQuotaSpec.hard ResourceQuotaStatus.hard ResourceQuotaStatus.used
    ResourceRequirements.limits ResourceRequirements.requests VolumeResourceRequirements.limits
    VolumeResourceRequirements.requests
ResourceName ContainerResizePolicy.resourceName NodeAllocatableMappedResources.name
    NodeAllocatableOverheadResources.name ResourceStatus.name
ResourceQuotaScope ResourceQuotaSpec.scopes ScopedResourceSelectorRequirement.scopeName
ResourceResizeRestartPolicy ContainerResizePolicy.restartPolicy
RestartPolicy PodSpec.restartPolicy
ScalingPolicySelect HPAScalingRules.selectPolicy
ScopeSelectorOperator ScopedResourceSelectorRequirement.operator
SeccompProfileType SeccompProfile.type
SecretType Secret.type
ServiceAffinity ServiceSpec.sessionAffinity
ServiceExternalTrafficPolicy ServiceSpec.externalTrafficPolicy
ServiceInternalTrafficPolicy ServiceSpec.internalTrafficPolicy
ServiceType ServiceSpec.type
Signal ContainerStatus.stopSignal Lifecycle.stopSignal
SkipNodeOperation DeviceRequestAllocationResult.skipNodeOperations
    ResourceSliceSpec.skipNodeOperations
StatefulSetConditionType StatefulSetCondition.type
StatefulSetUpdateStrategyType StatefulSetUpdateStrategy.type
StorageHealthStatusType StorageHealthCondition.status
StorageMedium EmptyDirVolumeSource.medium
SupplementalGroupsPolicy PodSecurityContext.supplementalGroupsPolicy
TaintEffect Taint.effect Toleration.effect
TerminationMessagePolicy Container.terminationMessagePolicy
    EphemeralContainer.terminationMessagePolicy
TolerationOperator Toleration.operator
URIScheme HTTPGetAction.scheme
UnhealthyPodEvictionPolicyType PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy
UniqueVolumeName AttachedVolume.name NodeStatus.volumesInUse
UnsatisfiableConstraintAction TopologySpreadConstraint.whenUnsatisfiable
VolumeBindingMode StorageClass.volumeBindingMode
VolumeHealthStatusType VolumeHealthCondition.status
VolumeLifecycleMode CSIDriverSpec.volumeLifecycleModes
types.UID BoundObjectReference.uid ConfigMapNodeConfigSource.uid
    DeviceRequestAllocationResult.shareID ObjectMeta.uid ObjectReference.uid OwnerReference.uid
    Preconditions.uid ResourceClaimConsumerReference.uid UncountedTerminatedPods.failed
    UncountedTerminatedPods.succeeded
v1.ConditionStatus DaemonSetCondition.status DeploymentCondition.status
    HorizontalPodAutoscalerCondition.status JobCondition.status
    PodFailurePolicyOnPodConditionsPattern.status ReplicaSetCondition.status
    StatefulSetCondition.status
v1.PersistentVolumeAccessMode StorageHealthCondition.accessMode
v1.PersistentVolumeMode StorageHealthCondition.volumeMode
v1.PersistentVolumeReclaimPolicy StorageClass.reclaimPolicy
v1.PodConditionType PodFailurePolicyOnPodConditionsPattern.type
v1.PreemptionPolicy PriorityClass.preemptionPolicy
v1.Protocol EndpointPort.protocol IngressPortStatus.protocol NetworkPolicyPort.protocol
v1.ResourceList Overhead.podFixed
v1.ResourceName ContainerResourceMetricSource.name ContainerResourceMetricStatus.name
    ResourceMetricSource.name ResourceMetricStatus.name
"""
"""A type a paragraph, then the fields of that type (or a list or map of it). A type without a
dot is of the struct's own package; a line that begins with a blank goes on with the paragraph."""

_EMBEDDED: Final[dict[str, tuple[str, frozenset[str], bool]]] = {
    "ConfigMapEnvSource": ("LocalObjectReference", frozenset({"name"}), True),
    "ConfigMapKeySelector": ("LocalObjectReference", frozenset({"name"}), True),
    "ConfigMapProjection": ("LocalObjectReference", frozenset({"name"}), True),
    "ConfigMapVolumeSource": ("LocalObjectReference", frozenset({"name"}), True),
    "DeviceAllocationConfiguration": ("DeviceConfiguration", frozenset({"opaque"}), True),
    "DeviceClaimConfiguration": ("DeviceConfiguration", frozenset({"opaque"}), True),
    "DeviceClassConfiguration": ("DeviceConfiguration", frozenset({"opaque"}), True),
    "EphemeralContainer": (
        "EphemeralContainerCommon",
        frozenset({"targetContainerName"}),
        False,
    ),
    "IngressRule": ("IngressRuleValue", frozenset({"http"}), True),
    "PersistentVolumeSpec": (
        "PersistentVolumeSource",
        frozenset(
            {
                "accessModes",
                "capacity",
                "claimRef",
                "mountOptions",
                "nodeAffinity",
                "persistentVolumeReclaimPolicy",
                "storageClassName",
                "volumeAttributesClassName",
                "volumeMode",
            }
        ),
        False,
    ),
    "Probe": ("ProbeHandler", frozenset({"exec", "grpc", "httpGet", "tcpSocket"}), True),
    "SecretEnvSource": ("LocalObjectReference", frozenset({"name"}), True),
    "SecretKeySelector": ("LocalObjectReference", frozenset({"name"}), True),
    "SecretProjection": ("LocalObjectReference", frozenset({"name"}), True),
    "Volume": ("VolumeSource", frozenset({"name"}), False),
}
"""A struct, the struct embedded in it, and fields: the embedded ones if true, else the others."""

_SCALARS: Final = {
    "integer": "int64",
    "number": "float64",
    "string": "string",
    "boolean": "bool",
    "int-or-string": "intstr.IntOrString",
    "any": "interface {}",
}


def _named() -> dict[str, str]:
    table: dict[str, str] = {}
    name = ""
    for line in _NAMED.strip().splitlines():
        words = line.split()
        if not line.startswith(" "):
            name, *words = words
        table.update(dict.fromkeys(words, name))
    return table


_NAMES = _named()


def struct_name(schema: Schema) -> str:
    """Return the name of a definition's struct: ``PodSpec``."""
    return schema.name.rpartition(".")[2]


def embedded_in(schema: Schema, field: str) -> str:
    """Return the struct within the struct that really has the field, or ""."""
    found = _EMBEDDED.get(struct_name(schema))
    if found is None:
        return ""
    embedded, fields, listed_are_embedded = found
    return embedded if (field in fields) == listed_are_embedded else ""


def type_name(schema: Schema, owner: Schema, field: str) -> str:
    """Return the Go type of a field's value, or of an item or entry of it.

    Args:
        schema: the value's structure.
        owner: the struct that has the field.
        field: the field, which tells named strings and maps from plain ones.
    """
    if schema.name and schema.type == "object":
        return _qualified(schema.name, "")
    named = _NAMES.get(f"{struct_name(owner)}.{field}", "")
    if schema.type == "map" and named == "ResourceList":
        return _qualified(owner.name, named)
    if schema.type in {"array", "map"} and schema.items is not None:
        prefix = "[]" if schema.type == "array" else "map[string]"
        return prefix + type_name(schema.items, owner, field)
    if schema.format == "byte":
        return "[]uint8"
    if schema.format in {"int32", "int64"}:
        return schema.format
    if schema.type == "string" and not schema.name and named:
        return named if "." in named else _qualified(owner.name, named)
    return _SCALARS.get(schema.type, "interface {}")


def _qualified(definition: str, name: str) -> str:
    """Return ``v1.Name`` for the package of a definition; the definition's own name if empty."""
    package, _, own = definition.rpartition(".")
    return f"{package.rpartition('.')[2]}.{name or own}"
