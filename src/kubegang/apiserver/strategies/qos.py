"""A pod's quality-of-service class, from the cpu and memory it requests and is limited to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity

_COUNTED = ("cpu", "memory")


def qos_class(pod: JsonObject) -> str:
    """Return ``BestEffort``, ``Burstable`` or ``Guaranteed``.

    Guaranteed: every container is limited in cpu and memory, and requests as much as that.
    BestEffort: no container requests or is limited in either. Resources of the pod as a whole
    stand in for its containers'.
    """
    spec = pod.get("spec") or {}
    whole = spec.get("resources") or {}
    if whole.get("requests") or whole.get("limits"):
        holders: list[JsonObject] = [whole]
    else:
        containers = (*(spec.get("initContainers") or ()), *(spec.get("containers") or ()))
        holders = [container.get("resources") or {} for container in containers]
    requests = [_counted(holder.get("requests")) for holder in holders]
    limits = [_counted(holder.get("limits")) for holder in holders]
    if not any(requests) and not any(limits):
        return "BestEffort"
    if all(len(limit) == len(_COUNTED) for limit in limits) and _sum(requests) == _sum(limits):
        return "Guaranteed"
    return "Burstable"


def _counted(amounts: dict[str, Any] | None) -> dict[str, int]:
    """Return the positive amounts of what is counted, in thousandths."""
    if not amounts:
        return {}
    found = ((name, Quantity.parse(amounts[name])) for name in _COUNTED if name in amounts)
    return {name: quantity.milli_value() for name, quantity in found if quantity.value() > 0}


def _sum(parts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, amount in part.items():
            total[name] = total.get(name, 0) + amount
    return total
