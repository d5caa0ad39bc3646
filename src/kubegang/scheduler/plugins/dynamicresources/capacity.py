"""Devices that several claims share, each taking some of their capacity. Pure.

What a claim takes of a capacity is what it asks for, rounded up as the device's policy says;
a claim that does not ask takes the default, or everything (KEP-5075).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubegang.api.core.types import Amount
from kubegang.api.resource.types import (
    CapacityRequestPolicy,
    CapacityRequestPolicyRange,
    DeviceCapacity,
)
from kubegang.apimachinery.quantity import Quantity
from kubegang.scheduler.framework.devices import Nanos

_MAX_INT64: Final = 2**63 - 1
_WHOLE: Final = 10**9
_NOT_REPRESENTABLE: Final = (
    "capacity request cannot be represented in the device's range arithmetic"
)


class CapacityError(Exception):
    """An amount that cannot be computed with; the text is upstream's."""


def taken_capacity(
    requested: Mapping[str, Amount], capacity: Mapping[str, DeviceCapacity]
) -> dict[str, Quantity] | None:
    """Return what a request takes of a device; ``None`` if it wants what is not there.

    Raises:
        CapacityError: an amount is negative or too large.
    """
    if any(name not in capacity for name in requested):
        return None
    taken: dict[str, Quantity] = {}
    for name, offered in capacity.items():
        try:
            amount = _taken(requested.get(name), offered)
        except CapacityError as error:
            raise CapacityError(f'capacity "{name}": {error}') from error
        if amount.nano_value() < 0:
            raise CapacityError(f'capacity "{name}": capacity value is negative')
        taken[name] = amount
    return taken


def has_room(
    taken: Mapping[str, Quantity], capacity: Mapping[str, DeviceCapacity], *, in_use: Nanos
) -> bool:
    """Return whether a device's policy and what is left of it allow to take so much."""
    return all(
        _is_allowed(amount, capacity[name].request_policy)
        and in_use[name] + amount.nano_value() <= _nanos(capacity[name].value)
        for name, amount in taken.items()
    )


def _taken(requested: Amount | None, offered: DeviceCapacity) -> Quantity:
    policy = offered.request_policy
    if requested is None:
        default = policy.default if policy is not None else None
        return Quantity.parse(offered.value if default is None else default)
    amount = Quantity.parse(requested)
    if policy is None:
        return amount
    if policy.valid_range is not None and policy.valid_range.min is not None:
        return _rounded_to_range(amount, policy.valid_range)
    values = (Quantity.parse(value) for value in policy.valid_values)
    return next((value for value in values if amount <= value), amount)


def _rounded_to_range(amount: Quantity, valid: CapacityRequestPolicyRange) -> Quantity:
    least = Quantity.parse(valid.min or 0)
    if amount < least:
        return least
    if valid.step is None:
        return amount
    if amount.nano_value() >= _MAX_INT64 * _WHOLE:
        raise CapacityError(f"{_NOT_REPRESENTABLE}: request {amount} exceeds MaxInt64")
    step = Quantity.parse(valid.step)
    steps = -(-(amount.value() - least.value()) // step.value())
    total = least.value() + steps * step.value()
    if total > _MAX_INT64:
        raise CapacityError(
            f"{_NOT_REPRESENTABLE}: rounding request {amount} up to the next step passes MaxInt64"
        )
    return step.with_value(total)


def _is_allowed(amount: Quantity, policy: CapacityRequestPolicy | None) -> bool:
    if policy is None or (policy.default is not None and amount == Quantity.parse(policy.default)):
        return True
    if policy.valid_range is not None:
        return _is_in_range(amount, policy.valid_range)
    values = [Quantity.parse(value) for value in policy.valid_values]
    return not values or amount in values


def _is_in_range(amount: Quantity, valid: CapacityRequestPolicyRange) -> bool:
    if valid.max is not None and amount > Quantity.parse(valid.max):
        return False
    if valid.step is None:
        return True
    over = amount.value() - Quantity.parse(valid.min or 0).value()
    return over % Quantity.parse(valid.step).value() == 0


def _nanos(amount: Amount) -> int:
    return Quantity.parse(amount).nano_value()
