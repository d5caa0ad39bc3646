"""Types of expressions, and which value may stand where which type is wanted. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final


class CelType:
    """A type; equal if name and parameters are.

    Attributes:
        fields: of a type that has some, by the names that expressions use.
        size: the most elements, characters or bytes that a value can have.
        smallest: the fewest bytes that a value takes as JSON.
    """

    __slots__ = ("fields", "is_param", "name", "params", "size", "smallest")

    def __init__(
        self,
        name: str,
        *params: CelType,
        fields: Mapping[str, CelType] | None = None,
        size: int = 0,
        smallest: int = 0,
    ) -> None:
        self.name = name
        self.params = params
        self.fields = fields
        self.size = size
        self.smallest = smallest
        self.is_param = False

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CelType)
            and self.name == other.name
            and self.params == other.params
            and self.is_param == other.is_param
        )

    def __hash__(self) -> int:
        return hash((self.name, self.params))

    def __str__(self) -> str:
        if self.params:
            return f"{self.name}({', '.join(map(str, self.params))})"
        return _SHOWN.get(self.name, self.name)

    def __repr__(self) -> str:
        return f"<CelType {self}>"


_SHOWN: Final = {
    "null_type": "null",
    "timestamp": "google.protobuf.Timestamp",
    "duration": "google.protobuf.Duration",
    "error": "!error!",
}

BOOL: Final = CelType("bool")
INT: Final = CelType("int")
UINT: Final = CelType("uint")
DOUBLE: Final = CelType("double")
STRING: Final = CelType("string")
BYTES: Final = CelType("bytes")
NULL: Final = CelType("null_type")
DYN: Final = CelType("dyn")
ERROR: Final = CelType("error")
TIMESTAMP: Final = CelType("timestamp")
DURATION: Final = CelType("duration")
TYPE: Final = CelType("type")

_NULLABLE: Final = ("timestamp", "duration", "null_type", "optional_type")


def list_of(item: CelType, **facts: int) -> CelType:
    """Return the type of lists."""
    return CelType("list", item, **facts)  # type: ignore[arg-type]


def map_of(key: CelType, value: CelType, **facts: int) -> CelType:
    """Return the type of maps."""
    return CelType("map", key, value, **facts)  # type: ignore[arg-type]


def optional_of(value: CelType) -> CelType:
    """Return the type of optional values."""
    return CelType("optional_type", value)


def type_of_type(of: CelType) -> CelType:
    """Return the type of a type."""
    return CelType("type", of)


def parameter(name: str) -> CelType:
    """Return a type that is not known yet."""
    made = CelType(name)
    made.is_param = True
    return made


class Substitution:
    """What unknown types have turned out to be."""

    def __init__(self) -> None:
        self._known: dict[str, CelType] = {}
        self._fresh = 0

    def fresh(self) -> CelType:
        """Return an unknown type that is no other's."""
        self._fresh += 1
        return parameter(f"_var{self._fresh}")

    def instance(self, wanted: CelType, names: dict[str, CelType]) -> CelType:
        """Return a declared type with unknown types of its own for its parameters."""
        if wanted.is_param:
            if wanted.name not in names:
                names[wanted.name] = self.fresh()
            return names[wanted.name]
        if not wanted.params:
            return wanted
        return _with(wanted, [self.instance(one, names) for one in wanted.params])

    def apply(self, found: CelType, *, to_dyn: bool = False) -> CelType:
        """Return a type with all that is known; what is not may become dynamic."""
        if found.is_param:
            known = self._known.get(found.name)
            if known is None:
                return DYN if to_dyn else found
            return self.apply(known, to_dyn=to_dyn)
        if not found.params:
            return found
        return _with(found, [self.apply(one, to_dyn=to_dyn) for one in found.params])

    def assignable(self, found: CelType, wanted: CelType) -> bool:
        """Return whether a value may stand where a type is wanted, and learn from it if so."""
        before = dict(self._known)
        if self._assign(found, wanted):
            return True
        self._known = before
        return False

    def all_assignable(self, found: Sequence[CelType], wanted: Sequence[CelType]) -> bool:
        """Return the same of several at once: either all are learned from, or none."""
        before = dict(self._known)
        if len(found) == len(wanted) and all(map(self._assign, found, wanted)):
            return True
        self._known = before
        return False

    def _assign(self, found: CelType, wanted: CelType) -> bool:
        found, wanted = self._resolved(found), self._resolved(wanted)
        if wanted.is_param:
            return self._bind(wanted, found)
        if found.is_param:
            return self._bind(found, wanted)
        if "dyn" in (found.name, wanted.name) or "error" in (found.name, wanted.name):
            return True
        if found.name == "null_type":
            return wanted.name in _NULLABLE or "." in wanted.name or wanted.fields is not None
        if found.name != wanted.name or len(found.params) != len(wanted.params):
            return False
        return all(map(self._assign, found.params, wanted.params))

    def _bind(self, unknown: CelType, found: CelType) -> bool:
        if found.is_param and found.name == unknown.name:
            return True
        if self._occurs(unknown.name, found):
            return False
        self._known[unknown.name] = found
        return True

    def _occurs(self, name: str, found: CelType) -> bool:
        found = self._resolved(found)
        if found.is_param:
            return found.name == name
        return any(self._occurs(name, one) for one in found.params)

    def _resolved(self, found: CelType) -> CelType:
        while found.is_param and found.name in self._known:
            found = self._known[found.name]
        return found


def _with(found: CelType, params: list[CelType]) -> CelType:
    return CelType(
        found.name, *params, fields=found.fields, size=found.size, smallest=found.smallest
    )
