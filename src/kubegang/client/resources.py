"""The resources that components ask for, as values.

In groups with several versions these are the ones of Kubernetes 1.37; a component that serves
other releases gets its resources as arguments.
"""

from __future__ import annotations

from typing import Final

from kubegang.client.interface import Resource

PODS: Final = Resource("", "v1", "pods", "Pod")
NODES: Final = Resource("", "v1", "nodes", "Node", namespaced=False)
NAMESPACES: Final = Resource("", "v1", "namespaces", "Namespace", namespaced=False)
CONFIGMAPS: Final = Resource("", "v1", "configmaps", "ConfigMap")
CUSTOMRESOURCEDEFINITIONS: Final = Resource(
    "apiextensions.k8s.io",
    "v1",
    "customresourcedefinitions",
    "CustomResourceDefinition",
    namespaced=False,
)
SERVICEACCOUNTS: Final = Resource("", "v1", "serviceaccounts", "ServiceAccount")
CORE_EVENTS: Final = Resource("", "v1", "events", "Event")
EVENTS: Final = Resource("events.k8s.io", "v1", "events", "Event")
SERVICES: Final = Resource("", "v1", "services", "Service")
REPLICATIONCONTROLLERS: Final = Resource(
    "", "v1", "replicationcontrollers", "ReplicationController"
)
REPLICASETS: Final = Resource("apps", "v1", "replicasets", "ReplicaSet")
DEPLOYMENTS: Final = Resource("apps", "v1", "deployments", "Deployment")
DAEMONSETS: Final = Resource("apps", "v1", "daemonsets", "DaemonSet")
CONTROLLERREVISIONS: Final = Resource("apps", "v1", "controllerrevisions", "ControllerRevision")
STATEFULSETS: Final = Resource("apps", "v1", "statefulsets", "StatefulSet")
LEASES: Final = Resource("coordination.k8s.io", "v1", "leases", "Lease")
JOBS: Final = Resource("batch", "v1", "jobs", "Job")
CRONJOBS: Final = Resource("batch", "v1", "cronjobs", "CronJob")
PODDISRUPTIONBUDGETS: Final = Resource(
    "policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget"
)
PRIORITYCLASSES: Final = Resource(
    "scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", namespaced=False
)
WORKLOADS: Final = Resource("scheduling.k8s.io", "v1beta1", "workloads", "Workload")
PODGROUPS: Final = Resource("scheduling.k8s.io", "v1beta1", "podgroups", "PodGroup")


def pod_groups_in(version: str) -> Resource:
    """Return PodGroups as a release serves them: in v1beta1 or v1alpha2."""
    return Resource(PODGROUPS.group, version, PODGROUPS.plural, PODGROUPS.kind)


COMPOSITEPODGROUPS: Final = Resource(
    "scheduling.k8s.io", "v1alpha3", "compositepodgroups", "CompositePodGroup"
)
RESOURCECLAIMS: Final = Resource("resource.k8s.io", "v1", "resourceclaims", "ResourceClaim")
RESOURCECLAIMTEMPLATES: Final = Resource(
    "resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate"
)
RESOURCESLICES: Final = Resource(
    "resource.k8s.io", "v1", "resourceslices", "ResourceSlice", namespaced=False
)
DEVICECLASSES: Final = Resource(
    "resource.k8s.io", "v1", "deviceclasses", "DeviceClass", namespaced=False
)
DEVICETAINTRULES: Final = Resource(
    "resource.k8s.io", "v1", "devicetaintrules", "DeviceTaintRule", namespaced=False
)


def device_taint_rules_in(version: str) -> Resource:
    """Return DeviceTaintRules as a release serves them: in v1, v1beta2 or v1alpha3."""
    rules = DEVICETAINTRULES
    return Resource(rules.group, version, rules.plural, rules.kind, namespaced=False)


PERSISTENTVOLUMES: Final = Resource(
    "", "v1", "persistentvolumes", "PersistentVolume", namespaced=False
)
PERSISTENTVOLUMECLAIMS: Final = Resource(
    "", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"
)
STORAGECLASSES: Final = Resource(
    "storage.k8s.io", "v1", "storageclasses", "StorageClass", namespaced=False
)
CSINODES: Final = Resource("storage.k8s.io", "v1", "csinodes", "CSINode", namespaced=False)
CSIDRIVERS: Final = Resource("storage.k8s.io", "v1", "csidrivers", "CSIDriver", namespaced=False)
CSISTORAGECAPACITIES: Final = Resource(
    "storage.k8s.io", "v1", "csistoragecapacities", "CSIStorageCapacity"
)
VOLUMEATTACHMENTS: Final = Resource(
    "storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment", namespaced=False
)
