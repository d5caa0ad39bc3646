"""The fields of a pod template as Go declares them: names, order and types.

The name of a Deployment's ReplicaSet ends in a hash of the template as Go prints it, every
unset field included; ``godump`` prints with this table. It has the fields of all releases;
which of them a release declares is known from its facts table.

A line that starts in the first column names a struct; the lines below list its fields as
``GoName:type``, or ``GoName=wireName:type`` where the wire name is not the Go name with its
first word in lower case. An empty wire name means that the members stand in the parent
object itself. Types are Go's, without ``v1.``; a capital name that is no struct here is a
named text.

Source: k8s.io/api and k8s.io/apimachinery v0.37.2, and core/v1's WorkloadReference of
v0.35.4. Pure: data only.
"""

TYPES = """
PodTemplateSpec
    ObjectMeta=metadata:ObjectMeta Spec:PodSpec
ObjectMeta
    Name:string GenerateName:string Namespace:string SelfLink:string UID:types.UID
    ResourceVersion:string Generation:int64 CreationTimestamp:Time DeletionTimestamp:*Time
    DeletionGracePeriodSeconds:*int64 Labels:map[string]string Annotations:map[string]string
    OwnerReferences:[]OwnerReference Finalizers:[]string ManagedFields:[]ManagedFieldsEntry
OwnerReference
    APIVersion:string Kind:string Name:string UID:types.UID Controller:*bool
    BlockOwnerDeletion:*bool
PodSpec
    Volumes:[]Volume InitContainers:[]Container Containers:[]Container
    EphemeralContainers:[]EphemeralContainer RestartPolicy:RestartPolicy
    TerminationGracePeriodSeconds:*int64 ActiveDeadlineSeconds:*int64 DNSPolicy:DNSPolicy
    NodeSelector:map[string]string ServiceAccountName:string
    DeprecatedServiceAccount=serviceAccount:string AutomountServiceAccountToken:*bool
    NodeName:string HostNetwork:bool HostPID:bool HostIPC:bool ShareProcessNamespace:*bool
    SecurityContext:*PodSecurityContext ImagePullSecrets:[]LocalObjectReference Hostname:string
    Subdomain:string Affinity:*Affinity SchedulerName:string Tolerations:[]Toleration
    HostAliases:[]HostAlias PriorityClassName:string Priority:*int32 DNSConfig:*PodDNSConfig
    ReadinessGates:[]PodReadinessGate RuntimeClassName:*string EnableServiceLinks:*bool
    PreemptionPolicy:*PreemptionPolicy Overhead:ResourceList
    TopologySpreadConstraints:[]TopologySpreadConstraint SetHostnameAsFQDN:*bool OS:*PodOS
    HostUsers:*bool SchedulingGates:[]PodSchedulingGate ResourceClaims:[]PodResourceClaim
    Resources:*ResourceRequirements HostnameOverride:*string SchedulingGroup:*PodSchedulingGroup
    WorkloadRef:*WorkloadReference EvictionResponders:[]EvictionResponder
Volume
    Name:string VolumeSource=:VolumeSource
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
HostPathVolumeSource
    Path:string Type:*HostPathType
EmptyDirVolumeSource
    Medium:StorageMedium SizeLimit:*resource.Quantity Mode:*int32
GCEPersistentDiskVolumeSource
    PDName:string FSType:string Partition:int32 ReadOnly:bool
AWSElasticBlockStoreVolumeSource
    VolumeID:string FSType:string Partition:int32 ReadOnly:bool
GitRepoVolumeSource
    Repository:string Revision:string Directory:string
SecretVolumeSource
    SecretName:string Items:[]KeyToPath DefaultMode:*int32 Optional:*bool DefaultUser:*int64
KeyToPath
    Key:string Path:string Mode:*int32 User:*int64
NFSVolumeSource
    Server:string Path:string ReadOnly:bool
ISCSIVolumeSource
    TargetPortal:string IQN:string Lun:int32 ISCSIInterface:string FSType:string ReadOnly:bool
    Portals:[]string DiscoveryCHAPAuth=chapAuthDiscovery:bool
    SessionCHAPAuth=chapAuthSession:bool SecretRef:*LocalObjectReference InitiatorName:*string
LocalObjectReference
    Name:string
GlusterfsVolumeSource
    EndpointsName=endpoints:string Path:string ReadOnly:bool
PersistentVolumeClaimVolumeSource
    ClaimName:string ReadOnly:bool
RBDVolumeSource
    CephMonitors=monitors:[]string RBDImage=image:string FSType:string RBDPool=pool:string
    RadosUser=user:string Keyring:string SecretRef:*LocalObjectReference ReadOnly:bool
FlexVolumeSource
    Driver:string FSType:string SecretRef:*LocalObjectReference ReadOnly:bool
    Options:map[string]string
CinderVolumeSource
    VolumeID:string FSType:string ReadOnly:bool SecretRef:*LocalObjectReference
CephFSVolumeSource
    Monitors:[]string Path:string User:string SecretFile:string SecretRef:*LocalObjectReference
    ReadOnly:bool
FlockerVolumeSource
    DatasetName:string DatasetUUID:string
DownwardAPIVolumeSource
    Items:[]DownwardAPIVolumeFile DefaultMode:*int32 DefaultUser:*int64
DownwardAPIVolumeFile
    Path:string FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector
    Mode:*int32 User:*int64
ObjectFieldSelector
    APIVersion:string FieldPath:string
ResourceFieldSelector
    ContainerName:string Resource:string Divisor:resource.Quantity
FCVolumeSource
    TargetWWNs:[]string Lun:*int32 FSType:string ReadOnly:bool WWIDs=wwids:[]string
AzureFileVolumeSource
    SecretName:string ShareName:string ReadOnly:bool
ConfigMapVolumeSource
    LocalObjectReference=:LocalObjectReference Items:[]KeyToPath DefaultMode:*int32
    Optional:*bool DefaultUser:*int64
VsphereVirtualDiskVolumeSource
    VolumePath:string FSType:string StoragePolicyName:string StoragePolicyID:string
QuobyteVolumeSource
    Registry:string Volume:string ReadOnly:bool User:string Group:string Tenant:string
AzureDiskVolumeSource
    DiskName:string DataDiskURI=diskURI:string CachingMode:*AzureDataDiskCachingMode
    FSType:*string ReadOnly:*bool Kind:*AzureDataDiskKind
PhotonPersistentDiskVolumeSource
    PdID:string FSType:string
ProjectedVolumeSource
    Sources:[]VolumeProjection DefaultMode:*int32 DefaultUser:*int64
VolumeProjection
    Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection
    ServiceAccountToken:*ServiceAccountTokenProjection
    ClusterTrustBundle:*ClusterTrustBundleProjection PodCertificate:*PodCertificateProjection
SecretProjection
    LocalObjectReference=:LocalObjectReference Items:[]KeyToPath Optional:*bool
DownwardAPIProjection
    Items:[]DownwardAPIVolumeFile
ConfigMapProjection
    LocalObjectReference=:LocalObjectReference Items:[]KeyToPath Optional:*bool
ServiceAccountTokenProjection
    Audience:string ExpirationSeconds:*int64 Path:string User:*int64
ClusterTrustBundleProjection
    Name:*string SignerName:*string LabelSelector:*LabelSelector Optional:*bool Path:string
    User:*int64
LabelSelector
    MatchLabels:map[string]string MatchExpressions:[]LabelSelectorRequirement
LabelSelectorRequirement
    Key:string Operator:LabelSelectorOperator Values:[]string
PodCertificateProjection
    SignerName:string KeyType:string MaxExpirationSeconds:*int32 CredentialBundlePath:string
    KeyPath:string CertificateChainPath:string UserAnnotations:map[string]string User:*int64
PortworxVolumeSource
    VolumeID:string FSType:string ReadOnly:bool
ScaleIOVolumeSource
    Gateway:string System:string SecretRef:*LocalObjectReference SSLEnabled:bool
    ProtectionDomain:string StoragePool:string StorageMode:string VolumeName:string
    FSType:string ReadOnly:bool
StorageOSVolumeSource
    VolumeName:string VolumeNamespace:string FSType:string ReadOnly:bool
    SecretRef:*LocalObjectReference
CSIVolumeSource
    Driver:string ReadOnly:*bool FSType:*string VolumeAttributes:map[string]string
    NodePublishSecretRef:*LocalObjectReference
EphemeralVolumeSource
    VolumeClaimTemplate:*PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate
    ObjectMeta=metadata:ObjectMeta Spec:PersistentVolumeClaimSpec
PersistentVolumeClaimSpec
    AccessModes:[]PersistentVolumeAccessMode Selector:*LabelSelector
    Resources:VolumeResourceRequirements VolumeName:string StorageClassName:*string
    VolumeMode:*PersistentVolumeMode DataSource:*TypedLocalObjectReference
    DataSourceRef:*TypedObjectReference VolumeAttributesClassName:*string
VolumeResourceRequirements
    Limits:ResourceList Requests:ResourceList
TypedLocalObjectReference
    APIGroup:*string Kind:string Name:string
TypedObjectReference
    APIGroup:*string Kind:string Name:string Namespace:*string
ImageVolumeSource
    Reference:string PullPolicy:PullPolicy
Container
    Name:string Image:string Command:[]string Args:[]string WorkingDir:string
    Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements
    ResizePolicy:[]ContainerResizePolicy RestartPolicy:*ContainerRestartPolicy
    RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount
    VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe
    Lifecycle:*Lifecycle TerminationMessagePath:string
    TerminationMessagePolicy:TerminationMessagePolicy ImagePullPolicy:PullPolicy
    SecurityContext:*SecurityContext Stdin:bool StdinOnce:bool TTY:bool
ContainerPort
    Name:string HostPort:int32 ContainerPort:int32 Protocol:Protocol HostIP:string
EnvFromSource
    Prefix:string ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource
ConfigMapEnvSource
    LocalObjectReference=:LocalObjectReference Optional:*bool
SecretEnvSource
    LocalObjectReference=:LocalObjectReference Optional:*bool
EnvVar
    Name:string Value:string ValueFrom:*EnvVarSource
EnvVarSource
    FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector
    ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector
    FileKeyRef:*FileKeySelector
ConfigMapKeySelector
    LocalObjectReference=:LocalObjectReference Key:string Optional:*bool
SecretKeySelector
    LocalObjectReference=:LocalObjectReference Key:string Optional:*bool
FileKeySelector
    VolumeName:string Path:string Key:string Optional:*bool
ResourceRequirements
    Limits:ResourceList Requests:ResourceList Claims:[]ResourceClaim
ResourceClaim
    Name:string Request:string
ContainerResizePolicy
    ResourceName:ResourceName RestartPolicy:ResourceResizeRestartPolicy
ContainerRestartRule
    Action:ContainerRestartRuleAction ExitCodes:*ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes
    Operator:ContainerRestartRuleOnExitCodesOperator Values:[]int32
VolumeMount
    Name:string ReadOnly:bool RecursiveReadOnly:*RecursiveReadOnlyMode MountPath:string
    SubPath:string MountPropagation:*MountPropagationMode SubPathExpr:string
    BindMountOptions:[]string
VolumeDevice
    Name:string DevicePath:string
Probe
    ProbeHandler=:ProbeHandler InitialDelaySeconds:int32 TimeoutSeconds:int32
    PeriodSeconds:int32 SuccessThreshold:int32 FailureThreshold:int32
    TerminationGracePeriodSeconds:*int64
ProbeHandler
    Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction GRPC:*GRPCAction
ExecAction
    Command:[]string
HTTPGetAction
    Path:string Port:intstr.IntOrString Host:string Scheme:URIScheme HTTPHeaders:[]HTTPHeader
    Protocol:*HTTPProtocol
HTTPHeader
    Name:string Value:string
TCPSocketAction
    Port:intstr.IntOrString Host:string
GRPCAction
    Port:int32 Service:*string Mode:*GRPCProbeMode
Lifecycle
    PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:*Signal
LifecycleHandler
    Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction Sleep:*SleepAction
SleepAction
    Seconds:int64
SecurityContext
    Capabilities:*Capabilities Privileged:*bool SELinuxOptions:*SELinuxOptions
    WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64
    RunAsNonRoot:*bool ReadOnlyRootFilesystem:*bool AllowPrivilegeEscalation:*bool
    ProcMount:*ProcMountType SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile
Capabilities
    Add:[]Capability Drop:[]Capability
SELinuxOptions
    User:string Role:string Type:string Level:string
WindowsSecurityContextOptions
    GMSACredentialSpecName:*string GMSACredentialSpec:*string RunAsUserName:*string
    HostProcess:*bool
SeccompProfile
    Type:SeccompProfileType LocalhostProfile:*string
AppArmorProfile
    Type:AppArmorProfileType LocalhostProfile:*string
EphemeralContainer
    EphemeralContainerCommon=:EphemeralContainerCommon TargetContainerName:string
EphemeralContainerCommon
    Name:string Image:string Command:[]string Args:[]string WorkingDir:string
    Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements
    ResizePolicy:[]ContainerResizePolicy RestartPolicy:*ContainerRestartPolicy
    RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount
    VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe
    Lifecycle:*Lifecycle TerminationMessagePath:string
    TerminationMessagePolicy:TerminationMessagePolicy ImagePullPolicy:PullPolicy
    SecurityContext:*SecurityContext Stdin:bool StdinOnce:bool TTY:bool
PodSecurityContext
    SELinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions
    RunAsUser:*int64 RunAsGroup:*int64 RunAsNonRoot:*bool SupplementalGroups:[]int64
    SupplementalGroupsPolicy:*SupplementalGroupsPolicy FSGroup:*int64 Sysctls:[]Sysctl
    FSGroupChangePolicy:*PodFSGroupChangePolicy SeccompProfile:*SeccompProfile
    AppArmorProfile:*AppArmorProfile SELinuxChangePolicy:*PodSELinuxChangePolicy
Sysctl
    Name:string Value:string
Affinity
    NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity
NodeAffinity
    RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector
    PreferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm
NodeSelector
    NodeSelectorTerms:[]NodeSelectorTerm
NodeSelectorTerm
    MatchExpressions:[]NodeSelectorRequirement MatchFields:[]NodeSelectorRequirement
NodeSelectorRequirement
    Key:string Operator:NodeSelectorOperator Values:[]string
PreferredSchedulingTerm
    Weight:int32 Preference:NodeSelectorTerm
PodAffinity
    RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
    PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodAffinityTerm
    LabelSelector:*LabelSelector Namespaces:[]string TopologyKey:string
    NamespaceSelector:*LabelSelector MatchLabelKeys:[]string MismatchLabelKeys:[]string
WeightedPodAffinityTerm
    Weight:int32 PodAffinityTerm:PodAffinityTerm
PodAntiAffinity
    RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
    PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
Toleration
    Key:string Operator:TolerationOperator Value:string Effect:TaintEffect
    TolerationSeconds:*int64
HostAlias
    IP:string Hostnames:[]string
PodDNSConfig
    Nameservers:[]string Searches:[]string Options:[]PodDNSConfigOption
PodDNSConfigOption
    Name:string Value:*string
PodReadinessGate
    ConditionType:PodConditionType
TopologySpreadConstraint
    MaxSkew:int32 TopologyKey:string WhenUnsatisfiable:UnsatisfiableConstraintAction
    LabelSelector:*LabelSelector MinDomains:*int32 NodeAffinityPolicy:*NodeInclusionPolicy
    NodeTaintsPolicy:*NodeInclusionPolicy MatchLabelKeys:[]string
PodOS
    Name:OSName
PodSchedulingGate
    Name:string
PodResourceClaim
    Name:string ResourceClaimName:*string ResourceClaimTemplateName:*string
PodSchedulingGroup
    PodGroupName:*string
EvictionResponder
    Name:string Priority:*int32
WorkloadReference
    Name:string PodGroup:string PodGroupReplicaKey:string
"""
