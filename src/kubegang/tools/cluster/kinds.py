"""Which kinds a cluster's state is made of, and what is kept of each.

One row per kind: how an object, as bytes or decoded, becomes the record that the scheduler's
informers would keep. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeVar

import msgspec

from kubegang.api.apps.types import ReplicaSet, StatefulSet
from kubegang.api.core.services import ReplicationController, Service
from kubegang.api.core.types import Namespace, Node
from kubegang.api.core.volumes import PersistentVolume, PersistentVolumeClaim
from kubegang.api.meta import Form, decode
from kubegang.api.policy.types import PodDisruptionBudget
from kubegang.api.resource.types import DeviceClass, ResourceClaim, ResourceSlice
from kubegang.api.storage.types import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    StorageClass,
    VolumeAttachment,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.scheduler.framework.nodeconversion import node_info
from kubegang.scheduler.framework.storageconversion import (
    attachment_info,
    capacity_info,
    claim_info,
    csi_driver_info,
    csi_node_info,
    storage_class_info,
    volume_info,
)
from kubegang.scheduler.framework.workloadconversion import (
    disruption_budget,
    namespace_info,
    replica_set_info,
    replication_controller_info,
    service_info,
    stateful_set_info,
)

FormT = TypeVar("FormT", bound=Form)
RecordT = TypeVar("RecordT")

Body = bytes | msgspec.Raw | JsonObject
"""An object as JSON text, or decoded."""

Part = Literal["nodes", "namespaces", "services", "controllers", "budgets", "storage", "devices"]
"""A field of ``ClusterState`` that holds records of one kind each."""

Read = Callable[[Body], object]


def reader(form: type[FormT]) -> Callable[[Body], FormT]:
    """Return what decodes objects of a form, from bytes without a detour."""
    strictly = msgspec.json.Decoder(form)

    def read(body: Body) -> FormT:
        if isinstance(body, dict):
            return decode(body, form)
        try:
            return strictly.decode(body)
        except msgspec.ValidationError:
            # It has nulls that servers in Go do not write, or is really wrong.
            return decode(msgspec.json.decode(body), form)

    return read


def _as_it_is(obj: FormT) -> FormT:
    return obj


def _row(
    part: Part, form: type[FormT], view: Callable[[FormT], RecordT]
) -> tuple[Part, Callable[[Body], RecordT]]:
    read = reader(form)
    return part, lambda body: view(read(body))


RECORDS: Final[Mapping[tuple[str, str], tuple[Part, Read]]] = {
    ("", "Node"): _row("nodes", Node, node_info),
    ("", "Namespace"): _row("namespaces", Namespace, namespace_info),
    ("", "Service"): _row("services", Service, service_info),
    ("", "ReplicationController"): _row(
        "controllers", ReplicationController, replication_controller_info
    ),
    ("apps", "ReplicaSet"): _row("controllers", ReplicaSet, replica_set_info),
    ("apps", "StatefulSet"): _row("controllers", StatefulSet, stateful_set_info),
    ("policy", "PodDisruptionBudget"): _row("budgets", PodDisruptionBudget, disruption_budget),
    ("storage.k8s.io", "StorageClass"): _row("storage", StorageClass, storage_class_info),
    ("storage.k8s.io", "CSIDriver"): _row("storage", CSIDriver, csi_driver_info),
    ("storage.k8s.io", "CSINode"): _row("storage", CSINode, csi_node_info),
    ("storage.k8s.io", "CSIStorageCapacity"): _row("storage", CSIStorageCapacity, capacity_info),
    ("storage.k8s.io", "VolumeAttachment"): _row("storage", VolumeAttachment, attachment_info),
    ("", "PersistentVolume"): _row("storage", PersistentVolume, volume_info),
    ("", "PersistentVolumeClaim"): _row("storage", PersistentVolumeClaim, claim_info),
    ("resource.k8s.io", "DeviceClass"): _row("devices", DeviceClass, _as_it_is),
    ("resource.k8s.io", "ResourceSlice"): _row("devices", ResourceSlice, _as_it_is),
    ("resource.k8s.io", "ResourceClaim"): _row("devices", ResourceClaim, _as_it_is),
}
"""By group and kind: where the record goes, and what makes it."""

KEPT_WHOLE: Final = frozenset(
    {
        ("apps", "DaemonSet"),
        ("apps", "Deployment"),
        ("apps", "ReplicaSet"),
        ("apps", "StatefulSet"),
        ("batch", "Job"),
        ("", "ReplicationController"),
        ("", "ResourceQuota"),
        ("scheduling.k8s.io", "PriorityClass"),
        ("scheduling.k8s.io", "Workload"),
        ("scheduling.k8s.io", "PodGroup"),
        ("scheduling.k8s.io", "CompositePodGroup"),
        ("jobset.x-k8s.io", "JobSet"),
        ("kubeflow.org", "MPIJob"),
    }
)
"""Kinds of which explanations read fields that no scheduler looks at: mostly owners of pods."""
