"""The informers of device claims, classes and slices, and what the queue is told of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from kubegang.api.meta import decoder
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
    RESOURCECLAIMS,
    RESOURCESLICES,
    device_taint_rules_in,
)
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.framework.devices import DeviceObject
from kubegang.scheduler.framework.events import Action, ClusterEvent, EventResource
from kubegang.scheduler.objectevents import ObjectEvents
from kubegang.scheduler.queue.board import Move
from kubegang.scheduler.queue.queue import SchedulingQueue

ObjectT = TypeVar("ObjectT", ResourceClaim, DeviceClass, ResourceSlice, DeviceTaintRule)

_TOLD: Final[Mapping[EventResource, Action]] = {
    "ResourceClaim": Action.ADD | Action.UPDATE_OTHER | Action.DELETE,
    "DeviceClass": Action.ADD | Action.UPDATE_OTHER,
    "ResourceSlice": Action.ADD | Action.UPDATE_OTHER,
}
"""What the queue is told of."""


class DeviceEvents(ObjectEvents[DeviceObject]):
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
        """Set up; see ``ObjectEvents``."""
        super().__init__(
            _TOLD,
            put=cache.set_device_object,
            remove=cache.remove_device_object,
            queue=queue,
            clock=clock,
            handled=handled,
            changed=changed,
        )
        self._cache = cache

    def updated(self, resource: EventResource, old: DeviceObject, new: DeviceObject) -> None:
        """Take over what changed of an object; another one under its name comes anew."""
        if old.metadata.uid != new.metadata.uid:
            self.deleted(resource, old)
            self.added(resource, new)
            return
        super().updated(resource, old, new)

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
            self.report(ClusterEvent("ResourceSlice", Action.UPDATE_OTHER), None, None)


def make_device_informers(
    client: Client, events: DeviceEvents, *, clock: Clock, taint_rules_version: str
) -> tuple[Informer[Any], ...]:
    """Return informers that tell of everything about devices; they keep typed forms."""

    def informer_of(resource: Resource, form: type[ObjectT]) -> Informer[ObjectT]:
        return Informer(client, resource, clock=clock, decode_bytes=decoder(form))

    def follow(resource: Resource, kind: EventResource, form: type[ObjectT]) -> Informer[Any]:
        return events.follow(informer_of(resource, form), kind)

    def follow_taint_rules() -> Informer[Any]:
        rules = device_taint_rules_in(taint_rules_version)
        informer = informer_of(rules, DeviceTaintRule)
        informer.add_handler(
            events.taint_rule_set, events.taint_rule_updated, events.taint_rule_gone
        )
        return informer

    return (
        follow(DEVICECLASSES, "DeviceClass", DeviceClass),
        follow(RESOURCESLICES, "ResourceSlice", ResourceSlice),
        follow(RESOURCECLAIMS, "ResourceClaim", ResourceClaim),
        *([follow_taint_rules()] if taint_rules_version else ()),
    )
