"""What an expression can cost at most, estimated before it is ever computed.

The sizes of values come from their types (``maxItems``, ``maxLength`` and the like, or what
fits into a request); from them follows how often each part is computed. The formulas are
those of cel-go's checker and of Kubernetes' libraries, so that a rule is refused here when it
is there (compared with kube-apiserver 1.37.2). Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, Final, NamedTuple

from kubegang.apimachinery.cel.actualcost import REGEX_LENGTH, TRAVERSAL
from kubegang.apimachinery.cel.checking import Checked
from kubegang.apimachinery.cel.syntax import ACCUMULATOR, Expr, Fold
from kubegang.apimachinery.cel.types import CelType

MOST: Final = 2**64 - 1
_SCALARS: Final = frozenset(["bool", "double", "duration", "int", "timestamp", "uint"])
_LITERALS_OF_ONE: Final = (bool, int, float)
_LONGEST_NAME_REGEX: Final = 128


class Range(NamedTuple):
    """The least and the most of a size or a cost."""

    least: int
    most: int

    def plus(self, other: Range) -> Range:
        """Return the sum."""
        return Range(min(self.least + other.least, MOST), min(self.most + other.most, MOST))

    def times(self, other: Range) -> Range:
        """Return the product."""
        return Range(min(self.least * other.least, MOST), min(self.most * other.most, MOST))

    def scaled(self, factor: float) -> Range:
        """Return the product with a factor, rounded up."""
        return Range(_scaled(self.least, factor), _scaled(self.most, factor))

    def union(self, other: Range) -> Range:
        """Return the range that holds both."""
        return Range(min(self.least, other.least), max(self.most, other.most))


def _scaled(value: int, factor: float) -> int:
    result = ceil(float(value) * factor)
    return result if result < MOST else MOST


UNKNOWN: Final = Range(0, MOST)
_NOTHING: Final = Range(0, 0)
_ONE: Final = Range(1, 1)


class _Entry(NamedTuple):
    """The sizes of keys and values inside a list or map that an expression makes."""

    of_list: bool
    key: Range
    value: Range


class _Local(NamedTuple):
    """A variable of a comprehension."""

    path: tuple[str, ...]
    size: Range | None
    entry: _Entry | None


def estimate(checked: Checked, roots: Mapping[str, CelType]) -> int:
    """Return the most that an expression can cost; ``roots`` are the types of its variables."""
    return _Estimator(checked, roots).cost(checked.parsed.root).most


class _Estimator:
    def __init__(self, checked: Checked, roots: Mapping[str, CelType]) -> None:
        self._checked = checked
        self._roots = roots
        self._paths: dict[int, tuple[str, ...]] = {}
        self._sizes: dict[int, Range] = {}
        self._entries: dict[int, _Entry] = {}
        self._locals: dict[str, list[_Local]] = {}

    def cost(self, expr: Expr) -> Range:
        match expr.kind:
            case "const":
                return _NOTHING
            case "ident":
                local = self._local(expr.name)
                self._paths[expr.id] = local.path if local is not None else (expr.name,)
                return _ONE
            case "select":
                return self._select(expr)
            case "call":
                return self._call(expr)
            case "list":
                return self._list(expr)
            case "map":
                return self._map(expr)
            case "fold" if expr.fold is not None:
                return (
                    self._bind(expr, expr.fold)
                    if _is_bind(expr.fold)
                    else self._fold(expr, expr.fold)
                )
        return Range(40, 40)

    def _local(self, name: str) -> _Local | None:
        stack = self._locals.get(name)
        return stack[-1] if stack else None

    def _push(self, name: str, local: _Local) -> None:
        self._locals.setdefault(name, []).append(local)

    def _pop(self, name: str) -> None:
        self._locals[name].pop()

    def _type(self, expr: Expr) -> CelType:
        return self._checked.types.get(expr.id) or CelType("dyn")

    def _path(self, expr: Expr) -> tuple[str, ...]:
        if expr.kind == "ident" and (local := self._local(expr.name)) is not None:
            return local.path
        return self._paths.get(expr.id, ())

    def _select(self, expr: Expr) -> Range:
        if expr.target is None or expr.id in self._checked.names:
            return _ONE
        cost = self.cost(expr.target)
        if expr.test:
            return cost
        target = self._type(expr.target)
        if target.name in ("map", "object") or target.fields is not None or target.name == "dyn":
            cost = cost.plus(_ONE) if target.name != "dyn" else cost
        self._paths[expr.id] = (*self._path(expr.target), expr.name)
        return cost

    def _list(self, expr: Expr) -> Range:
        cost, item = Range(10, 10), Range(MOST if expr.args else 0, 0)
        for one in expr.args:
            cost = cost.plus(self.cost(one))
            item = item.union(self._size_or_unknown(one))
        self._entries[expr.id] = _Entry(of_list=True, key=_ONE, value=item)
        return cost

    def _map(self, expr: Expr) -> Range:
        cost = Range(30, 30)
        key = value = Range(MOST if expr.args else 0, 0)
        for position, one in enumerate(expr.args):
            cost = cost.plus(self.cost(one))
            if position % 2:
                value = value.union(self._size_or_unknown(one))
            else:
                key = key.union(self._size_or_unknown(one))
        self._entries[expr.id] = _Entry(of_list=False, key=key, value=value)
        return cost

    def _bind(self, expr: Expr, fold: Fold) -> Range:
        cost = self.cost(fold.range).plus(self.cost(fold.init))
        local = _Local(self._path(fold.init), self._size(fold.init), self._entry(fold.init))
        self._push(fold.accumulator, local)
        cost = cost.plus(self.cost(fold.result))
        self._pop(fold.accumulator)
        self._copy(expr, fold.result)
        return cost

    def _fold(self, expr: Expr, fold: Fold) -> Range:
        cost = self.cost(fold.range).plus(self.cost(fold.init))
        local = _Local(self._path(fold.init), self._size(fold.init), self._entry(fold.init))
        self._push(fold.accumulator, local)
        names = self._push_iterated(fold)
        each = self.cost(fold.condition).plus(self.cost(fold.step))
        for name in names:
            self._pop(name)
        cost = cost.plus(self.cost(fold.result))
        self._pop(fold.accumulator)
        count = self._size_or_unknown(fold.range)
        if fold.init.kind == "const":
            self._set(expr, self._size(fold.init))
        elif fold.init.kind in ("list", "map"):
            self._set(expr, count)
            entry = self._entry(fold.step)
            if entry is not None:
                self._entries[expr.id] = entry
        return cost.plus(count.times(each))

    def _push_iterated(self, fold: Fold) -> list[str]:
        entry, path = self._entry(fold.range), self._path(fold.range)
        of_list = entry.of_list if entry is not None else self._type(fold.range).name == "list"
        key = _Local(
            (*path, "@indices" if of_list else "@keys"), entry.key if entry else None, None
        )
        value = _Local(
            (*path, "@items" if of_list else "@values"), entry.value if entry else None, None
        )
        if fold.second:
            self._push(fold.first, key)
            self._push(fold.second, value)
            return [fold.first, fold.second]
        self._push(fold.first, value if of_list else key)
        return [fold.first]

    def _call(self, expr: Expr) -> Range:
        if expr.name == "dyn" and len(expr.args) == 1:
            cost = self.cost(expr.args[0])
            self._copy(expr, expr.args[0])
            return cost.plus(_ONE)
        costs = [self.cost(one) for one in expr.args]
        ids = self._checked.overloads.get(expr.id) or []
        if not ids:
            return _NOTHING
        total = _NOTHING
        name = self._checked.names.get(expr.id, expr.name)
        target = expr.target if expr.id not in self._checked.names else None
        if target is not None:
            total = total.plus(self.cost(target))
        together, size = Range(MOST, 0), None
        for overload in ids:
            found, result = self._function(expr, name, overload, target, costs)
            together = together.union(found)
            if result is not None:
                size = result if size is None else size.union(result)
            if overload in ("index_list", "index_map"):
                entry = self._entry(expr.args[0])
                size = entry.value if entry is not None else None
                step = "@items" if overload == "index_list" else "@values"
                self._paths[expr.id] = (*self._path(expr.args[0]), step)
            if size is None:
                size = self._size(expr)
        self._set(expr, size)
        return total.plus(together)

    def _function(
        self, expr: Expr, name: str, overload: str, target: Expr | None, costs: list[Range]
    ) -> tuple[Range, Range | None]:
        args = _NOTHING
        for one in costs:
            args = args.plus(one)
        if overload in ("logical_or", "logical_and"):
            return Range(costs[0].least, costs[0].plus(costs[1]).most), None
        if overload == "conditional":
            return self._conditional(expr, costs)
        values = [target, *expr.args] if target is not None else list(expr.args)
        sizes = [self._size_or_unknown(one) for one in values]
        library = self._library(name, overload, values, sizes)
        if library is not None:
            return library[0].plus(args), library[1]
        return self._standard(expr, overload, sizes, args)

    def _conditional(self, expr: Expr, costs: list[Range]) -> tuple[Range, Range | None]:
        yes, no = expr.args[1], expr.args[2]
        size = self._size_or_unknown(yes).union(self._size_or_unknown(no))
        self._join_entries(expr, yes, no)
        return costs[0].plus(costs[1].union(costs[2])), size

    def _standard(
        self, expr: Expr, overload: str, sizes: list[Range], args: Range
    ) -> tuple[Range, Range | None]:
        match overload:
            case "string_format":
                return sizes[0].scaled(TRAVERSAL).plus(args), None
            case "string_to_bytes":
                return sizes[0].scaled(TRAVERSAL).plus(args), Range(
                    sizes[0].least, min(sizes[0].most * 4, MOST)
                )
            case "bytes_to_string":
                return sizes[0].scaled(TRAVERSAL).plus(args), Range(
                    sizes[0].least // 4, sizes[0].most
                )
            case "strings_quote":
                size = Range(sizes[0].least + 2, min(sizes[0].most * 2 + 2, MOST))
                return sizes[0].scaled(TRAVERSAL).plus(args), size
            case "starts_with_string" | "ends_with_string":
                return sizes[1].scaled(TRAVERSAL).plus(args), None
            case "in_list":
                return sizes[1].scaled(1).plus(args), None
            case "matches" | "matches_string":
                text = sizes[0].plus(_ONE).scaled(TRAVERSAL)
                return text.times(sizes[1].scaled(REGEX_LENGTH)).plus(args), None
            case "contains_string":
                return sizes[0].scaled(TRAVERSAL).times(sizes[1].scaled(TRAVERSAL)).plus(args), None
            case "add_string" | "add_bytes" | "add_list":
                size = sizes[0].plus(sizes[1])
                self._join_entries(expr, expr.args[0], expr.args[1])
                cost = _ONE if overload == "add_list" else size.scaled(TRAVERSAL)
                return cost.plus(args), size
        if overload in ("equals", "not_equals") or _compares_texts(overload):
            most = min(sizes[0].most, sizes[1].most)
            return Range(1 if most else 0, most).scaled(TRAVERSAL).plus(args), None
        return _ONE.plus(args), None

    def _library(
        self, name: str, overload: str, values: list[Expr], sizes: list[Range]
    ) -> tuple[Range, Range | None] | None:
        match name:
            case "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes":
                return self._whole_list(values, sizes), None
            case "url" | "lowerAscii" | "upperAscii" | "substring" | "trim":
                return sizes[0].scaled(TRAVERSAL), sizes[0]
            case "replace":
                return sizes[0].scaled(2 * TRAVERSAL), _replaced_size(sizes)
            case "split":
                most = sizes[0].most
                if (
                    len(values) > 2
                    and values[2].kind == "const"
                    and isinstance(values[2].value, int)
                ):
                    most = max(values[2].value, 0)
                return sizes[0].scaled(2 * TRAVERSAL), Range(0, most)
            case "join":
                size = self._joined_size(values, sizes)
                return size.scaled(TRAVERSAL), size
            case "find" | "findAll":
                text = sizes[0].plus(_ONE).scaled(TRAVERSAL)
                return text.times(sizes[1].scaled(REGEX_LENGTH)), Range(0, sizes[0].most)
            case "cidr" | "isIP" | "isCIDR" | "quantity" | "isQuantity" | "semver" | "isSemver":
                return sizes[0].scaled(TRAVERSAL), None
            case "ip":
                return (_ONE if overload == "cidr_ip" else sizes[0].scaled(TRAVERSAL)), None
            case "ip.isCanonical":
                return sizes[0].scaled(2 * TRAVERSAL), None
            case "validate":
                return sizes[1].scaled(TRAVERSAL).scaled(_LONGEST_NAME_REGEX * REGEX_LENGTH), None
            case "containsIP" | "containsCIDR":
                cost = Range(8, 32).scaled(TRAVERSAL)
                if name == "containsCIDR":
                    cost = cost.plus(Range(4, 16).scaled(TRAVERSAL)).plus(_ONE)
                if overload.endswith("_string"):
                    cost = cost.plus(sizes[1].scaled(TRAVERSAL))
                return cost, None
            case "_==_" if str(self._type(values[0])).startswith(("net.", "kubernetes.")):
                return _ONE, None
        return None

    def _whole_list(self, values: list[Expr], sizes: list[Range]) -> Range:
        kind = self._type(values[0])
        if not kind.params:
            return sizes[0].scaled(TRAVERSAL)
        each = _ONE
        if kind.params[0].name in ("string", "bytes"):
            each = each.plus(self._item_size(values[0]).scaled(TRAVERSAL))
        return sizes[0].times(each)

    def _item_size(self, expr: Expr) -> Range:
        path = self._path(expr)
        found = self._size_at((*path, "@items")) if path else None
        return UNKNOWN if found is None else found

    def _joined_size(self, values: list[Expr], sizes: list[Range]) -> Range:
        size = sizes[0].times(self._item_size(values[0]))
        if len(values) > 1:
            between = Range(max(sizes[0].least - 1, 0), max(sizes[0].most - 1, 0))
            size = size.plus(sizes[1].times(between))
        return size

    def _join_entries(self, expr: Expr, left: Expr, right: Expr) -> None:
        one, other = self._entry(left), self._entry(right)
        if one is not None and other is not None:
            joined = _Entry(one.of_list, one.key.union(other.key), one.value.union(other.value))
            self._entries[expr.id] = joined

    def _set(self, expr: Expr, size: Range | None) -> None:
        if size is not None:
            self._sizes[expr.id] = size

    def _copy(self, to: Expr, source: Expr) -> None:
        self._set(to, self._size(source))
        entry = self._entry(source)
        if entry is not None:
            self._entries[to.id] = entry

    def _entry(self, expr: Expr) -> _Entry | None:
        found = self._entries.get(expr.id)
        if found is None and expr.kind == "ident" and (local := self._local(expr.name)) is not None:
            return local.entry
        return found

    def _size_or_unknown(self, expr: Expr) -> Range:
        size = self._size(expr)
        return UNKNOWN if size is None else size

    def _size(self, expr: Expr) -> Range | None:
        if expr.id in self._sizes:
            return self._sizes[expr.id]
        size = _literal_size(expr)
        if size is not None:
            return size
        path = self._path(expr)
        found = self._size_at(path) if path else None
        if found is not None:
            self._sizes[expr.id] = found
            return found
        if _is_scalar(self._type(expr)):
            return _ONE
        local = self._local(expr.name) if expr.kind == "ident" else None
        return local.size if local is not None else None

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


def _is_bind(fold: Fold) -> bool:
    return (
        fold.range.kind == "list"
        and not fold.range.args
        and fold.condition.kind == "const"
        and fold.condition.value is False
        and fold.accumulator != "__result__"
    )


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
    return _ONE if value is None or isinstance(value, _LITERALS_OF_ONE) else None


def _is_scalar(kind: CelType) -> bool:
    if kind.name == "optional_type" and kind.params:
        return _is_scalar(kind.params[0])
    return kind.name in _SCALARS


def _compares_texts(overload: str) -> bool:
    return overload.endswith(("_string", "_bytes")) and overload.startswith(("less", "greater"))


def _replaced_size(sizes: list[Range]) -> Range:
    """Return how long a text can get when all occurrences of one text become another."""
    text, old, new = sizes[:3]
    if not old.least:
        most, kept_most = min(text.most + 1, MOST), text.most
    elif new.most <= old.least:
        most, kept_most = 0, text.most
    else:
        most, kept_most = ceil(text.most / old.least), 0
    if not old.most:
        least, kept_least = min(text.least + 1, MOST), text.least
    elif old.most <= new.least:
        least, kept_least = 0, text.least
    else:
        least, kept_least = ceil(text.least / old.most), 0
    return Range(least, most).times(new).plus(Range(kept_least, kept_most))
