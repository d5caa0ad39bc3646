"""What claims ask for, checked and ready for the search. Pure.

A request with alternatives becomes one entry per alternative. The texts of errors are
upstream's; such an error ends the attempt for all nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from kubegang.api.core.types import Amount
from kubegang.api.resource.types import (
    DeviceClass,
    DeviceRequest,
    DeviceSelector,
    DeviceSubRequest,
    DeviceToleration,
    ExactDeviceRequest,
    ResourceClaim,
)

MAX_DEVICES: Final = 32
"""How many devices a claim can be given (resource/v1, AllocationResultsMaxSize)."""

EXACT_COUNT: Final = "ExactCount"
ALL: Final = "All"


class AllocationError(Exception):
    """Claims, classes or slices that make allocation impossible; the text says why."""


class NodeAllocationError(AllocationError):
    """Allocation is impossible on one node; others may do."""


class DeviceFeatures(NamedTuple):
    """The gates that matter to allocation, with their values in 1.37."""

    admin_access: bool = True
    prioritized_list: bool = True
    partitionable_devices: bool = True
    device_taints: bool = True
    binding_conditions: bool = True
    consumable_capacity: bool = True


class AllocationRules(NamedTuple):
    """What releases do differently, with the values of 1.37.

    Attributes:
        config_for_all_names_none: configuration that holds for every request of a claim is
            written without their names (measured on 1.37.2; on 1.36.3 they stay).
        runtime_errors_name_the_device: an expression without a value is reported with the
            device and, for missing keys, with advice (measured on 1.37.2; on 1.36.3 not).
        limit_names_the_request: too many devices are reported with the request that was one
            too many (measured on 1.37.2; on 1.36.3 with the claim's total).
    """

    config_for_all_names_none: bool = True
    runtime_errors_name_the_device: bool = True
    limit_names_the_request: bool = True


class Wanted(NamedTuple):
    """A request, or one alternative of a request.

    Attributes:
        parent: the name of the request of an alternative; empty for a request.
        name: its own name.
        mode: ``ExactCount`` or ``All``.
        devices: how many, with ``ExactCount``.
        capacity: how much of its capacities each device must give.
    """

    parent: str
    name: str
    device_class: DeviceClass
    selectors: tuple[DeviceSelector, ...]
    tolerations: tuple[DeviceToleration, ...]
    mode: str
    devices: int
    admin_access: bool
    capacity: Mapping[str, Amount]

    @property
    def result_name(self) -> str:
        """Return the name under which devices are recorded."""
        return f"{self.parent}/{self.name}" if self.parent else self.name

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names by which constraints and configuration may mean it."""
        return (self.parent, self.result_name) if self.parent else (self.name,)


class Requests(NamedTuple):
    """Reads requests of claims, given the classes there are and the gates."""

    classes: Mapping[str, DeviceClass]
    features: DeviceFeatures

    def alternatives(self, claim: ResourceClaim, request: DeviceRequest) -> tuple[Wanted, ...]:
        """Return the ways to fulfil a request; one, if it has no alternatives.

        Raises:
            AllocationError: the request cannot be understood, or needs a gate that is off.
        """
        who = claim_name(claim)
        if request.first_available and not self.features.prioritized_list:
            raise AllocationError(
                f"claim {who}, request {request.name}: has subrequests, but the "
                "DRAPrioritizedList feature is disabled"
            )
        if not self.features.consumable_capacity:
            self._refuse_capacity(who, request)
        if request.first_available:
            return tuple(
                self._wanted(who, sub, name=sub.name, parent=request.name)
                for sub in request.first_available
            )
        exactly = request.exactly or ExactDeviceRequest()
        return (self._wanted(who, exactly, name=request.name, parent=""),)

    def _refuse_capacity(self, who: str, request: DeviceRequest) -> None:
        if request.exactly is not None and request.exactly.capacity is not None:
            raise AllocationError(
                f"claim {who}, request {request.name}: has capacity requests, but the "
                "DRAConsumableCapacity feature is disabled"
            )
        for sub in request.first_available:
            if sub.capacity is not None:
                raise AllocationError(
                    f"claim {who}, subrequest {sub.name}: has capacity requests, but the "
                    "DRAConsumableCapacity feature is disabled"
                )

    def _wanted(
        self, who: str, request: ExactDeviceRequest | DeviceSubRequest, *, name: str, parent: str
    ) -> Wanted:
        where = f"claim {who}, request {name}"
        for position, selector in enumerate(request.selectors):
            if selector.cel is None:
                raise AllocationError(
                    f"{where}, selector #{position}: CEL expression empty "
                    "(unsupported selector type?)"
                )
        admin = request.admin_access if isinstance(request, ExactDeviceRequest) else None
        if admin is not None and not self.features.admin_access:
            raise AllocationError(
                f"{where}: admin access is requested, but the feature is disabled"
            )
        return Wanted(
            parent=parent,
            name=name,
            device_class=self._class(where, request.device_class_name),
            selectors=request.selectors,
            tolerations=request.tolerations,
            mode=_mode(where, request.allocation_mode),
            devices=request.count,
            admin_access=bool(admin),
            capacity=request.capacity.requests if request.capacity is not None else {},
        )

    def _class(self, where: str, name: str) -> DeviceClass:
        if not name:
            raise AllocationError(f"{where}: missing device class name (unsupported request type?)")
        found = self.classes.get(name)
        if found is None:
            raise AllocationError(
                f"{where}: could not retrieve device class {name}: "
                f'deviceclass.resource.k8s.io "{name}" not found'
            )
        return found


def claim_name(claim: ResourceClaim) -> str:
    """Return namespace and name of a claim, as texts write them."""
    return f"{claim.metadata.namespace}/{claim.metadata.name}"


def _mode(where: str, mode: str) -> str:
    if mode not in (EXACT_COUNT, ALL):
        raise AllocationError(f"{where}: unsupported count mode {mode}")
    return mode
