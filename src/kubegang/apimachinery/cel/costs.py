"""What an expression can cost at most, estimated before it is ever computed.

From the sizes of values follows how often each part is computed. Calls cost what cel-go's
checker and Kubernetes' libraries say, so that a rule is refused here when it is there
(compared with kube-apiserver 1.37.2). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from kubegang.apimachinery.cel.callcosts import Call, call_cost
from kubegang.apimachinery.cel.checking import Checked
from kubegang.apimachinery.cel.ranges import MOST, NOTHING, ONE, Range
from kubegang.apimachinery.cel.sizes import Entry, Local, Sizes
from kubegang.apimachinery.cel.syntax import Expr, Fold
from kubegang.apimachinery.cel.types import CelType

_LIST: Final = Range(10, 10)
_MAP: Final = Range(30, 30)
_STRUCT: Final = Range(40, 40)
_JOINED: Final = frozenset({"add_string", "add_bytes", "add_list"})


def estimate(checked: Checked, roots: Mapping[str, CelType]) -> int:
    """Return the most that an expression can cost; ``roots`` are the types of its variables."""
    return _Estimator(checked, Sizes(checked, roots)).cost(checked.parsed.root).most


class _Estimator:
    """Adds up costs from the leaves, noting sizes on its way."""

    def __init__(self, checked: Checked, sizes: Sizes) -> None:
        self._checked = checked
        self._sizes = sizes

    def cost(self, expr: Expr) -> Range:
        match expr.kind:
            case "const":
                return NOTHING
            case "ident":
                self._sizes.note_name(expr)
                return ONE
            case "select":
                return self._select(expr)
            case "call":
                return self._call(expr)
            case "list":
                return self._list(expr)
            case "map":
                return self._map(expr)
            case "fold" if expr.fold is not None:
                bound = _is_bind(expr.fold)
                return self._bind(expr, expr.fold) if bound else self._fold(expr, expr.fold)
        return _STRUCT

    def _select(self, expr: Expr) -> Range:
        if expr.target is None or expr.id in self._checked.names:
            return ONE
        cost = self.cost(expr.target)
        if expr.test:
            return cost
        target = self._sizes.type_of(expr.target)
        if target.name in ("map", "object") or (target.fields is not None and target.name != "dyn"):
            cost = cost.plus(ONE)
        self._sizes.note_path(expr, (*self._sizes.path(expr.target), expr.name))
        return cost

    # --- lists and maps --------------------------------------------------------------------

    def _list(self, expr: Expr) -> Range:
        cost = self._together(expr.args).plus(_LIST)
        item = self._widest(expr.args)
        self._sizes.note_entry(expr, Entry(of_list=True, key=ONE, value=item))
        return cost

    def _map(self, expr: Expr) -> Range:
        cost = self._together(expr.args).plus(_MAP)
        key, value = self._widest(expr.args[::2]), self._widest(expr.args[1::2])
        self._sizes.note_entry(expr, Entry(of_list=False, key=key, value=value))
        return cost

    def _together(self, parts: Iterable[Expr]) -> Range:
        cost = NOTHING
        for part in parts:
            cost = cost.plus(self.cost(part))
        return cost

    def _widest(self, parts: Iterable[Expr]) -> Range:
        """Return the range that holds the sizes of all parts; empty without any."""
        sizes = [self._sizes.size_or_unknown(part) for part in parts]
        if not sizes:
            return NOTHING
        return Range(min(size.least for size in sizes), max(size.most for size in sizes))

    # --- comprehensions --------------------------------------------------------------------

    def _bind(self, expr: Expr, fold: Fold) -> Range:
        cost = self.cost(fold.range).plus(self.cost(fold.init))
        self._sizes.push(fold.accumulator, self._sizes.as_local(fold.init))
        cost = cost.plus(self.cost(fold.result))
        self._sizes.pop(fold.accumulator)
        self._sizes.note_same(expr, fold.result)
        return cost

    def _fold(self, expr: Expr, fold: Fold) -> Range:
        cost = self.cost(fold.range).plus(self.cost(fold.init))
        self._sizes.push(fold.accumulator, self._sizes.as_local(fold.init))
        iterated = self._iterated(fold)
        for name, local in iterated.items():
            self._sizes.push(name, local)
        each = self.cost(fold.condition).plus(self.cost(fold.step))
        for name in iterated:
            self._sizes.pop(name)
        cost = cost.plus(self.cost(fold.result))
        self._sizes.pop(fold.accumulator)
        count = self._sizes.size_or_unknown(fold.range)
        if fold.init.kind == "const":
            self._sizes.note_size(expr, self._sizes.size(fold.init))
        elif fold.init.kind in ("list", "map"):
            self._sizes.note_size(expr, count)
            self._sizes.note_entry(expr, self._sizes.entry(fold.step))
        return cost.plus(count.times(each))

    def _iterated(self, fold: Fold) -> dict[str, Local]:
        """Return the variables that take on the keys and values of what is gone through."""
        entry, path = self._sizes.entry(fold.range), self._sizes.path(fold.range)
        of_list = (
            entry.of_list if entry is not None else self._sizes.type_of(fold.range).name == "list"
        )
        keys, values = ("@indices", "@items") if of_list else ("@keys", "@values")
        key = Local((*path, keys), entry.key if entry else None, None)
        value = Local((*path, values), entry.value if entry else None, None)
        if fold.second:
            return {fold.first: key, fold.second: value}
        return {fold.first: value if of_list else key}

    # --- calls -----------------------------------------------------------------------------

    def _call(self, expr: Expr) -> Range:
        if expr.name == "dyn" and len(expr.args) == 1:
            cost = self.cost(expr.args[0])
            self._sizes.note_same(expr, expr.args[0])
            return cost.plus(ONE)
        costs = [self.cost(one) for one in expr.args]
        overloads = self._checked.overloads.get(expr.id) or []
        if not overloads:
            return NOTHING
        target = expr.target if expr.id not in self._checked.names else None
        total = NOTHING if target is None else self.cost(target)
        together, size = Range(MOST, 0), None
        for overload in overloads:
            found, result = self._overload(expr, overload, target, costs)
            together = together.union(found)
            if result is not None:
                size = result if size is None else size.union(result)
            if overload in ("index_list", "index_map"):
                size = self._indexed(expr, of_list=overload == "index_list")
            if size is None:
                size = self._sizes.size(expr)
        self._sizes.note_size(expr, size)
        return total.plus(together)

    def _overload(
        self, expr: Expr, overload: str, target: Expr | None, costs: list[Range]
    ) -> tuple[Range, Range | None]:
        """Return the cost of a call with its arguments, and how large its result can be."""
        if overload in ("logical_or", "logical_and"):
            return Range(costs[0].least, costs[0].plus(costs[1]).most), None
        if overload == "conditional":
            return self._conditional(expr, costs)
        values = [target, *expr.args] if target is not None else list(expr.args)
        sizes = [self._sizes.size_or_unknown(one) for one in values]
        name = self._checked.names.get(expr.id, expr.name)
        cost, size = call_cost(Call(name, overload, values, sizes), self._sizes)
        if overload in _JOINED:
            self._sizes.note_either(expr, expr.args[0], expr.args[1])
        for one in costs:
            cost = cost.plus(one)
        return cost, size

    def _conditional(self, expr: Expr, costs: list[Range]) -> tuple[Range, Range | None]:
        yes, no = expr.args[1], expr.args[2]
        size = self._sizes.size_or_unknown(yes).union(self._sizes.size_or_unknown(no))
        self._sizes.note_either(expr, yes, no)
        return costs[0].plus(costs[1].union(costs[2])), size

    def _indexed(self, expr: Expr, *, of_list: bool) -> Range | None:
        """Return how large an item can be, and note for which place it stands."""
        entry, path = self._sizes.entry(expr.args[0]), self._sizes.path(expr.args[0])
        self._sizes.note_path(expr, (*path, "@items" if of_list else "@values"))
        return entry.value if entry is not None else None


def _is_bind(fold: Fold) -> bool:
    return (
        fold.range.kind == "list"
        and not fold.range.args
        and fold.condition.kind == "const"
        and fold.condition.value is False
        and fold.accumulator != "__result__"
    )
