"""Which feature gate governs which fields of claims on devices, classes and slices: data.

Sources: the KEPs of the gates; measured on 1.37.2 and 1.36.3.
"""

from __future__ import annotations

from kubegang.api.gated_fields import Rule

_DEVICES = "spec.devices[]"
_RESULTS = "status.allocation.devices.results[]"


def _below(prefix: str, *members: str) -> tuple[str, ...]:
    return tuple(f"{prefix}.{member}" for member in members)


def _claim_rules(spec: str) -> tuple[Rule, ...]:
    """Return the rules of a claim's spec that stands at a path."""
    requests = f"{spec}.devices.requests[]"
    exactly, alternatives = f"{requests}.exactly", f"{requests}.firstAvailable[]"
    return (
        Rule("DRAPrioritizedList", (f"{requests}.firstAvailable",)),
        Rule("DRAAdminAccess", (f"{exactly}.adminAccess",)),
        Rule("DRADeviceTaints", (f"{exactly}.tolerations", f"{alternatives}.tolerations")),
        Rule(
            "DRAConsumableCapacity",
            (
                f"{spec}.devices.constraints[].distinctAttribute",
                f"{exactly}.capacity",
                f"{alternatives}.capacity",
            ),
        ),
        Rule(
            "DRADerivedAttributes",
            (f"{exactly}.derivedAttributes", f"{alternatives}.derivedAttributes"),
        ),
    )


_IN_STATUS = (
    Rule("DRAResourceClaimDeviceStatus", ("status.devices",)),
    Rule(
        "DRAAdminAccess",
        (f"{_RESULTS}.adminAccess",),
        in_use=("spec.devices.requests[].exactly.adminAccess", f"{_RESULTS}.adminAccess"),
    ),
    Rule(
        "DRAConsumableCapacity",
        (*_below(_RESULTS, "shareID", "consumedCapacity"), "status.devices[].shareID"),
        in_use=(
            "spec.devices.constraints[].distinctAttribute",
            "spec.devices.requests[].exactly.capacity",
            "spec.devices.requests[].firstAvailable[].capacity",
            *_below(_RESULTS, "shareID", "consumedCapacity"),
            "status.devices[].shareID",
        ),
    ),
    Rule(
        "DRADeviceBindingConditions",
        _below(_RESULTS, "bindingConditions", "bindingFailureConditions"),
    ),
    Rule("DRAOptionalNodeOperations", (f"{_RESULTS}.skipNodeOperations",)),
)

_BINDING = _below(_DEVICES, "bindsToNode", "bindingConditions", "bindingFailureConditions")

_SLICE = (
    Rule("DRADeviceTaints", (f"{_DEVICES}.taints",)),
    Rule(
        "DRAPartitionableDevices",
        (
            "spec.sharedCounters",
            "spec.perDeviceNodeSelection",
            *_below(_DEVICES, "consumesCounters", "nodeName", "nodeSelector", "allNodes"),
        ),
    ),
    Rule("DRADeviceBindingConditions", _BINDING),
    Rule("DRAResourceClaimDeviceStatus", _BINDING),
    Rule(
        "DRAConsumableCapacity",
        _below(_DEVICES, "allowMultipleAllocations", "capacity{}.requestPolicy"),
    ),
    Rule("DRADeviceCompatibilityGroups", (f"{_DEVICES}.consumesCounters[].compatibilityGroups",)),
    Rule(
        "DRANodeAllocatableResources",
        # Of 1.37, and of 1.36.
        _below(_DEVICES, "nodeAllocatableResources", "nodeAllocatableResourceMappings"),
    ),
    Rule(
        "DRAListTypeAttributes",
        _below(f"{_DEVICES}.attributes{{}}", "ints", "bools", "strings", "versions"),
    ),
    Rule("DRAPartitionableDevicesType", ("spec.partitionTypeAttribute",)),
    Rule("DRAOptionalNodeOperations", ("spec.skipNodeOperations",)),
)

DEVICE_FIELD_RULES: dict[tuple[str, str], tuple[Rule, ...]] = {
    ("resource.k8s.io", "ResourceClaim"): (*_claim_rules("spec"), *_IN_STATUS),
    ("resource.k8s.io", "ResourceClaimTemplate"): _claim_rules("spec.spec"),
    ("resource.k8s.io", "ResourceSlice"): _SLICE,
    ("resource.k8s.io", "DeviceClass"): (
        Rule("DRAExtendedResource", ("spec.extendedResourceName",)),
    ),
}
