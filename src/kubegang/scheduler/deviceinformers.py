"""What the scheduler learns of device claims, classes and slices: first the cache, then the queue.

Of what happens to them the queue is told what DynamicResources of kube-scheduler registers
for, and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import msgspec

from kubegang.api.meta import decode
from kubegang.api.resource.types import (
    DeviceClass,
    DeviceTaintRule,
    ResourceClaim,
    ResourceSlice,
)
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import (
    DEVICECLASSES,
    DEVICETAINTRULES,
    RESOURCECLAIMS,
    RESOURCESLICES,
)
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.framework.devices import DeviceObject
from kubegang.scheduler.framework.events import Action, ClusterEvent, EventResource
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.changes import label
from kubegang.scheduler.queue.queue import SchedulingQueue

ObjectT = TypeVar("ObjectT", ResourceClaim, DeviceClass, ResourceSlice, DeviceTaintRule)

_CHANGES: Final[Mapping[EventResource, Action]] = {
    "ResourceClaim": Action.ADD | Action.UPDATE_OTHER | Action.DELETE,
    "DeviceClass": Action.ADD | Action.UPDATE_OTHER,
    "ResourceSlice": Action.ADD | Action.UPDATE_OTHER,
}
"""What the queue is told of."""


class DeviceHandlers:
    """Handlers for the informers of everything about devices."""

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

    def added(self, resource: EventResource, obj: DeviceObject) -> None:
        """Take over a new object."""
        self._cache.set_device_object(obj)
        self._report(ClusterEvent(resource, Action.ADD), None, obj)

    def updated(self, resource: EventResource, old: DeviceObject, new: DeviceObject) -> None:
        """Take over what changed of an object."""
        if old.metadata.uid != new.metadata.uid:
            self.deleted(resource, old)
            self.added(resource, new)
            return
        self._cache.set_device_object(new)
        self._report(ClusterEvent(resource, Action.UPDATE_OTHER), old, new)

    def deleted(self, resource: EventResource, obj: DeviceObject) -> None:
        """Forget an object."""
        self._cache.remove_device_object(obj)
        self._report(ClusterEvent(resource, Action.DELETE), obj, None)

    def taint_rule_set(self, rule: DeviceTaintRule) -> None:
        """Take over a rule: to the queue its devices have changed."""
        self._cache.set_device_object(rule)
        self._report_tainted(rule)

    def taint_rule_updated(self, old: DeviceTaintRule, new: DeviceTaintRule) -> None:
        """Take over what changed of a rule, perhaps which devices it is about."""
        self._cache.set_device_object(new)
        if old.spec != new.spec:
            self._report_tainted(old, new)

    def taint_rule_gone(self, rule: DeviceTaintRule) -> None:
        """Forget a rule."""
        self._cache.remove_device_object(rule)
        self._report_tainted(rule)

    def _report_tainted(self, *rules: DeviceTaintRule) -> None:
        devices = self._cache.snapshot().devices
        if any(devices.has_devices_of(rule) for rule in rules):
            self._report(ClusterEvent("ResourceSlice", Action.UPDATE_OTHER), None, None)

    def _report(
        self, event: ClusterEvent, old: DeviceObject | None, new: DeviceObject | None
    ) -> None:
        now = self._clock.now()
        if _CHANGES[event.resource] & event.actions:
            moves = self._queue.handle(event, old, new, now=now)
            self._handled(label(event), moves, self._clock.now() - now)
        self._changed()


def make_device_informers(
    client: Client, handlers: DeviceHandlers, *, clock: Clock, with_taint_rules: bool
) -> tuple[Informer[Any], ...]:
    """Return informers that feed the handlers; what they keep are typed forms."""

    def informer_of(resource: Resource, form: type[ObjectT]) -> Informer[ObjectT]:
        strictly = msgspec.json.Decoder(form)

        def decoded(body: bytes) -> ObjectT:
            try:
                return strictly.decode(body)
            except msgspec.ValidationError:
                return decode(body, form)

        return Informer(client, resource, clock=clock, decode_bytes=decoded)

    def follow(resource: Resource, kind: EventResource, form: type[ObjectT]) -> Informer[Any]:
        informer = informer_of(resource, form)
        informer.add_handler(
            lambda obj: handlers.added(kind, obj),
            lambda old, new: handlers.updated(kind, old, new),
            lambda obj: handlers.deleted(kind, obj),
        )
        return informer

    def follow_taint_rules() -> Informer[Any]:
        informer = informer_of(DEVICETAINTRULES, DeviceTaintRule)
        informer.add_handler(
            handlers.taint_rule_set, handlers.taint_rule_updated, handlers.taint_rule_gone
        )
        return informer

    return (
        follow(DEVICECLASSES, "DeviceClass", DeviceClass),
        follow(RESOURCESLICES, "ResourceSlice", ResourceSlice),
        follow(RESOURCECLAIMS, "ResourceClaim", ResourceClaim),
        *([follow_taint_rules()] if with_taint_rules else ()),
    )
