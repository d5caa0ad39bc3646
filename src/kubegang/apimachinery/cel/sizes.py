"""How large the values of an expression can be, part by part.

Sizes come from the types of variables (``maxItems``, ``maxLength`` and the like, or what fits
into a request): a part that stands for a place in a variable is as large as that place can
be. Those of other parts are noted while the estimate goes on. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kubegang.apimachinery.cel.checking import Checked
from kubegang.apimachinery.cel.ranges import ONE, UNKNOWN, Range
from kubegang.apimachinery.cel.syntax import ACCUMULATOR, Expr
from kubegang.apimachinery.cel.types import CelType

_SCALARS: Final = frozenset(["bool", "double", "duration", "int", "timestamp", "uint"])
_LITERALS_OF_ONE: Final = (bool, int, float)


class Entry(NamedTuple):
    """The sizes of keys and values inside a list or map that an expression makes."""

    of_list: bool
    key: Range
    value: Range


class Local(NamedTuple):
    """A variable of a comprehension."""

    path: tuple[str, ...]
    size: Range | None
    entry: Entry | None


class Sizes:
    """What is known of the sizes of an expression's parts so far."""

    def __init__(self, checked: Checked, roots: Mapping[str, CelType]) -> None:
        self._checked = checked
        self._roots = roots
        self._paths: dict[int, tuple[str, ...]] = {}
        self._sizes: dict[int, Range] = {}
        self._entries: dict[int, Entry] = {}
        self._locals: dict[str, list[Local]] = {}

    # --- variables of comprehensions -------------------------------------------------------

    def push(self, name: str, local: Local) -> None:
        """Let a name stand for something until ``pop``."""
        self._locals.setdefault(name, []).append(local)

    def pop(self, name: str) -> None:
        """Take back the last ``push``."""
        self._locals[name].pop()

    def as_local(self, expr: Expr) -> Local:
        """Return what a variable is that stands for an expression."""
        return Local(self.path(expr), self.size(expr), self.entry(expr))

    def _local(self, expr: Expr) -> Local | None:
        stack = self._locals.get(expr.name) if expr.kind == "ident" else None
        return stack[-1] if stack else None

    # --- asking ----------------------------------------------------------------------------

    def type_of(self, expr: Expr) -> CelType:
        """Return an expression's type."""
        return self._checked.types.get(expr.id) or CelType("dyn")

    def path(self, expr: Expr) -> tuple[str, ...]:
        """Return for which place in which variable an expression stands, if for any."""
        local = self._local(expr)
        return local.path if local is not None else self._paths.get(expr.id, ())

    def entry(self, expr: Expr) -> Entry | None:
        """Return what is known of the keys and values of an expression's list or map."""
        found = self._entries.get(expr.id)
        if found is None and (local := self._local(expr)) is not None:
            return local.entry
        return found

    def size(self, expr: Expr) -> Range | None:
        """Return how large an expression's value can be, if that is known."""
        known = self._sizes.get(expr.id) or _literal_size(expr)
        if known is not None:
            return known
        path = self.path(expr)
        found = self._size_at(path) if path else None
        if found is not None:
            self._sizes[expr.id] = found
            return found
        if _is_scalar(self.type_of(expr)):
            return ONE
        local = self._local(expr)
        return local.size if local is not None else None

    def size_or_unknown(self, expr: Expr) -> Range:
        """Return how large an expression's value can be."""
        size = self.size(expr)
        return UNKNOWN if size is None else size

    def item_size(self, expr: Expr) -> Range:
        """Return how large the items of an expression's list can be."""
        path = self.path(expr)
        found = self._size_at((*path, "@items")) if path else None
        return UNKNOWN if found is None else found

    def _size_at(self, path: tuple[str, ...]) -> Range | None:
        if path[0] in (ACCUMULATOR, "__result__"):
            return None
        # Names of types, too, count as the first variable itself: upstream's estimator does not
        # look at what a path begins with.
        place = self._roots.get(path[0]) or next(iter(self._roots.values()), None)
        for step in path[1:]:
            if place is None:
                return None
            if step in ("@items", "@values"):
                place = place.params[-1] if place.params else None
            elif step == "@keys":
                place = place.params[0] if len(place.params) > 1 else None
            else:
                place = (place.fields or {}).get(step)
        return None if place is None else Range(0, place.size)

    # --- noting ----------------------------------------------------------------------------

    def note_path(self, expr: Expr, path: tuple[str, ...]) -> None:
        """Note for which place an expression stands."""
        self._paths[expr.id] = path

    def note_name(self, expr: Expr) -> None:
        """Note for which place a name stands: a variable, or what a local one stands for."""
        local = self._local(expr)
        self._paths[expr.id] = local.path if local is not None else (expr.name,)

    def note_size(self, expr: Expr, size: Range | None) -> None:
        """Note how large an expression's value can be, if that is known."""
        if size is not None:
            self._sizes[expr.id] = size

    def note_entry(self, expr: Expr, entry: Entry | None) -> None:
        """Note how large keys and values of an expression's list or map can be, if known."""
        if entry is not None:
            self._entries[expr.id] = entry

    def note_same(self, expr: Expr, source: Expr) -> None:
        """Note that an expression's value is that of another one."""
        self.note_size(expr, self.size(source))
        self.note_entry(expr, self.entry(source))

    def note_either(self, expr: Expr, left: Expr, right: Expr) -> None:
        """Note that keys and values of an expression are those of two others."""
        one, other = self.entry(left), self.entry(right)
        if one is not None and other is not None:
            joined = Entry(one.of_list, one.key.union(other.key), one.value.union(other.value))
            self._entries[expr.id] = joined


def _literal_size(expr: Expr) -> Range | None:
    if expr.kind == "list":
        return Range(len(expr.args), len(expr.args))
    if expr.kind == "map":
        return Range(len(expr.args) // 2, len(expr.args) // 2)
    if expr.kind != "const":
        return None
    value: Any = expr.value
    if isinstance(value, str | bytes):
        return Range(len(value), len(value))
    return ONE if value is None or isinstance(value, _LITERALS_OF_ONE) else None


def _is_scalar(kind: CelType) -> bool:
    if kind.name == "optional_type" and kind.params:
        return _is_scalar(kind.params[0])
    return kind.name in _SCALARS
