"""Defaults of limit ranges and quotas.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from kubegang.api.defaults.quantities import round_amounts
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_AMOUNTS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")


def default_limit_range(limit_range: JsonObject, _gates: FeatureGates) -> None:
    """A container's default limit is the most allowed; its request that limit, or the least."""
    for limit in (limit_range.get("spec") or {}).get("limits") or ():
        for name in _AMOUNTS:
            round_amounts(limit.get(name))
        if limit.get("type") == "Container":
            limits = {**(limit.get("max") or {}), **(limit.get("default") or {})}
            requests = {
                **(limit.get("min") or {}),
                **limits,
                **(limit.get("defaultRequest") or {}),
            }
            limit["default"], limit["defaultRequest"] = limits, requests


def default_quota(quota: JsonObject, _gates: FeatureGates) -> None:
    """Round what is counted."""
    round_amounts((quota.get("spec") or {}).get("hard"))
    for name in ("hard", "used"):
        round_amounts((quota.get("status") or {}).get(name))
