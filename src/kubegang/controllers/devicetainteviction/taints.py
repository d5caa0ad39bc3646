"""Taints that drive pods away from devices, and when they do. Pure.

Source: KEP-5055 and the field descriptions of taints and tolerations; measured on 1.37.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time

NO_EXECUTE = "NoExecute"


class Device(msgspec.Struct, frozen=True, order=True):
    """A device, as allocations name it."""

    driver: str
    pool: str
    name: str


class Reason(msgspec.Struct, frozen=True, order=True):
    """Where a taint comes from: a rule, or the place in a device's list in its slice.

    Attributes:
        rule_uid, rule_name: empty for a taint of a driver.
        device, index: of a taint of a driver.
    """

    rule_uid: str = ""
    rule_name: str = ""
    device: Device | None = None
    index: int = 0


class Eviction(msgspec.Struct, frozen=True):
    """When a pod or the users of a claim have to go, and why."""

    at: float
    reasons: frozenset[Reason]

    def joined(self, other: Eviction | None) -> Eviction:
        """Return both as one: the earlier time, all reasons."""
        if other is None:
            return self
        return Eviction(min(self.at, other.at), self.reasons | other.reasons)


def device_of(result: JsonObject) -> Device:
    """Return the device that a result of an allocation names."""
    return Device(result["driver"], result["pool"], result["device"])


def allocated_devices(claim: JsonObject) -> list[JsonObject]:
    """Return the results of a claim's allocation."""
    allocation = (claim.get("status") or {}).get("allocation") or {}
    return list((allocation.get("devices") or {}).get("results") or ())


def is_about(rule: JsonObject, device: Device) -> bool:
    """Return whether a rule is about a device; one without a selector is about none."""
    selector = rule["spec"].get("deviceSelector")
    return selector is not None and all(
        wanted is None or wanted == found
        for wanted, found in (
            (selector.get("driver"), device.driver),
            (selector.get("pool"), device.pool),
            (selector.get("device"), device.name),
        )
    )


def evicts(rule: JsonObject) -> bool:
    """Return whether a rule's taint drives pods away."""
    return bool(rule["spec"]["taint"]["effect"] == NO_EXECUTE)


def reason_of(rule: JsonObject) -> Reason:
    """Return a rule as the reason of an eviction."""
    return Reason(rule["metadata"]["uid"], rule["metadata"]["name"])


def taints_of_driver(published: JsonObject, device: Device) -> Iterator[tuple[Reason, JsonObject]]:
    """Yield the taints in a slice that drive pods away from a device."""
    for index, taint in enumerate(published.get("taints") or ()):
        if taint["effect"] == NO_EXECUTE:
            yield Reason(device=device, index=index), taint


def eviction_by(
    taints: Iterable[tuple[Reason, JsonObject]], tolerations: Iterable[JsonObject]
) -> Eviction | None:
    """Return when the users of one device have to go, ``None`` if they may stay.

    A taint's time begins when it was added; of the tolerations in use the shortest counts.
    """
    found: Eviction | None = None
    tolerations = list(tolerations)
    for reason, taint in taints:
        stays = _tolerated_seconds(tolerations, taint)
        added = taint.get("timeAdded")
        if stays < math.inf and added is not None:
            found = Eviction(parse_time(added) + stays, frozenset({reason})).joined(found)
    return found


def _tolerated_seconds(tolerations: Iterable[JsonObject], taint: JsonObject) -> float:
    """Return how long a taint is tolerated: infinity for ever, zero if it is not.

    Only a toleration whose effect says NoExecute counts; an empty effect, which stands for
    every effect when devices are allocated, does not (measured on 1.37.2).
    """
    limits: list[float] = []
    for toleration in tolerations:
        if toleration.get("effect") != NO_EXECUTE or not _matches(toleration, taint):
            continue
        seconds = toleration.get("tolerationSeconds")
        if seconds is None:
            return math.inf
        limits.append(max(float(seconds), 0.0))
    return min(limits, default=0.0)


def _matches(toleration: JsonObject, taint: JsonObject) -> bool:
    if toleration.get("key") and toleration["key"] != taint["key"]:
        return False
    match toleration.get("operator") or "Equal":
        case "Exists":
            return True
        case "Equal":
            return (toleration.get("value") or "") == (taint.get("value") or "")
    return False
