"""The informers of claims, volumes and their drivers: what they ask for, and what they keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from kubegang.api.core.volumes import PersistentVolume, PersistentVolumeClaim
from kubegang.api.meta import Form, decoder
from kubegang.api.storage.types import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    StorageClass,
    VolumeAttachment,
)
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import (
    CSIDRIVERS,
    CSINODES,
    CSISTORAGECAPACITIES,
    PERSISTENTVOLUMECLAIMS,
    PERSISTENTVOLUMES,
    STORAGECLASSES,
    VOLUMEATTACHMENTS,
)
from kubegang.scheduler.framework.events import Action, EventResource
from kubegang.scheduler.framework.storage import StorageObject
from kubegang.scheduler.framework.storageconversion import (
    attachment_info,
    capacity_info,
    claim_info,
    csi_driver_info,
    csi_node_info,
    storage_class_info,
    volume_info,
)
from kubegang.scheduler.objectevents import ObjectEvents

FormT = TypeVar("FormT", bound=Form)
InfoT = TypeVar("InfoT", bound=StorageObject)

STORAGE_EVENTS: Final[Mapping[EventResource, Action]] = {
    "PersistentVolumeClaim": Action.ADD | Action.UPDATE_OTHER,
    "PersistentVolume": Action.ADD | Action.UPDATE_OTHER,
    "StorageClass": Action.ADD | Action.UPDATE_OTHER,
    "CSINode": Action.ADD | Action.UPDATE_OTHER,
    "CSIDriver": Action.UPDATE_OTHER,
    "CSIStorageCapacity": Action.ADD | Action.UPDATE_OTHER,
    "VolumeAttachment": Action.DELETE,
}
"""What the queue is told of."""


def make_storage_informers(
    client: Client, events: ObjectEvents[StorageObject], *, clock: Clock
) -> tuple[Informer[Any], ...]:
    """Return informers that tell of everything about storage; they keep compact records."""

    def follow(
        resource: Resource, kind: EventResource, form: type[FormT], view: Callable[[FormT], InfoT]
    ) -> Informer[Any]:
        decoded = decoder(form)
        informer: Informer[InfoT] = Informer(
            client, resource, clock=clock, decode_bytes=lambda body: view(decoded(body))
        )
        return events.follow(informer, kind)

    return (
        follow(STORAGECLASSES, "StorageClass", StorageClass, storage_class_info),
        follow(CSIDRIVERS, "CSIDriver", CSIDriver, csi_driver_info),
        follow(CSINODES, "CSINode", CSINode, csi_node_info),
        follow(CSISTORAGECAPACITIES, "CSIStorageCapacity", CSIStorageCapacity, capacity_info),
        follow(PERSISTENTVOLUMES, "PersistentVolume", PersistentVolume, volume_info),
        follow(PERSISTENTVOLUMECLAIMS, "PersistentVolumeClaim", PersistentVolumeClaim, claim_info),
        follow(VOLUMEATTACHMENTS, "VolumeAttachment", VolumeAttachment, attachment_info),
    )
