"""Claims, classes and slices as the cache last saw them, and what is promised. Pure.

What is taken is counted as claims come and go, never by looking at all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from kubegang.api.resource.types import (
    AllocationResult,
    DeviceClass,
    DeviceTaintRule,
    ResourceClaim,
    ResourceSlice,
)
from kubegang.apimachinery.quantity import Quantity
from kubegang.scheduler.framework.devices import Allocated, DeviceId, DeviceObject, Nanos
from kubegang.scheduler.framework.extendedresources import CLAIM_ANNOTATION, CLASS_PREFIX
from kubegang.scheduler.snapshot.devicetaints import is_about, tainted

_Key = tuple[str, str]


@dataclass(slots=True)
class _Promise:
    """An allocation that the API does not know yet.

    Attributes:
        sharers: how many pods count on it.
    """

    claim: ResourceClaim
    sharers: int = 1


class KnownDevices:
    """Fulfils ``Devices``.

    What the API shows is changed between cycles only. Promises a cycle may change too; they
    hold until the claim's status has the allocation, or nobody needs it any more.

    Attributes:
        version: changes with everything that is known or promised.
        slices_version: changes with the slices, and with rules about their devices.
        classes: device classes by name.
    """

    def __init__(self) -> None:
        self.version = 0
        self.slices_version = 0
        self.classes: dict[str, DeviceClass] = {}
        self._behind: dict[str, DeviceClass] = {}
        self._slices: dict[str, ResourceSlice] = {}
        self._taint_rules: dict[str, DeviceTaintRule] = {}
        self._tainted: list[ResourceSlice] = []
        self._tainted_at = -1
        self._seen: dict[_Key, ResourceClaim] = {}
        self._noted: dict[_Key, ResourceClaim] = {}
        self._for_resources: dict[str, _Key] = {}
        self._promises: dict[str, _Promise] = {}
        self._counted: dict[str, AllocationResult] = {}
        self._taken = _Taken()

    # --- reading -------------------------------------------------------------------------

    def class_behind(self, resource: str) -> DeviceClass | None:
        """Return the class whose devices stand behind a resource, or ``None``."""
        return self._behind.get(resource)

    def slices(self) -> Collection[ResourceSlice]:
        """Return all slices, their devices with the taints of rules about them."""
        if not self._taint_rules:
            return self._slices.values()
        if self._tainted_at != self.slices_version:
            rules = [rule for _, rule in sorted(self._taint_rules.items())]
            self._tainted = [tainted(one, rules) for one in self._slices.values()]
            self._tainted_at = self.slices_version
        return self._tainted

    def has_devices_of(self, rule: DeviceTaintRule) -> bool:
        """Return whether a rule is about any device that is published."""
        return any(is_about(rule, one) for one in self._slices.values())

    def claim(self, namespace: str, name: str) -> ResourceClaim | None:
        """Return a claim in its newest form, or ``None``."""
        key = (namespace, name)
        return self._noted.get(key) or self._seen.get(key)

    def claim_for_resources(self, pod_uid: str) -> ResourceClaim | None:
        """Return the claim that was made for the extended resources of a pod, or ``None``."""
        key = self._for_resources.get(pod_uid)
        return None if key is None else self.claim(*key)

    def claims(self) -> Collection[ResourceClaim]:
        """Return all claims in their newest form."""
        return [self._noted.get(key) or claim for key, claim in self._seen.items()]

    def allocated(self) -> Allocated:
        """Return what is taken, or promised; it follows what happens later."""
        return self._taken.view()

    def promised(self, uid: str) -> AllocationResult | None:
        """Return what is promised to a claim whose status does not say so yet."""
        promise = self._promises.get(uid)
        return None if promise is None else promise.claim.status.allocation

    def objects(self) -> list[DeviceObject]:
        """Return everything that the API showed."""
        return [
            *self._seen.values(),
            *self.classes.values(),
            *self._slices.values(),
            *self._taint_rules.values(),
        ]

    def noted(self) -> list[ResourceClaim]:
        """Return the claims of which a newer form is known than the API showed."""
        return list(self._noted.values())

    def promises(self) -> list[ResourceClaim]:
        """Return the claims with what is promised to them, once per pod that shares it."""
        return [p.claim for p in self._promises.values() for _ in range(p.sharers)]

    # --- promising -----------------------------------------------------------------------

    def promise(self, claim: ResourceClaim) -> None:
        """Promise the allocation in a claim's status; once more for each pod that shares it."""
        self.version += 1
        known = self._promises.get(claim.metadata.uid)
        if known is not None:
            known.sharers += 1
            return
        self._promises[claim.metadata.uid] = _Promise(claim)
        self._recount(claim)

    def withdraw(self, uid: str) -> bool:
        """Take one promise back; return whether it was the last one for the claim."""
        promise = self._promises.get(uid)
        if promise is None:
            return False
        promise.sharers -= 1
        if promise.sharers:
            return False
        self.fulfil(uid)
        return True

    def fulfil(self, uid: str) -> None:
        """Forget a promise that the API knows of by now, whoever shares it."""
        promise = self._promises.pop(uid, None)
        if promise is not None:
            self.version += 1
            self._recount(promise.claim)

    # --- changing ------------------------------------------------------------------------

    def note(self, claim: ResourceClaim) -> None:
        """Take over a form of a claim that the API returned, until it is shown a newer one."""
        key = _key(claim)
        seen = self._seen.get(key)
        if seen is None or not _is_newer(claim, self._noted.get(key) or seen):
            return
        self.version += 1
        self._noted[key] = claim
        self._recount(claim)

    def set(self, obj: DeviceObject) -> None:
        """Add or replace an object, as the API shows it."""
        self.version += 1
        match obj:
            case ResourceClaim():
                self._set_claim(obj)
            case DeviceClass():
                self.classes[obj.metadata.name] = obj
                self._behind = _behind(self.classes.values())
            case ResourceSlice():
                self.slices_version += 1
                self._slices[obj.metadata.name] = obj
            case DeviceTaintRule():
                self.slices_version += 1
                self._taint_rules[obj.metadata.name] = obj

    def remove(self, obj: DeviceObject) -> None:
        """Remove an object."""
        self.version += 1
        match obj:
            case ResourceClaim():
                key = _key(obj)
                self._seen.pop(key, None)
                self._noted.pop(key, None)
                if self._for_resources.get(_pod_with_resources(obj)) == key:
                    del self._for_resources[_pod_with_resources(obj)]
                self._recount(obj)
            case DeviceClass():
                self.classes.pop(obj.metadata.name, None)
                self._behind = _behind(self.classes.values())
            case ResourceSlice():
                self.slices_version += 1
                self._slices.pop(obj.metadata.name, None)
            case DeviceTaintRule():
                self.slices_version += 1
                self._taint_rules.pop(obj.metadata.name, None)

    def _set_claim(self, claim: ResourceClaim) -> None:
        key = _key(claim)
        old = self.claim(*key)
        self._seen[key] = claim
        pod_uid = _pod_with_resources(claim)
        if pod_uid:
            self._for_resources[pod_uid] = key
        noted = self._noted.get(key)
        if noted is not None and not _is_newer(noted, claim):
            del self._noted[key]
        if old is not None and old.metadata.uid != claim.metadata.uid:
            self._recount(old)
        self._recount(claim)

    def _recount(self, claim: ResourceClaim) -> None:
        """Count anew what one claim holds: what its status says, else what is promised."""
        uid = claim.metadata.uid
        newest = self.claim(*_key(claim))
        allocation = None
        if newest is not None and newest.metadata.uid == uid:
            allocation = newest.status.allocation
        if allocation is None:
            allocation = self.promised(uid)
        counted = self._counted.pop(uid, None)
        if counted is not None:
            self._taken.count(counted, -1)
        if allocation is not None:
            self._counted[uid] = allocation
            self._taken.count(allocation, 1)


