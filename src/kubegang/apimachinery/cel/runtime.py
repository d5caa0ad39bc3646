"""Values of expressions that Python has no type for, and what all values have in common.

Integers are Python's, within 64 bits; unsigned ones, times, optionals and Kubernetes' own
types have classes here. Pure.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from kubegang.apimachinery.cel.semver import Semver
from kubegang.apimachinery.quantity import Quantity

INT64: Final = range(-(2**63), 2**63)
UINT64: Final = range(2**64)


class EvalError(ValueError):
    """An expression has no value; the message is cel-go's."""


class CostLimitError(EvalError):
    """An expression was stopped since it costs too much."""

    def __init__(self) -> None:
        super().__init__("operation cancelled: actual cost limit exceeded")


def no_overload() -> EvalError:
    """Return the error for a function that does not take what it was given."""
    return EvalError("no such overload")


def no_key(key: Any) -> EvalError:
    """Return the error for a key or field that is not there."""
    return EvalError(f"no such key: {key}")


class UInt(int):
    """An unsigned integer."""

    __slots__ = ()


class Timestamp(NamedTuple):
    """A moment, in nanoseconds since the beginning of 1970."""

    nanoseconds: int


class Duration(NamedTuple):
    """A length of time in nanoseconds."""

    nanoseconds: int


class Url(NamedTuple):
    """An absolute URL, in the parts that can be asked for."""

    text: str
    scheme: str
    host: str
    hostname: str
    port: str
    path: str
    query: dict[str, list[str]]


class Ip(NamedTuple):
    """An address."""

    address: ipaddress.IPv4Address | ipaddress.IPv6Address


class Cidr(NamedTuple):
    """A network; the address keeps the bits that the mask hides."""

    interface: ipaddress.IPv4Interface | ipaddress.IPv6Interface


class NamedFormat(NamedTuple):
    """A format of names, which tells what is wrong with a text."""

    name: str
    check: Callable[[str], list[str]]
    regex_size: int


class TypeValue(NamedTuple):
    """A type as a value."""

    name: str


class Optional:
    """A value that may be absent."""

    __slots__ = ("present", "value")

    def __init__(self, value: Any, *, present: bool = True) -> None:
        self.value = value
        self.present = present

    def __repr__(self) -> str:
        return f"Optional({self.value!r})" if self.present else "Optional()"


NONE: Final = Optional(None, present=False)


class StructValue:
    """An object with declared fields, converted when they are asked for."""

    __slots__ = ("_convert", "_known", "raw")

    def __init__(self, raw: Mapping[str, Any], convert: Callable[[str], tuple[bool, Any]]) -> None:
        self.raw = raw
        self._convert = convert
        self._known: dict[str, Any] = {}

    def has(self, name: str) -> bool:
        """Return whether a field is there."""
        return self._convert(name)[0]

    def get(self, name: str) -> Any:
        """Return a field.

        Raises:
            EvalError: it is not there.
        """
        if name not in self._known:
            present, value = self._convert(name)
            if not present:
                raise no_key(name)
            self._known[name] = value
        return self._known[name]

    def __len__(self) -> int:
        return len(self.raw)


class SetList(list[Any]):
    """A list of type set: equal in any order."""


class KeyedList(list[Any]):
    """A list of type map: items are known by their keys, equal in any order."""

    def __init__(self, items: Iterator[Any], key: Callable[[Any], Any]) -> None:
        super().__init__(items)
        self.key = key


def type_name(value: Any) -> str:
    """Return the name of a value's type."""
    for kind, name in _NAMES:
        if isinstance(value, kind):
            return name
    return "null_type" if value is None else "dyn"


_NAMES: Final[tuple[tuple[type, str], ...]] = (
    (bool, "bool"),
    (UInt, "uint"),
    (int, "int"),
    (float, "double"),
    (str, "string"),
    (bytes, "bytes"),
    (list, "list"),
    (dict, "map"),
    (Timestamp, "google.protobuf.Timestamp"),
    (Duration, "google.protobuf.Duration"),
    (Optional, "optional_type"),
    (TypeValue, "type"),
    (Quantity, "kubernetes.Quantity"),
    (Semver, "kubernetes.Semver"),
    (Url, "kubernetes.URL"),
    (Ip, "net.IP"),
    (Cidr, "net.CIDR"),
    (NamedFormat, "kubernetes.NamedFormat"),
    (StructValue, "object"),
)


def is_number(value: Any) -> bool:
    """Return whether a value is an integer of either kind or a float."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def size_of(value: Any) -> int:
    """Return what cost depends on: elements, code points, or one."""
    if isinstance(value, str | bytes | list | dict):
        return len(value)
    if isinstance(value, Optional) and value.present:
        return size_of(value.value)
    if isinstance(value, Ip):
        return value.address.max_prefixlen // 8
    if isinstance(value, Cidr):
        return value.interface.max_prefixlen // 8
    return 1


def equal(left: Any, right: Any) -> bool:
    """Return whether two values are equal; values of different types are not."""
    if is_number(left) and is_number(right):
        return bool(left == right)
    if isinstance(left, StructValue) and isinstance(right, StructValue):
        return left.raw == right.raw
    if isinstance(left, Optional) and isinstance(right, Optional):
        return left.present == right.present and (
            not left.present or equal(left.value, right.value)
        )
    if isinstance(left, list) and isinstance(right, list):
        return _lists_equal(left, right)
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, Quantity) and isinstance(right, Quantity):
        return left.nano_value() == right.nano_value()
    return type(left) is type(right) and bool(left == right)


def _lists_equal(left: list[Any], right: list[Any]) -> bool:
    if len(left) != len(right):
        return False
    if isinstance(left, SetList | KeyedList):
        rest = list(right)
        for item in left:
            position = next((i for i, one in enumerate(rest) if equal(item, one)), None)
            if position is None:
                return False
            del rest[position]
        return True
    return all(map(equal, left, right))
