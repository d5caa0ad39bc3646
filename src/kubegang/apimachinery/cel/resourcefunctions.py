"""Quantities, semantic versions and formats of names. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from kubegang.apimachinery.cel.conversions import as_text
from kubegang.apimachinery.cel.runtime import (
    INT64,
    NONE,
    EvalError,
    NamedFormat,
    Optional,
    no_overload,
)
from kubegang.apimachinery.cel.semver import Semver, SemverError
from kubegang.apimachinery.jsonformats import has_format
from kubegang.apimachinery.names import (
    is_dns1035_label,
    is_dns1123_label,
    is_dns1123_subdomain,
    is_label_value,
    is_qualified_name,
    mask_trailing_dash,
)
from kubegang.apimachinery.quantity import Quantity, QuantityError

_NANO: Final = 10**9


def _quantity(text: Any) -> Quantity:
    try:
        return Quantity.parse(as_text(text))
    except QuantityError as error:
        raise EvalError(f"quantity: {error}") from error


def _is_quantity(text: Any) -> bool:
    try:
        Quantity.parse(as_text(text))
    except QuantityError:
        return False
    return True


def _of_nanos(amount: int) -> Quantity:
    whole, rest = divmod(amount, _NANO)
    return Quantity.parse(str(whole) if not rest else f"{amount}n")


def _add(sign: int) -> Callable[[Any, Any], Quantity]:
    def function(left: Any, right: Any) -> Quantity:
        other = right.nano_value() if isinstance(right, Quantity) else right * _NANO
        return _of_nanos(left.nano_value() + sign * other)

    return function


def _as_integer(value: Quantity) -> int:
    whole, rest = divmod(value.nano_value(), _NANO)
    if rest or whole not in INT64:
        raise EvalError("cannot convert value to integer")
    return whole


def _is_integer(value: Quantity) -> bool:
    whole, rest = divmod(value.nano_value(), _NANO)
    return not rest and whole in INT64


def _sign(value: Quantity) -> int:
    nanos = value.nano_value()
    return (nanos > 0) - (nanos < 0)


def _compare(left: Any, right: Any) -> int:
    if isinstance(left, Quantity) and isinstance(right, Quantity):
        ours, theirs = left.nano_value(), right.nano_value()
        return (ours > theirs) - (ours < theirs)
    if isinstance(left, Semver) and isinstance(right, Semver):
        return 0 if left == right else -1 if left < right else 1
    raise no_overload()


def _semver(text: Any, lenient: bool = False) -> Semver:  # noqa: FBT001, FBT002 - called by position
    try:
        return Semver.normalise(as_text(text)) if lenient else Semver.parse(as_text(text))
    except SemverError as error:
        raise EvalError(str(error)) from error


def _is_semver(text: Any, lenient: bool = False) -> bool:  # noqa: FBT001, FBT002 - called by position
    try:
        _semver(text, lenient)
    except EvalError:
        return False
    return True


def _prefix(check: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    return lambda text: check(mask_trailing_dash(text))


def _formatted(name: str, problem: str) -> Callable[[str], list[str]]:
    return lambda text: [] if has_format(text, name) else [problem]


_FORMATS: Final = {
    one.name: one
    for one in (
        NamedFormat("dns1123Label", is_dns1123_label, 30),
        NamedFormat("dns1123Subdomain", is_dns1123_subdomain, 60),
        NamedFormat("dns1035Label", is_dns1035_label, 30),
        NamedFormat("qualifiedName", is_qualified_name, 60),
        NamedFormat("dns1123LabelPrefix", _prefix(is_dns1123_label), 30),
        NamedFormat("dns1123SubdomainPrefix", _prefix(is_dns1123_subdomain), 60),
        NamedFormat("dns1035LabelPrefix", _prefix(is_dns1035_label), 30),
        NamedFormat("labelValue", is_label_value, 40),
        NamedFormat("uri", _formatted("uri", "invalid URI for request"), 600),
        NamedFormat("uuid", _formatted("uuid", "does not match the UUID format"), 90),
        NamedFormat("byte", _formatted("byte", "invalid base64"), 80),
        NamedFormat("date", _formatted("date", "invalid date"), 70),
        NamedFormat("datetime", _formatted("datetime", "invalid datetime"), 70),
    )
}


def _named(name: Any) -> Optional:
    found = _FORMATS.get(as_text(name))
    return Optional(found) if found is not None else NONE


def _validate(named: NamedFormat, text: Any) -> Optional:
    problems = list(named.check(as_text(text)))
    return Optional(problems) if problems else NONE


def _constant(named: NamedFormat) -> Callable[[], NamedFormat]:
    return lambda: named


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "quantity": _quantity,
    "isQuantity": _is_quantity,
    "sign": _sign,
    "asInteger": _as_integer,
    "isInteger": _is_integer,
    "asApproximateFloat": lambda value: value.nano_value() / _NANO,
    "add": _add(1),
    "sub": _add(-1),
    "isGreaterThan": lambda left, right: _compare(left, right) > 0,
    "isLessThan": lambda left, right: _compare(left, right) < 0,
    "compareTo": _compare,
    "semver": _semver,
    "isSemver": _is_semver,
    "major": lambda value: value.major,
    "minor": lambda value: value.minor,
    "patch": lambda value: value.patch,
    "format.named": _named,
    "validate": _validate,
    **{f"format.{name}": _constant(named) for name, named in _FORMATS.items()},
}
