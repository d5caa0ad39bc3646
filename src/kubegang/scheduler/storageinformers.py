"""What the scheduler learns of claims, volumes and their drivers: first the cache, then the queue.

Of what happens to them the queue is told what some plugin of kube-scheduler registers for, and
no more: a pod that failed for a reason of no plugin is tried again whenever it hears anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import msgspec

from kubegang.api.core.volumes import PersistentVolume, PersistentVolumeClaim
from kubegang.api.meta import Form, decode
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
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.framework.events import Action, ClusterEvent, EventResource
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
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.changes import label
from kubegang.scheduler.queue.queue import SchedulingQueue

FormT = TypeVar("FormT", bound=Form)
InfoT = TypeVar("InfoT", bound=StorageObject)

_CHANGES: Final[Mapping[EventResource, Action]] = {
    "PersistentVolumeClaim": Action.ADD | Action.UPDATE_OTHER,
    "PersistentVolume": Action.ADD | Action.UPDATE_OTHER,
    "StorageClass": Action.ADD | Action.UPDATE_OTHER,
    "CSINode": Action.ADD | Action.UPDATE_OTHER,
    "CSIDriver": Action.UPDATE_OTHER,
    "CSIStorageCapacity": Action.ADD | Action.UPDATE_OTHER,
    "VolumeAttachment": Action.DELETE,
}
"""What the queue is told of."""


class StorageHandlers:
    """Handlers for the informers of everything about storage."""

    def __init__(
        self,
        cache: Cache,
        queue: SchedulingQueue,
        *,
        clock: Clock,
        handled: Callable[[str, tuple[Move, ...], float], None],
        changed: Callable[[], None],
    ) -> None:
        """Set up.

        Args:
            cache: told first.
            queue: told next, of what may let pods in.
            clock: the time.
            handled: called after each event: its name, what moved, and how long it took.
            changed: called after each event, for pods that are being bound and wait for it.
        """
        self._cache = cache
        self._queue = queue
        self._clock = clock
        self._handled = handled
        self._changed = changed

    def added(self, resource: EventResource, obj: StorageObject) -> None:
        """Take over a new object."""
        self._cache.set_storage(obj)
        self._report(ClusterEvent(resource, Action.ADD), None, obj)

    def updated(self, resource: EventResource, old: StorageObject, new: StorageObject) -> None:
        """Take over what changed of an object."""
        self._cache.set_storage(new)
        self._report(ClusterEvent(resource, Action.UPDATE_OTHER), old, new)

    def deleted(self, resource: EventResource, obj: StorageObject) -> None:
        """Forget an object."""
        self._cache.remove_storage(obj)
        self._report(ClusterEvent(resource, Action.DELETE), obj, None)

    def _report(
        self, event: ClusterEvent, old: StorageObject | None, new: StorageObject | None
    ) -> None:
        now = self._clock.now()
        if _CHANGES[event.resource] & event.actions:
            moves = self._queue.handle(event, old, new, now=now)
            self._handled(label(event), moves, self._clock.now() - now)
        self._changed()


def make_storage_informers(
    client: Client, handlers: StorageHandlers, *, clock: Clock
) -> tuple[Informer[Any], ...]:
    """Return informers that feed the handlers; what they keep are compact records."""

    def follow(
        resource: Resource, kind: EventResource, form: type[FormT], view: Callable[[FormT], InfoT]
    ) -> Informer[Any]:
        strictly = msgspec.json.Decoder(form)

        def decoded(body: bytes) -> InfoT:
            try:
                return view(strictly.decode(body))
            except msgspec.ValidationError:
                return view(decode(body, form))

        informer: Informer[InfoT] = Informer(client, resource, clock=clock, decode_bytes=decoded)
        informer.add_handler(
            lambda obj: handlers.added(kind, obj),
            lambda old, new: handlers.updated(kind, old, new),
            lambda obj: handlers.deleted(kind, obj),
        )
        return informer

    return (
        follow(STORAGECLASSES, "StorageClass", StorageClass, storage_class_info),
        follow(CSIDRIVERS, "CSIDriver", CSIDriver, csi_driver_info),
        follow(CSINODES, "CSINode", CSINode, csi_node_info),
        follow(CSISTORAGECAPACITIES, "CSIStorageCapacity", CSIStorageCapacity, capacity_info),
        follow(PERSISTENTVOLUMES, "PersistentVolume", PersistentVolume, volume_info),
        follow(PERSISTENTVOLUMECLAIMS, "PersistentVolumeClaim", PersistentVolumeClaim, claim_info),
        follow(VOLUMEATTACHMENTS, "VolumeAttachment", VolumeAttachment, attachment_info),
    )
