"""Resources of nodes that devices may stand behind. Pure.

A device class can offer its devices under the name of an extended resource; each class also
has a name of its own (KEP-5004). Which container asks matters: each gets its own devices.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from kubegang.scheduler.framework.devices import Devices

CLASS_PREFIX: Final = "deviceclass.resource.kubernetes.io/"
"""Before the name of a class: the resource that every class has."""

CLAIM_ANNOTATION: Final = "resource.kubernetes.io/extended-resource-claim"
"""``true`` on a claim that the scheduler made for the extended resources of a pod."""

_NATIVE: Final = "kubernetes.io/"


class ExtendedRequest(NamedTuple):
    """What one container asks for of one resource.

    Attributes:
        container: its name.
        position: its place among init containers and containers.
        is_short: whether it ends before others start: an init container, but no sidecar.
        resource: the resource.
        place: of the resource among all that the container asks for, by name.
        amount: at least 1.
    """

    container: str
    position: int
    is_short: bool
    resource: str
    place: int
    amount: int


def needs_devices(requests: Iterable[ExtendedRequest], devices: Devices) -> bool:
    """Return whether devices may stand behind anything that a pod asks for."""
    return any(devices.class_behind(request.resource) is not None for request in requests)


def may_be_devices(resource: str) -> bool:
    """Return whether a device class may stand behind a resource."""
    return ("/" in resource and _NATIVE not in resource) or resource.startswith(CLASS_PREFIX)
