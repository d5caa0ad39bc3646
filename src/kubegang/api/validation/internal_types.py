"""The fields of upstream's internal types, in their order, with their zero values.

Some error texts show a whole value in the form in which the original holds it: Go's field
names in Go's order, every unset field included. ``internal_form`` makes that form from a
wire object with this table (1.37). A test compares the names with the facts table.

A line that starts in the first column names a type; the lines below list its fields as
``GoName:kind``, or ``GoName=wireName:kind`` where the wire name is not the Go name with its
first word in lower case. Kinds:

    ""  0  false   plain values with that zero
    *   *T         pointers to a plain value or to a struct, null when unset
    T              a struct, present even when unset
    ?T             a struct that this release has not: left out when unset (1.35's WorkloadRef)
    []  [T]        lists, null when empty
    {}             a map of texts, null when empty
    {quantity}     a map of quantities; ``quantity`` and ``*quantity`` are single ones
    selector       a label selector, which has wire names inside
    +T             the fields of another type, as if they were its own

Pure: data only.
"""

TYPES = """
PodSpec
    Volumes:[Volume] InitContainers:[Container] Containers:[Container]
    EphemeralContainers:[EphemeralContainer] RestartPolicy:"" TerminationGracePeriodSeconds:*
    ActiveDeadlineSeconds:* DNSPolicy:"" NodeSelector:{} ServiceAccountName:""
    DeprecatedServiceAccount=serviceAccount:"" AutomountServiceAccountToken:* NodeName:""
    HostNetwork:false HostPID:false HostIPC:false ShareProcessNamespace:*
    SecurityContext:*PodSecurityContext ImagePullSecrets:[LocalObjectReference] Hostname:""
    Subdomain:"" Affinity:*Affinity SchedulerName:"" Tolerations:[Toleration]
    HostAliases:[HostAlias] PriorityClassName:"" Priority:* DNSConfig:*PodDNSConfig
    ReadinessGates:[PodReadinessGate] RuntimeClassName:* EnableServiceLinks:*
    PreemptionPolicy:* Overhead:{quantity}
    TopologySpreadConstraints:[TopologySpreadConstraint] SetHostnameAsFQDN:* OS:*PodOS
    HostUsers:* SchedulingGates:[PodSchedulingGate] ResourceClaims:[PodResourceClaim]
    Resources:*ResourceRequirements HostnameOverride:* SchedulingGroup:*PodSchedulingGroup
    EvictionResponders:[EvictionResponder] WorkloadRef:?WorkloadReferenceV1alpha1
PodTemplateSpec
    +ObjectMeta Spec:PodSpec
Taint
    Key:"" Value:"" Effect:"" TimeAdded:*
NodeAddress
    Type:"" Address:""
ObjectReference
    Kind:"" Namespace:"" Name:"" UID:"" APIVersion:"" ResourceVersion:"" FieldPath:""
EventSource
    Component:"" Host:""
PodIP
    IP:""
HostIP
    IP:""
PodDisruptionBudgetSpec
    MinAvailable:* Selector:selector MaxUnavailable:* UnhealthyPodEvictionPolicy:*
SuccessPolicy
    Rules:[SuccessPolicyRule]
PodFailurePolicy
    Rules:[PodFailurePolicyRule]
CompositePodGroupTemplate
    Name:"" SchedulingPolicy:CompositePodGroupSchedulingPolicy
    SchedulingConstraints:*CompositePodGroupSchedulingConstraints
    DisruptionMode:*CompositeDisruptionMode PriorityClassName:"" Priority:* PreemptionPolicy:*
    PodGroupTemplates:[PodGroupTemplate]
    CompositePodGroupTemplates:[CompositePodGroupTemplate]
UncountedTerminatedPods
    Succeeded:[] Failed:[]
Volume
    Name:"" +VolumeSource
Container
    Name:"" Image:"" Command:[] Args:[] WorkingDir:"" Ports:[ContainerPort]
    EnvFrom:[EnvFromSource] Env:[EnvVar] Resources:ResourceRequirements
    ResizePolicy:[ContainerResizePolicy] RestartPolicy:*
    RestartPolicyRules:[ContainerRestartRule] VolumeMounts:[VolumeMount]
    VolumeDevices:[VolumeDevice] LivenessProbe:*Probe ReadinessProbe:*Probe
    StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:""
    TerminationMessagePolicy:"" ImagePullPolicy:"" SecurityContext:*SecurityContext
    Stdin:false StdinOnce:false TTY:false
EphemeralContainer
    +EphemeralContainerCommon TargetContainerName:""
PodSecurityContext
    SELinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*
    RunAsGroup:* RunAsNonRoot:* SupplementalGroups:[] SupplementalGroupsPolicy:* FSGroup:*
    Sysctls:[Sysctl] FSGroupChangePolicy:* SeccompProfile:*SeccompProfile
    AppArmorProfile:*AppArmorProfile SELinuxChangePolicy:*
LocalObjectReference
    Name:""
Affinity
    NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity
Toleration
    Key:"" Operator:"" Value:"" Effect:"" TolerationSeconds:*
HostAlias
    IP:"" Hostnames:[]
PodDNSConfig
    Nameservers:[] Searches:[] Options:[PodDNSConfigOption]
PodReadinessGate
    ConditionType:""
TopologySpreadConstraint
    MaxSkew:0 TopologyKey:"" WhenUnsatisfiable:"" LabelSelector:selector MinDomains:*
    NodeAffinityPolicy:* NodeTaintsPolicy:* MatchLabelKeys:[]
PodOS
    Name:""
PodSchedulingGate
    Name:""
PodResourceClaim
    Name:"" ResourceClaimName:* ResourceClaimTemplateName:*
ResourceRequirements
    Limits:{quantity} Requests:{quantity} Claims:[ResourceClaim]
PodSchedulingGroup
    PodGroupName:*
EvictionResponder
    Name:"" Priority:*
WorkloadReferenceV1alpha1
    Name:"" PodGroup:"" PodGroupReplicaKey:""
SuccessPolicyRule
    SucceededIndexes:* SucceededCount:*
PodFailurePolicyRule
    Action:"" OnExitCodes:*PodFailurePolicyOnExitCodesRequirement
    OnPodConditions:[PodFailurePolicyOnPodConditionsPattern]
CompositePodGroupSchedulingPolicy
    Basic:*CompositeBasicSchedulingPolicy Gang:*CompositeGangSchedulingPolicy
CompositePodGroupSchedulingConstraints
    Topology:[TopologyConstraint]
CompositeDisruptionMode
    Single:*SingleCompositeDisruptionMode All:*AllCompositeDisruptionMode
PodGroupTemplate
    Name:"" SchedulingPolicy:PodGroupSchedulingPolicy
    SchedulingConstraints:*PodGroupSchedulingConstraints
    ResourceClaims:[PodGroupResourceClaim] DisruptionMode:*DisruptionMode PriorityClassName:""
    Priority:* PreemptionPolicy:*
VolumeSource
    HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource
    GCEPersistentDisk:*GCEPersistentDiskVolumeSource
    AWSElasticBlockStore:*AWSElasticBlockStoreVolumeSource GitRepo:*GitRepoVolumeSource
    Secret:*SecretVolumeSource NFS:*NFSVolumeSource ISCSI:*ISCSIVolumeSource
    Glusterfs:*GlusterfsVolumeSource PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource
    RBD:*RBDVolumeSource FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource
    CephFS=cephfs:*CephFSVolumeSource Flocker:*FlockerVolumeSource
    DownwardAPI:*DownwardAPIVolumeSource FC:*FCVolumeSource AzureFile:*AzureFileVolumeSource
    ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource
    Quobyte:*QuobyteVolumeSource AzureDisk:*AzureDiskVolumeSource
    PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource Projected:*ProjectedVolumeSource
    PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOVolumeSource
    StorageOS=storageos:*StorageOSVolumeSource CSI:*CSIVolumeSource
    Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource
ContainerPort
    Name:"" HostPort:0 ContainerPort:0 Protocol:"" HostIP:""
EnvFromSource
    Prefix:"" ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource
EnvVar
    Name:"" Value:"" ValueFrom:*EnvVarSource
ContainerResizePolicy
    ResourceName:"" RestartPolicy:""
ContainerRestartRule
    Action:"" ExitCodes:*ContainerRestartRuleOnExitCodes
VolumeMount
    Name:"" ReadOnly:false RecursiveReadOnly:* MountPath:"" SubPath:"" MountPropagation:*
    SubPathExpr:"" BindMountOptions:[]
VolumeDevice
    Name:"" DevicePath:""
Probe
    +ProbeHandler InitialDelaySeconds:0 TimeoutSeconds:0 PeriodSeconds:0 SuccessThreshold:0
    FailureThreshold:0 TerminationGracePeriodSeconds:*
Lifecycle
    PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:*
SecurityContext
    Capabilities:*Capabilities Privileged:* SELinuxOptions:*SELinuxOptions
    WindowsOptions:*WindowsSecurityContextOptions RunAsUser:* RunAsGroup:* RunAsNonRoot:*
    ReadOnlyRootFilesystem:* AllowPrivilegeEscalation:* ProcMount:*
    SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile
EphemeralContainerCommon
    Name:"" Image:"" Command:[] Args:[] WorkingDir:"" Ports:[ContainerPort]
    EnvFrom:[EnvFromSource] Env:[EnvVar] Resources:ResourceRequirements
    ResizePolicy:[ContainerResizePolicy] RestartPolicy:*
    RestartPolicyRules:[ContainerRestartRule] VolumeMounts:[VolumeMount]
    VolumeDevices:[VolumeDevice] LivenessProbe:*Probe ReadinessProbe:*Probe
    StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:""
    TerminationMessagePolicy:"" ImagePullPolicy:"" SecurityContext:*SecurityContext
    Stdin:false StdinOnce:false TTY:false
SELinuxOptions
    User:"" Role:"" Type:"" Level:""
WindowsSecurityContextOptions
    GMSACredentialSpecName:* GMSACredentialSpec:* RunAsUserName:* HostProcess:*
Sysctl
    Name:"" Value:""
SeccompProfile
    Type:"" LocalhostProfile:*
AppArmorProfile
    Type:"" LocalhostProfile:*
NodeAffinity
    RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector
    PreferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm]
PodAffinity
    RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
    PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
PodAntiAffinity
    RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
    PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
PodDNSConfigOption
    Name:"" Value:*
ResourceClaim
    Name:"" Request:""
PodFailurePolicyOnExitCodesRequirement
    ContainerName:* Operator:"" Values:[]
PodFailurePolicyOnPodConditionsPattern
    Type:"" Status:""
CompositeBasicSchedulingPolicy
CompositeGangSchedulingPolicy
    MinGroupCount:0
TopologyConstraint
    Key:""
SingleCompositeDisruptionMode
AllCompositeDisruptionMode
PodGroupSchedulingPolicy
    Basic:*BasicSchedulingPolicy Gang:*GangSchedulingPolicy
PodGroupSchedulingConstraints
    Topology:[TopologyConstraint]
PodGroupResourceClaim
    Name:"" ResourceClaimName:* ResourceClaimTemplateName:*
DisruptionMode
    Single:*SingleDisruptionMode All:*AllDisruptionMode
HostPathVolumeSource
    Path:"" Type:*
EmptyDirVolumeSource
    Medium:"" SizeLimit:*quantity Mode:*
GCEPersistentDiskVolumeSource
    PDName:"" FSType:"" Partition:0 ReadOnly:false
AWSElasticBlockStoreVolumeSource
    VolumeID:"" FSType:"" Partition:0 ReadOnly:false
GitRepoVolumeSource
    Repository:"" Revision:"" Directory:""
SecretVolumeSource
    SecretName:"" Items:[KeyToPath] DefaultMode:* Optional:* DefaultUser:*
NFSVolumeSource
    Server:"" Path:"" ReadOnly:false
ISCSIVolumeSource
    TargetPortal:"" IQN:"" Lun:0 ISCSIInterface:"" FSType:"" ReadOnly:false Portals:[]
    DiscoveryCHAPAuth=chapAuthDiscovery:false SessionCHAPAuth=chapAuthSession:false
    SecretRef:*LocalObjectReference
    InitiatorName:*
GlusterfsVolumeSource
    EndpointsName=endpoints:"" Path:"" ReadOnly:false
PersistentVolumeClaimVolumeSource
    ClaimName:"" ReadOnly:false
RBDVolumeSource
    CephMonitors=monitors:[] RBDImage=image:"" FSType:"" RBDPool=pool:"" RadosUser=user:""
    Keyring:"" SecretRef:*LocalObjectReference ReadOnly:false
FlexVolumeSource
    Driver:"" FSType:"" SecretRef:*LocalObjectReference ReadOnly:false Options:{}
CinderVolumeSource
    VolumeID:"" FSType:"" ReadOnly:false SecretRef:*LocalObjectReference
CephFSVolumeSource
    Monitors:[] Path:"" User:"" SecretFile:"" SecretRef:*LocalObjectReference ReadOnly:false
FlockerVolumeSource
    DatasetName:"" DatasetUUID:""
DownwardAPIVolumeSource
    Items:[DownwardAPIVolumeFile] DefaultMode:* DefaultUser:*
FCVolumeSource
    TargetWWNs:[] Lun:* FSType:"" ReadOnly:false WWIDs=wwids:[]
AzureFileVolumeSource
    SecretName:"" ShareName:"" ReadOnly:false
ConfigMapVolumeSource
    +LocalObjectReference Items:[KeyToPath] DefaultMode:* Optional:* DefaultUser:*
VsphereVirtualDiskVolumeSource
    VolumePath:"" FSType:"" StoragePolicyName:"" StoragePolicyID:""
QuobyteVolumeSource
    Registry:"" Volume:"" ReadOnly:false User:"" Group:"" Tenant:""
AzureDiskVolumeSource
    DiskName:"" DataDiskURI=diskURI:"" CachingMode:* FSType:* ReadOnly:* Kind:*
PhotonPersistentDiskVolumeSource
    PdID:"" FSType:""
ProjectedVolumeSource
    Sources:[VolumeProjection] DefaultMode:* DefaultUser:*
PortworxVolumeSource
    VolumeID:"" FSType:"" ReadOnly:false
ScaleIOVolumeSource
    Gateway:"" System:"" SecretRef:*LocalObjectReference SSLEnabled=sslEnabled:false
    ProtectionDomain:"" StoragePool:"" StorageMode:"" VolumeName:"" FSType:"" ReadOnly:false
StorageOSVolumeSource
    VolumeName:"" VolumeNamespace:"" FSType:"" ReadOnly:false SecretRef:*LocalObjectReference
CSIVolumeSource
    Driver:"" ReadOnly:* FSType:* VolumeAttributes:{}
    NodePublishSecretRef:*LocalObjectReference
EphemeralVolumeSource
    VolumeClaimTemplate:*PersistentVolumeClaimTemplate
ImageVolumeSource
    Reference:"" PullPolicy:""
ConfigMapEnvSource
    +LocalObjectReference Optional:*
SecretEnvSource
    +LocalObjectReference Optional:*
EnvVarSource
    FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector
    ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector
    FileKeyRef:*FileKeySelector
ContainerRestartRuleOnExitCodes
    Operator:"" Values:[]
ProbeHandler
    Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction GRPC:*GRPCAction
LifecycleHandler
    Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction Sleep:*SleepAction
Capabilities
    Add:[] Drop:[]
NodeSelector
    NodeSelectorTerms:[NodeSelectorTerm]
PreferredSchedulingTerm
    Weight:0 Preference:NodeSelectorTerm
PodAffinityTerm
    LabelSelector:selector Namespaces:[] TopologyKey:"" NamespaceSelector:selector
    MatchLabelKeys:[] MismatchLabelKeys:[]
WeightedPodAffinityTerm
    Weight:0 PodAffinityTerm:PodAffinityTerm
BasicSchedulingPolicy
GangSchedulingPolicy
    MinCount:0
SingleDisruptionMode
AllDisruptionMode
KeyToPath
    Key:"" Path:"" Mode:* User:*
DownwardAPIVolumeFile
    Path:"" FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:*
    User:*
VolumeProjection
    Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection
    ServiceAccountToken:*ServiceAccountTokenProjection
    ClusterTrustBundle:*ClusterTrustBundleProjection PodCertificate:*PodCertificateProjection
PersistentVolumeClaimTemplate
    +ObjectMeta Spec:PersistentVolumeClaimSpec
ObjectFieldSelector
    APIVersion:"" FieldPath:""
ResourceFieldSelector
    ContainerName:"" Resource:"" Divisor:quantity
ConfigMapKeySelector
    +LocalObjectReference Key:"" Optional:*
SecretKeySelector
    +LocalObjectReference Key:"" Optional:*
FileKeySelector
    VolumeName:"" Path:"" Key:"" Optional:*
ExecAction
    Command:[]
HTTPGetAction
    Path:"" Port:0 Host:"" Scheme:"" HTTPHeaders:[HTTPHeader] Protocol:*
TCPSocketAction
    Port:0 Host:""
GRPCAction
    Port:0 Service:* Mode:*
SleepAction
    Seconds:0
NodeSelectorTerm
    MatchExpressions:[NodeSelectorRequirement] MatchFields:[NodeSelectorRequirement]
SecretProjection
    +LocalObjectReference Items:[KeyToPath] Optional:*
DownwardAPIProjection
    Items:[DownwardAPIVolumeFile]
ConfigMapProjection
    +LocalObjectReference Items:[KeyToPath] Optional:*
ServiceAccountTokenProjection
    Audience:"" ExpirationSeconds:* Path:"" User:*
ClusterTrustBundleProjection
    Name:* SignerName:* LabelSelector:selector Optional:* Path:"" User:*
PodCertificateProjection
    SignerName:"" KeyType:"" MaxExpirationSeconds:* CredentialBundlePath:"" KeyPath:""
    CertificateChainPath:"" UserAnnotations:{} User:*
ResourceClaimTemplateSpec
    +ObjectMeta Spec:ResourceClaimSpec
ResourceClaimSpec
    Devices:DeviceClaim
DeviceClaim
    Requests:[DeviceRequest] Constraints:[DeviceConstraint] Config:[DeviceClaimConfiguration]
DeviceRequest
    Name:"" Exactly:*ExactDeviceRequest FirstAvailable:[DeviceSubRequest]
ExactDeviceRequest
    DeviceClassName:"" Selectors:[DeviceSelector] AllocationMode:"" Count:0 AdminAccess:*
    Tolerations:[DeviceToleration] Capacity:*CapacityRequirements DerivedAttributes:[]
DeviceSubRequest
    Name:"" DeviceClassName:"" Selectors:[DeviceSelector] AllocationMode:"" Count:0
    Tolerations:[DeviceToleration] Capacity:*CapacityRequirements DerivedAttributes:[]
DeviceSelector
    CEL:*CELDeviceSelector
CELDeviceSelector
    Expression:""
DeviceToleration
    Key:"" Operator:"" Value:"" Effect:"" TolerationSeconds:*
CapacityRequirements
    Requests:{quantity}
DeviceConstraint
    Requests:[] MatchAttribute:* DistinctAttribute:*
DeviceClaimConfiguration
    Requests:[] +DeviceConfiguration
DeviceConfiguration
    Opaque:*OpaqueDeviceConfiguration
AllocationResult
    Devices:DeviceAllocationResult NodeSelector:*NodeSelector AllocationTimestamp:*
DeviceAllocationResult
    Results:[DeviceRequestAllocationResult] Config:[DeviceAllocationConfiguration]
DeviceRequestAllocationResult
    Request:"" Driver:"" Pool:"" Device:"" AdminAccess:* Tolerations:[DeviceToleration]
    BindingConditions:[] BindingFailureConditions:[] ShareID:* ConsumedCapacity:{quantity}
DeviceAllocationConfiguration
    Source:"" Requests:[] +DeviceConfiguration
OpaqueDeviceConfiguration
    Driver:"" Parameters:*
VolumeNodeAffinity
    Required:*NodeSelector
PersistentVolumeClaimSpec
    AccessModes:[] Selector:selector Resources:VolumeResourceRequirements VolumeName:""
    StorageClassName:* VolumeMode:* DataSource:*TypedLocalObjectReference
    DataSourceRef:*TypedObjectReference VolumeAttributesClassName:*
HTTPHeader
    Name:"" Value:""
NodeSelectorRequirement
    Key:"" Operator:"" Values:[]
VolumeResourceRequirements
    Limits:{quantity} Requests:{quantity}
TypedLocalObjectReference
    APIGroup:* Kind:"" Name:""
TypedObjectReference
    APIGroup:* Kind:"" Name:"" Namespace:*
WorkloadPodGroupV1alpha1
    Name:"" Policy:PodGroupSchedulingPolicy
ControllerRefV1alpha1
    APIGroup:"" Kind:"" Name:""
"""