class _Taken:
    """How many claims hold each device, and how much of what is shared."""

    def __init__(self) -> None:
        self._devices: Counter[DeviceId] = Counter()
        self._shared: Counter[DeviceId] = Counter()
        self._capacity: dict[DeviceId, Nanos] = {}
        self._view = Allocated(self._devices.keys(), self._shared.keys(), self._capacity)

    def view(self) -> Allocated:
        """Return what is held; admin access holds nothing."""
        return self._view

    def count(self, allocation: AllocationResult, change: int) -> None:
        """Count an allocation, or stop counting it."""
        for result in allocation.devices.results:
            if result.admin_access:
                continue
            id_ = DeviceId(result.driver, result.pool, result.device)
            if result.share_id:
                _add(self._shared, id_, change)
                self._take(id_, result.consumed_capacity, change)
            else:
                _add(self._devices, id_, change)

    def _take(self, id_: DeviceId, consumed: Mapping[str, str | int | float], change: int) -> None:
        taken = self._capacity.setdefault(id_, Counter())
        for name, amount in consumed.items():
            taken[name] += change * Quantity.parse(amount).nano_value()
        if id_ not in self._shared:
            del self._capacity[id_]


def _behind(classes: Iterable[DeviceClass]) -> dict[str, DeviceClass]:
    """Return classes by resource: by their own, and by the one that they are told to offer.

    Of several that offer the same, the newest does, so that users can move from one to another
    (KEP-5004); of equally old ones the first by name.
    """
    found = {CLASS_PREFIX + one.metadata.name: one for one in classes}
    by_name = sorted(classes, key=lambda one: one.metadata.name, reverse=True)
    for one in sorted(by_name, key=lambda one: one.metadata.creation_timestamp or ""):
        if one.spec.extended_resource_name:
            found[one.spec.extended_resource_name] = one
    return found


def _add(counter: Counter[DeviceId], id_: DeviceId, change: int) -> None:
    counter[id_] += change
    if not counter[id_]:
        del counter[id_]


def _key(claim: ResourceClaim) -> _Key:
    return claim.metadata.namespace, claim.metadata.name


def _pod_with_resources(claim: ResourceClaim) -> str:
    """Return the uid of the pod for whose extended resources a claim was made, or nothing."""
    owner = claim.metadata.controller
    if owner is None or claim.metadata.annotations.get(CLAIM_ANNOTATION) != "true":
        return ""
    return owner.uid


def _is_newer(claim: ResourceClaim, than: ResourceClaim) -> bool:
    """Return whether a form of a claim is later than another; versions compare (KEP-5504)."""
    version, other = claim.metadata.resource_version, than.metadata.resource_version
    if version.isdecimal() and other.isdecimal():
        return int(version) > int(other)
    return version != other
