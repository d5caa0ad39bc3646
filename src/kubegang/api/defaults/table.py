"""Which function fills in which kind.

Step one of a write, after decoding and before admission: upstream's defaults of the
release, on the decoded wire object, in place. Kinds without a row have no defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kubegang.api.defaults import (
    apps,
    autoscaling,
    batch,
    core,
    devices,
    networking,
    pods,
    quotas,
    rbac,
    scheduling,
    services,
    storage,
)
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.base.feature_gates import FeatureGates

Fill = Callable[[JsonObject, FeatureGates], None]

_SCHEDULING = "scheduling.k8s.io"
_DEVICES = "resource.k8s.io"
_NETWORKING = "networking.k8s.io"
_STORAGE = "storage.k8s.io"

_AUTOSCALER = "HorizontalPodAutoscaler"
_RBAC = "rbac.authorization.k8s.io"

_FILL: Mapping[GroupVersionKind, Fill] = {
    GroupVersionKind("", "v1", "Namespace"): core.default_namespace,
    GroupVersionKind("", "v1", "Node"): core.default_node,
    GroupVersionKind("", "v1", "Pod"): pods.default_pod,
    GroupVersionKind("", "v1", "Secret"): core.default_secret,
    GroupVersionKind("", "v1", "PersistentVolume"): storage.default_persistent_volume,
    GroupVersionKind("", "v1", "PersistentVolumeClaim"): storage.default_claim,
    GroupVersionKind("", "v1", "Service"): services.default_service,
    GroupVersionKind("", "v1", "Endpoints"): services.default_endpoints,
    GroupVersionKind("discovery.k8s.io", "v1", "EndpointSlice"): services.default_endpoint_slice,
    GroupVersionKind(_NETWORKING, "v1", "IngressClass"): networking.default_ingress_class,
    GroupVersionKind(_NETWORKING, "v1", "NetworkPolicy"): networking.default_network_policy,
    GroupVersionKind(_DEVICES, "v1", "ResourceClaim"): devices.default_claim,
    GroupVersionKind(_DEVICES, "v1", "ResourceClaimTemplate"): devices.default_claim_template,
    GroupVersionKind("", "v1", "LimitRange"): quotas.default_limit_range,
    GroupVersionKind("", "v1", "ResourceQuota"): quotas.default_quota,
    GroupVersionKind("", "v1", "PodTemplate"): apps.default_pod_template,
    GroupVersionKind("", "v1", "ReplicationController"): apps.default_replication_controller,
    GroupVersionKind("apps", "v1", "DaemonSet"): apps.default_daemon_set,
    GroupVersionKind("apps", "v1", "Deployment"): apps.default_deployment,
    GroupVersionKind("apps", "v1", "ReplicaSet"): apps.default_replica_set,
    GroupVersionKind("apps", "v1", "StatefulSet"): apps.default_stateful_set,
    GroupVersionKind(_STORAGE, "v1", "CSIDriver"): storage.default_csi_driver,
    GroupVersionKind(_STORAGE, "v1", "StorageClass"): storage.default_storage_class,
    GroupVersionKind(_RBAC, "v1", "ClusterRoleBinding"): rbac.default_binding,
    GroupVersionKind(_RBAC, "v1", "RoleBinding"): rbac.default_binding,
    GroupVersionKind("autoscaling", "v1", _AUTOSCALER): autoscaling.default_autoscaler_v1,
    GroupVersionKind("autoscaling", "v2", _AUTOSCALER): autoscaling.default_autoscaler,
    GroupVersionKind("batch", "v1", "CronJob"): batch.default_cron_job,
    GroupVersionKind("batch", "v1", "Job"): batch.default_job,
    GroupVersionKind(_SCHEDULING, "v1", "PriorityClass"): scheduling.default_priority_class,
    GroupVersionKind(_SCHEDULING, "v1beta1", "PodGroup"): scheduling.default_group,
    GroupVersionKind(_SCHEDULING, "v1alpha3", "PodGroup"): scheduling.default_group,
    GroupVersionKind(_SCHEDULING, "v1alpha3", "CompositePodGroup"): scheduling.default_group,
    GroupVersionKind(_SCHEDULING, "v1alpha2", "PodGroup"): scheduling.default_v1alpha2_group,
}


def apply_defaults(obj: JsonObject, gvk: GroupVersionKind, gates: FeatureGates) -> None:
    """Fill in what ``obj`` leaves open, in place."""
    fill = _FILL.get(gvk)
    if fill is not None:
        fill(obj, gates)
