"""Devices that must be made ready before a pod is bound: binding conditions (KEP-5007). Pure."""

from __future__ import annotations

from kubegang.api.resource.types import (
    AllocatedDeviceStatus,
    AllocationResult,
    DeviceRequestAllocationResult,
    ResourceClaim,
)
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.times import parse_time
from kubegang.scheduler.framework.status import SUCCESS, Status, failure, waiting


def has_conditions(allocation: AllocationResult | None) -> bool:
    """Return whether any device must be made ready first."""
    return allocation is not None and any(
        result.binding_conditions for result in allocation.devices.results
    )


def readiness(claim: ResourceClaim) -> Status:
    """Return success if all devices are ready, ``waiting``, or which cannot be made so."""
    allocation = claim.status.allocation
    if allocation is None:
        return waiting()
    for result in allocation.devices.results:
        if result.binding_conditions:
            status = _readiness(claim, result)
            if not status.is_success:
                return status
    return SUCCESS


def took_too_long(claim: ResourceClaim, *, now: float, timeout_seconds: float) -> bool:
    """Return whether devices that must be made ready had their time."""
    allocation = claim.status.allocation
    if allocation is None or allocation.allocation_timestamp is None:
        return False
    late = parse_time(allocation.allocation_timestamp) + timeout_seconds < now
    return late and has_conditions(allocation)


def _readiness(claim: ResourceClaim, result: DeviceRequestAllocationResult) -> Status:
    device = _status_of(claim, result)
    if device is None:
        return waiting()
    conditions = {condition.type: condition for condition in device.conditions}
    for name in result.binding_failure_conditions:
        failed = conditions.get(name)
        if failed is not None and failed.status == "True":
            return failure(
                f"device binding failed: claim={claim.metadata.name}, "
                f"reason={failed.reason}, message={go_quote(failed.message)}"
            )
    met = (conditions.get(name) for name in result.binding_conditions)
    return SUCCESS if all(c is not None and c.status == "True" for c in met) else waiting()


def _status_of(
    claim: ResourceClaim, result: DeviceRequestAllocationResult
) -> AllocatedDeviceStatus | None:
    wanted = (result.driver, result.pool, result.device)
    return next(
        (d for d in claim.status.devices if (d.driver, d.pool, d.device) == wanted),
        None,
    )
