"""How much of a device's capacity a claim may ask for, where several claims share the device.

Amounts are compared as whole numbers, as with the gate DRAFractionalCapacityRange off.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.checks import Errors
from kubegang.api.validation.devices.names import attribute_name
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    required,
    too_many,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity

_MAX_OPTIONS = 10
_MAX_WHOLE = Quantity.parse("9223372036854775807")
_ZERO = Quantity.parse("0")


def validate_capacity(device: JsonObject, path: Path) -> Errors:
    """Check a device's amounts, and how they may be shared."""
    shared = bool(device.get("allowMultipleAllocations"))
    for name, capacity in sorted((device.get("capacity") or {}).items()):
        yield from attribute_name(name, path)
        policy, where = capacity.get("requestPolicy"), path.key(name).child("requestPolicy")
        if policy is None:
            continue
        if shared:
            yield from _policy(policy, Quantity.parse(capacity.get("value") or "0"), where)
        else:
            yield forbidden_field(where, "allowMultipleAllocations must be true")


def _policy(policy: JsonObject, whole: Quantity, path: Path) -> Errors:
    options, span = policy.get("validValues") or (), policy.get("validRange")
    if options and span is not None:
        detail = (
            "exactly one policy can be specified, "
            'cannot specify "validValues" and "validRange" at the same time'
        )
        yield forbidden_field(path, detail)
        return
    if not options and span is None:
        return
    kind = "validValues" if options else "validRange"
    default = policy.get("default")
    if default is None:
        yield required(path.child("default"), f"required when {kind} is defined")
    elif options:
        amounts = [Quantity.parse(option) for option in options]
        yield from _options(amounts, Quantity.parse(default), whole, path.child(kind))
    else:
        yield from _range(span or {}, Quantity.parse(default), whole, path.child(kind))


def _options(options: Sequence[Quantity], default: Quantity, whole: Quantity, path: Path) -> Errors:
    for position in range(1, len(options)):
        if options[position] < options[position - 1]:
            detail = "values must be sorted in ascending order"
            yield invalid_value(path.index(position), str(options[position]), detail)
    if len(options) > _MAX_OPTIONS:
        yield too_many(path, len(options), _MAX_OPTIONS)
    else:
        yield from _each_option(options, whole, path)
    # As upstream: where there are too many, none is looked at.
    if len(options) > _MAX_OPTIONS or default not in options:
        detail = "default value is not valid according to the requestPolicy"
        yield invalid_value(path, str(default), detail)


def _each_option(options: Sequence[Quantity], whole: Quantity, path: Path) -> Errors:
    for position, option in enumerate(options):
        if option > whole:
            detail = f"option is larger than capacity value: {whole}"
            yield invalid_value(path.index(position), str(option), detail)
    seen = set()
    for position, option in enumerate(options):
        if option.value() in seen:
            yield duplicate(path.index(position), str(option.value()))
        seen.add(option.value())


def _range(span: JsonObject, default: Quantity, whole: Quantity, path: Path) -> Errors:
    if span.get("min") is None:
        yield required(path.child("min"), "required when validRange is defined")
        return
    least = Quantity.parse(span["min"])
    most = Quantity.parse(span["max"]) if span.get("max") is not None else None
    if least > whole:
        detail = f"min is larger than capacity value: {whole}"
        yield invalid_value(path.child("min"), str(least), detail)
    if default < least:
        detail = f"default is less than min: {least}"
        yield invalid_value(path.child("default"), str(default), detail)
    if most is not None:
        yield from _maximum(least, most, default, whole=whole, path=path)
    if span.get("step") is not None:
        bounds = {"default": default, "min": least, "max": most}
        step = Quantity.parse(span["step"])
        yield from _step(step, bounds, whole=whole, path=path)


def _maximum(
    least: Quantity, most: Quantity, default: Quantity, *, whole: Quantity, path: Path
) -> Errors:
    if least > most:
        # The value shown is the minimum, upstream's too.
        yield invalid_value(path.child("max"), str(least), f"min is larger than max: {most}")
    if most > whole:
        detail = f"max is larger than capacity value: {whole}"
        yield invalid_value(path.child("max"), str(most), detail)
    if default > most:
        detail = f"default is more than max: {most}"
        yield invalid_value(path.child("default"), str(default), detail)


def _step(
    step: Quantity, bounds: dict[str, Quantity | None], *, whole: Quantity, path: Path
) -> Errors:
    where = path.child("step")
    if step <= _ZERO:
        yield invalid_value(where, str(step), "must be greater than zero")
        return
    least = bounds["min"] or _ZERO
    first = least.plus(step)
    if first > whole:
        detail = f"one step {first} is larger than capacity value: {whole}"
        yield invalid_value(where, str(step), detail)
    problems = list(_countable({**bounds, "step": step}, path))
    yield from problems
    if problems:
        return
    for bound in (bounds["default"], bounds["max"]):
        if bound is not None and (bound.value() - least.value()) % step.value():
            detail = f"value is not a multiple of a given step ({step}) from ({least})"
            yield invalid_value(where, str(bound), detail)


def _countable(amounts: dict[str, Quantity | None], path: Path) -> Errors:
    for name, amount in amounts.items():
        if amount is None:
            continue
        if amount < _ZERO:
            detail = "must be greater than or equal to 0"
            yield invalid_value(path.child(name), str(amount), detail)
        elif amount > _MAX_WHOLE:
            detail = f"must not be larger than {_MAX_WHOLE}"
            yield invalid_value(path.child(name), str(amount), detail)
