"""The functions on quantities and versions, declared twice.

Once with their true types, for the type checker; once on maps, for computing, because the
library computes with its own types only (``values.py``). The names and signatures are those
of the libraries ``kubernetes.quantity`` and ``kubernetes.Semver``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from cel_expr_python import cel

from kubegang.apimachinery.cel import values
from kubegang.apimachinery.cel.semver import Semver, SemverError
from kubegang.apimachinery.cel.values import Encoded
from kubegang.apimachinery.quantity import Quantity, QuantityError

Value = Mapping[str, str]

_TYPES: Final = {
    "quantity": cel.Type.AbstractType(values.QUANTITY),
    "semver": cel.Type.AbstractType(values.SEMVER),
    "string": cel.Type.STRING,
    "bool": cel.Type.BOOL,
    "int": cel.Type.INT,
    "double": cel.Type.DOUBLE,
}
"""Types as the checker knows them."""

_COMPUTED: Final = _TYPES | {"quantity": cel.Type.MAP, "semver": cel.Type.MAP}
"""Types as they are at run time."""


class _Signature(NamedTuple):
    """One form of a function: ``takes`` and ``gives`` are keys of the tables of types."""

    function: str
    takes: tuple[str, ...]
    gives: str
    does: Callable[..., object]
    on_value: bool = True


def checked() -> list[Any]:
    """Return the declarations with true types."""
    return _declarations(_SIGNATURES, _TYPES)


def computed() -> list[Any]:
    """Return the declarations with the types of run time.

    Forms that became alike are declared once: what they do looks at the value.
    """
    unique = {(s.function, tuple(map(_run_time_name, s.takes))): s for s in _SIGNATURES}
    return _declarations(list(unique.values()), _COMPUTED)


def _run_time_name(name: str) -> str:
    return "map" if name in ("quantity", "semver") else name


def _declarations(signatures: list[_Signature], types: Mapping[str, Any]) -> list[Any]:
    forms: dict[str, list[Any]] = {}
    for signature in signatures:
        forms.setdefault(signature.function, []).append(
            cel.Overload(
                "_".join((signature.function, *signature.takes)),
                types[signature.gives],
                [types[name] for name in signature.takes],
                signature.on_value,
                signature.does,
            )
        )
    return [cel.FunctionDecl(name, overloads) for name, overloads in forms.items()]


def _quantity(text: str) -> Encoded:
    return values.encode_quantity(Quantity.parse(text))


def _is_quantity(text: str) -> bool:
    try:
        Quantity.parse(text)
    except QuantityError:
        return False
    return True


def _integer(value: Value) -> int:
    number = values.whole(value)
    if number is None:
        raise ValueError("cannot convert value to integer")
    return number


def _is_integer(value: Value) -> bool:
    return values.whole(value) is not None


def _sign(value: Value) -> int:
    number = values.nanos(value)
    return (number > 0) - (number < 0)


def _greater(left: Value, right: Value) -> bool:
    return values.compare(left, right) > 0


def _less(left: Value, right: Value) -> bool:
    return values.compare(left, right) < 0


def _plus(left: Value, right: Value) -> Encoded:
    return values.quantity_of(values.nanos(left) + values.nanos(right))


def _minus(left: Value, right: Value) -> Encoded:
    return values.quantity_of(values.nanos(left) - values.nanos(right))


def _minus_whole(left: Value, number: int) -> Encoded:
    return values.add_whole(left, -number)


def _semver(text: str) -> Encoded:
    return values.encode_semver(Semver.parse(text))


def _semver_leniently(text: str, lenient: bool) -> Encoded:  # noqa: FBT001 - called by position
    return values.encode_semver(Semver.normalise(text) if lenient else Semver.parse(text))


def _is_semver(text: str) -> bool:
    return _is_semver_leniently(text, False)  # noqa: FBT003 - as the expression would


def _is_semver_leniently(text: str, lenient: bool) -> bool:  # noqa: FBT001 - called by position
    try:
        _semver_leniently(text, lenient)
    except SemverError:
        return False
    return True


def _major(value: Value) -> int:
    return values.version(value).major


def _minor(value: Value) -> int:
    return values.version(value).minor


def _patch(value: Value) -> int:
    return values.version(value).patch


_SIGNATURES: Final = [
    _Signature("quantity", ("string",), "quantity", _quantity, on_value=False),
    _Signature("isQuantity", ("string",), "bool", _is_quantity, on_value=False),
    _Signature("sign", ("quantity",), "int", _sign, on_value=False),
    _Signature("isGreaterThan", ("quantity", "quantity"), "bool", _greater),
    _Signature("isLessThan", ("quantity", "quantity"), "bool", _less),
    _Signature("compareTo", ("quantity", "quantity"), "int", values.compare),
    _Signature("asApproximateFloat", ("quantity",), "double", values.approximate),
    _Signature("asInteger", ("quantity",), "int", _integer),
    _Signature("isInteger", ("quantity",), "bool", _is_integer),
    _Signature("add", ("quantity", "quantity"), "quantity", _plus),
    _Signature("add", ("quantity", "int"), "quantity", values.add_whole),
    _Signature("sub", ("quantity", "quantity"), "quantity", _minus),
    _Signature("sub", ("quantity", "int"), "quantity", _minus_whole),
    _Signature("semver", ("string",), "semver", _semver, on_value=False),
    _Signature("semver", ("string", "bool"), "semver", _semver_leniently, on_value=False),
    _Signature("isSemver", ("string",), "bool", _is_semver, on_value=False),
    _Signature("isSemver", ("string", "bool"), "bool", _is_semver_leniently, on_value=False),
    _Signature("isGreaterThan", ("semver", "semver"), "bool", _greater),
    _Signature("isLessThan", ("semver", "semver"), "bool", _less),
    _Signature("compareTo", ("semver", "semver"), "int", values.compare),
    _Signature("major", ("semver",), "int", _major),
    _Signature("minor", ("semver",), "int", _minor),
    _Signature("patch", ("semver",), "int", _patch),
]
