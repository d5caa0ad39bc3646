"""Device claims, what is published and what is taken, as the scheduler sees them.

Claims, classes and slices stay in their typed API forms: the allocator reads most of what
they say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Set
from typing import NamedTuple, Protocol

from kubegang.api.resource.types import (
    AllocationResult,
    DeviceClass,
    DeviceTaintRule,
    ResourceClaim,
    ResourceSlice,
)

DeviceObject = ResourceClaim | DeviceClass | ResourceSlice | DeviceTaintRule


class ClaimReference(NamedTuple):
    """An entry of ``spec.resourceClaims`` of a pod or a pod group, with what its status says.

    Attributes:
        name: the entry's own name.
        claim: the claim that is named, if one is.
        template: the template that is named, if one is.
        generated: the claim made from the template; ``None`` if none was needed.
        is_generated: whether the status has an entry, be there a claim or not.
    """

    name: str
    claim: str | None = None
    template: str | None = None
    generated: str | None = None
    is_generated: bool = False

    @property
    def claim_name(self) -> str | None:
        """The claim that is meant, as far as it is known."""
        return self.generated if self.claim is None else self.claim


class DeviceId(NamedTuple):
    """A device: names are unique per pool."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


Nanos = Counter[str]
"""Capacity by name, in billionths."""


class Allocated(NamedTuple):
    """What allocated claims hold.

    Attributes:
        devices: devices that one claim has for itself.
        shared: devices that claims share.
        capacity: how much of the shared ones is taken.
    """

    devices: Set[DeviceId] = frozenset()
    shared: Set[DeviceId] = frozenset()
    capacity: Mapping[DeviceId, Nanos] = {}

    @property
    def every(self) -> Set[DeviceId]:
        """Return all devices that are in use."""
        return self.devices | self.shared


class Devices(Protocol):
    """What is known of devices, with what is promised to pods on their way to a node."""

    @property
    def version(self) -> int:
        """Changes with everything that is known or promised."""
        ...

    @property
    def slices_version(self) -> int:
        """Changes with the slices, and with rules about their devices."""
        ...

    @property
    def classes(self) -> Mapping[str, DeviceClass]:
        """Device classes by name."""
        ...

    def class_behind(self, resource: str) -> DeviceClass | None:
        """Return the class whose devices stand behind a resource, or ``None``."""
        ...

    def slices(self) -> Collection[ResourceSlice]:
        """Return all slices, their devices with the taints of rules about them."""
        ...

    def claim(self, namespace: str, name: str) -> ResourceClaim | None:
        """Return a claim in its newest form, or ``None``."""
        ...

    def claim_for_resources(self, pod_uid: str) -> ResourceClaim | None:
        """Return the claim that was made for the extended resources of a pod, or ``None``."""
        ...

    def claims(self) -> Collection[ResourceClaim]:
        """Return all claims in their newest form."""
        ...

    def allocated(self) -> Allocated:
        """Return what is taken, or promised; it follows what happens later."""
        ...

    def promised(self, uid: str) -> AllocationResult | None:
        """Return what is promised to a claim whose status does not say so yet."""
        ...

    def promise(self, claim: ResourceClaim) -> None:
        """Promise the allocation in a claim's status; once more for each pod that shares it."""
        ...

    def withdraw(self, uid: str) -> bool:
        """Take one promise back; return whether it was the last one for the claim."""
        ...

    def fulfil(self, uid: str) -> None:
        """Forget a promise that the API knows of by now, whoever shares it."""
        ...

    def note(self, claim: ResourceClaim) -> None:
        """Take over a form of a claim that the API returned, until it is shown a newer one."""
        ...
