"""Arguments of upstream's plugins with their defaults filled in (measured on 1.35.4 to 1.37.2).

What some of them are depends on the scheduler's gates. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kubegang.api.config.durations import duration_seconds
from kubegang.api.config.schema import ARGUMENTS
from kubegang.api.config.types import API_VERSION
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import go_duration
from kubegang.base.feature_gates import FeatureGates

_CPU_AND_MEMORY: Final = ("cpu", "memory")
_TIMEOUTS: Final = {"filterTimeout": "10s", "bindingTimeout": "10m0s"}


def completed_arguments(plugin: str, args: Any, gates: FeatureGates) -> Any:
    """Return a plugin's arguments, defaults filled in; those of other plugins as they are."""
    if plugin not in ARGUMENTS:
        return args
    given = {} if args is None else dict(args)
    given |= {"kind": f"{plugin}Args", "apiVersion": API_VERSION}
    match plugin:
        case "DefaultPreemption":
            given.setdefault("minCandidateNodesPercentage", 10)
            given.setdefault("minCandidateNodesAbsolute", 100)
        case "DynamicResources":
            return _with_timeouts(given, gates)
        case "InterPodAffinity":
            given.setdefault("hardPodAffinityWeight", 1)
            given.setdefault("ignorePreferredTermsOfExistingPods", False)
        case "NodeResourcesBalancedAllocation":
            given["resources"] = _weighed(given.get("resources"))
        case "NodeResourcesFit":
            given["scoringStrategy"] = _strategy(given.get("scoringStrategy"))
        case "PodTopologySpread":
            given["defaultingType"] = given.get("defaultingType") or "System"
        case "VolumeBinding":
            return _with_volume_defaults(given, gates)
    return given


def knows_filter_timeout(gates: FeatureGates) -> bool:
    """Return whether the filter of DynamicResources has a time-out."""
    return gates.enabled_if_known("DRASchedulerFilterTimeout")


def knows_binding_timeout(gates: FeatureGates) -> bool:
    """Return whether DynamicResources waits for devices before binding."""
    # The second gate has gone from later releases, always on.
    return gates.enabled_if_known("DRADeviceBindingConditions") and (
        "DRAResourceClaimDeviceStatus" not in gates or gates["DRAResourceClaimDeviceStatus"]
    )


def _with_timeouts(given: JsonObject, gates: FeatureGates) -> JsonObject:
    known = {
        "filterTimeout": knows_filter_timeout(gates),
        "bindingTimeout": knows_binding_timeout(gates),
    }
    for name, default in _TIMEOUTS.items():
        if name in given:
            given[name] = go_duration(duration_seconds(given[name]))
        elif known[name]:
            given[name] = default
    return given


def _with_volume_defaults(given: JsonObject, gates: FeatureGates) -> JsonObject:
    given.setdefault("bindTimeoutSeconds", 600)
    if not given.get("shape") and gates.enabled_if_known("StorageCapacityScoring"):
        given["shape"] = [
            {"utilization": 0, "score": 10},
            {"utilization": 100, "score": 0},
        ]
    return given


def _strategy(given: Mapping[str, Any] | None) -> JsonObject:
    if given is None:
        return {"type": "LeastAllocated", "resources": _weighed(None)}
    return {**given, "resources": _weighed(given.get("resources"))}


def _weighed(resources: list[JsonObject] | None) -> list[JsonObject]:
    if not resources:
        return [{"name": name, "weight": 1} for name in _CPU_AND_MEMORY]
    return [
        {"name": "", **resource, "weight": resource.get("weight") or 1} for resource in resources
    ]
