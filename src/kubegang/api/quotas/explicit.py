"""Pods under a quota on cpu or memory must say what each container takes.

Pure.
"""

from __future__ import annotations

from collections.abc import Collection

from kubegang.api.quotas.amounts import amounts_of
from kubegang.api.quotas.usage import compute_usage
from kubegang.apimachinery.objects import JsonObject

_SAID = frozenset(
    f"{side}{name}" for side in ("", "requests.", "limits.") for name in ("cpu", "memory")
)


def unsaid(pod: JsonObject, names: Collection[str]) -> str:
    """Return which containers leave open what a quota counts; empty if none does."""
    wanted = sorted(_SAID.intersection(names))
    spec = pod.get("spec") or {}
    whole = spec.get("resources") or {}
    by_pod = compute_usage(amounts_of(whole.get("requests")), amounts_of(whole.get("limits")))
    missing: dict[str, list[str]] = {}
    for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
        resources = container.get("resources") or {}
        said = compute_usage(
            amounts_of(resources.get("requests")), amounts_of(resources.get("limits"))
        )
        for name in wanted:
            if name not in said and name not in by_pod:
                missing.setdefault(name, []).append(container["name"])
    return "; ".join(f"{name} for: {','.join(sorted(of))}" for name, of in missing.items())
