"""Pod-level resources (KEP-2837): what a pod that states some of them leaves open.

Requests follow the containers, or the pod's own limits; limits follow the containers if
all of them are limited. 1.37 does this when a pod is created, after its containers are
complete.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity

_HUGE_PAGES = "hugepages-"
Amounts = dict[str, Quantity]


def supports_pod_level(name: str) -> bool:
    """Return whether a resource may be stated for the pod as a whole."""
    return name in ("cpu", "memory") or name.startswith(_HUGE_PAGES)


def default_pod_resources(spec: JsonObject) -> None:
    """Complete ``spec.resources`` if it states anything."""
    resources = spec.get("resources")
    if not resources or not (resources.get("requests") or resources.get("limits")):
        return
    container_limits = aggregate(spec, "limits")
    _default_huge_page_limits(resources, container_limits)
    _default_requests(resources, aggregate(spec, "requests"))
    _default_limits(spec, resources, container_limits)


def aggregate(spec: JsonObject, member: str) -> Amounts:
    """Return what the containers need together, after upstream's rule for init containers.

    Containers and restartable init containers run side by side; any other init container
    runs alone beside the restartable ones before it. The larger of both counts.
    """
    total: Amounts = {}
    for container in spec.get("containers") or ():
        _add(total, _amounts(container, member))
    sidecars: Amounts = {}
    peak: Amounts = {}
    for container in spec.get("initContainers") or ():
        amounts = _amounts(container, member)
        if container.get("restartPolicy") == "Always":
            _add(total, amounts)
            _add(sidecars, amounts)
            _raise(peak, sidecars)
        else:
            _add(amounts, sidecars)
            _raise(peak, amounts)
    _raise(total, peak)
    return total


def _default_huge_page_limits(resources: JsonObject, container_limits: Amounts) -> None:
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    for name, amount in container_limits.items():
        if name.startswith(_HUGE_PAGES) and name not in requests and name not in limits:
            resources["limits"] = limits
            limits[name] = amount.canonical()


def _default_requests(resources: JsonObject, container_requests: Amounts) -> None:
    requests = resources.get("requests") or {}
    for name, amount in container_requests.items():
        if name in ("cpu", "memory") and name not in requests:
            requests[name] = amount.canonical()
    for name, amount in (resources.get("limits") or {}).items():
        if supports_pod_level(name):
            requests.setdefault(name, amount)
    if requests:
        resources["requests"] = requests


def _default_limits(spec: JsonObject, resources: JsonObject, container_limits: Amounts) -> None:
    limits = resources.get("limits") or {}
    for name, request in (resources.get("requests") or {}).items():
        if name in limits or not supports_pod_level(name) or name not in container_limits:
            continue
        if all(name in _raw(container, "limits") for container in _containers(spec)):
            limits[name] = max(container_limits[name], Quantity.parse(request)).canonical()
            resources["limits"] = limits


def _containers(spec: JsonObject) -> Iterator[JsonObject]:
    yield from spec.get("initContainers") or ()
    yield from spec.get("containers") or ()


def _raw(container: JsonObject, member: str) -> dict[str, Any]:
    return (container.get("resources") or {}).get(member) or {}


def _amounts(container: JsonObject, member: str) -> Amounts:
    return {name: Quantity.parse(text) for name, text in _raw(container, member).items()}


def _add(total: Amounts, amounts: Amounts) -> None:
    for name, amount in amounts.items():
        total[name] = _sum(total[name], amount) if name in total else amount


def _raise(total: Amounts, amounts: Amounts) -> None:
    for name, amount in amounts.items():
        if name not in total or amount > total[name]:
            total[name] = amount


def _sum(first: Quantity, second: Quantity) -> Quantity:
    """Add two amounts; the first one decides whether the sum is told in powers of 1024."""
    milli = first.milli_value() + second.milli_value()
    kibi, rest = divmod(milli, 1024 * 1000)
    if rest == 0 and first.canonical().endswith("i"):
        return Quantity.parse(f"{kibi}Ki")
    return Quantity.parse(f"{milli}m")
