"""Computing expressions: a tree becomes closures once, which are called for every object.

What an expression costs is counted as cel-go counts it, and a limit stops it; so no rule can
keep the server busy for long. Errors are exceptions; logical operators and comprehensions
hold on to them until they know whether the other side decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from kubegang.apimachinery.cel import library
from kubegang.apimachinery.cel.actualcost import call_cost
from kubegang.apimachinery.cel.checking import Checked
from kubegang.apimachinery.cel.runtime import (
    NONE,
    CostLimitError,
    EvalError,
    Optional,
    StructValue,
    TypeValue,
    no_key,
    no_overload,
)
from kubegang.apimachinery.cel.syntax import Expr, Fold

PER_CALL_LIMIT: Final = 1_000_000
"""The cost at which one evaluation is stopped (upstream's PerCallLimit)."""

_LIST_COST, _MAP_COST, _STRUCT_COST = 10, 30, 40


class Frame:
    """One evaluation: its variables, and what it has cost so far."""

    __slots__ = ("cost", "limit", "variables")

    def __init__(self, variables: dict[str, Any], limit: int) -> None:
        self.variables = variables
        self.cost = 0
        self.limit = limit

    def charge(self, cost: int) -> None:
        """Count a cost.

        Raises:
            CostLimitError: it is too much.
        """
        self.cost += cost
        if self.cost > self.limit:
            raise CostLimitError


Step = Callable[[Frame], Any]


class Program:
    """A checked expression, ready to be computed."""

    __slots__ = ("_step", "checked")

    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self._step = _Compiler(checked).compile(checked.parsed.root)

    def evaluate(
        self, variables: Mapping[str, Any], *, limit: int = PER_CALL_LIMIT
    ) -> tuple[Any, int]:
        """Return the value for some variables, and what it cost; the value may be the error.

        A cost above the limit is an error, too.
        """
        frame = Frame(dict(variables), limit)
        try:
            return self._step(frame), frame.cost
        except EvalError as error:
            return error, frame.cost
        except RecursionError:
            return EvalError("expression is nested too deeply"), frame.cost


class _Compiler:
    def __init__(self, checked: Checked) -> None:
        self._checked = checked

    def compile(self, expr: Expr) -> Step:
        compile_kind = _KINDS[expr.kind]
        step: Step = compile_kind(self, expr)
        return step

    def _const(self, expr: Expr) -> Step:
        value = expr.value
        return lambda _: value

    def _ident(self, expr: Expr) -> Step:
        name = expr.name

        def step(frame: Frame) -> Any:
            frame.charge(1)
            variables = frame.variables
            if name not in variables:
                return TypeValue(name)
            value = variables[name]
            if isinstance(value, EvalError):
                raise value
            return value

        return step

    def _select(self, expr: Expr) -> Step:
        if expr.id in self._checked.names:
            named = TypeValue(self._checked.names[expr.id])
            return lambda _: named
        target = self.compile(_needed(expr.target))
        name = expr.name
        if expr.test:
            return lambda frame: _has(target(frame), name)

        def step(frame: Frame) -> Any:
            value = target(frame)
            frame.charge(1)
            return _field(value, name)

        return step

    def _list(self, expr: Expr) -> Step:
        steps = [self.compile(one) for one in expr.args]
        optional = expr.optional

        def step(frame: Frame) -> Any:
            values = []
            for position, one in enumerate(steps):
                value = one(frame)
                if position in optional:
                    if value.present:
                        values.append(value.value)
                else:
                    values.append(value)
            frame.charge(_LIST_COST)
            return values

        return step

    def _map(self, expr: Expr) -> Step:
        pairs = [
            (self.compile(expr.args[i]), self.compile(expr.args[i + 1]), i // 2 in expr.optional)
            for i in range(0, len(expr.args), 2)
        ]

        def step(frame: Frame) -> Any:
            values: dict[Any, Any] = {}
            for key_step, value_step, optional in pairs:
                key, value = key_step(frame), value_step(frame)
                if optional:
                    if not value.present:
                        continue
                    value = value.value
                if key in values:
                    raise EvalError(f"insert failed: key {key} already exists")
                values[key] = value
            frame.charge(_MAP_COST)
            return values

        return step

    def _struct(self, expr: Expr) -> Step:
        def step(frame: Frame) -> Any:
            frame.charge(_STRUCT_COST)
            raise EvalError(f"unknown type: {expr.name}")

        return step

    def _call(self, expr: Expr) -> Step:
        special = _SPECIAL.get((expr.name, len(expr.args)))
        if special is not None and expr.target is None:
            found: Step = special(self, expr)
            return found
        name = self._checked.names.get(expr.id, expr.name)
        member = expr.target is not None and expr.id not in self._checked.names
        sources = [_needed(expr.target)] if member else []
        steps = [self.compile(one) for one in (*sources, *expr.args)]
        function = library.FUNCTIONS[name]
        ids = self._checked.overloads.get(expr.id) or [""]

        def step(frame: Frame) -> Any:
            values = [one(frame) for one in steps]
            frame.charge(call_cost(name, ids[0], values))
            return function(*values)

        return step

    def _and(self, expr: Expr) -> Step:
        return self._logical(expr, decides=False)

    def _or(self, expr: Expr) -> Step:
        return self._logical(expr, decides=True)

    def _logical(self, expr: Expr, *, decides: bool) -> Step:
        left, right = self.compile(expr.args[0]), self.compile(expr.args[1])

        def step(frame: Frame) -> Any:
            problem: EvalError | None = None
            for side in (left, right):
                try:
                    value = side(frame)
                except CostLimitError:
                    raise
                except EvalError as error:
                    problem = problem or error
                    continue
                if not isinstance(value, bool):
                    problem = problem or no_overload()
                elif value is decides:
                    return decides
            if problem is not None:
                raise problem
            return not decides

        return step

    def _not_strictly_false(self, expr: Expr) -> Step:
        inner = self.compile(expr.args[0])

        def step(frame: Frame) -> Any:
            try:
                return inner(frame) is not False
            except CostLimitError:
                raise
            except EvalError:
                return True

        return step

    def _conditional(self, expr: Expr) -> Step:
        condition, yes, no = (self.compile(one) for one in expr.args)

        def step(frame: Frame) -> Any:
            value = condition(frame)
            if not isinstance(value, bool):
                raise no_overload()
            return yes(frame) if value else no(frame)

        return step

    def _optional_field(self, expr: Expr) -> Step:
        target, name = self.compile(expr.args[0]), str(expr.args[1].value)

        def step(frame: Frame) -> Any:
            value = target(frame)
            frame.charge(1)
            if isinstance(value, Optional):
                if not value.present:
                    return NONE
                value = value.value
            return Optional(_field(value, name)) if _has(value, name) else NONE

        return step

    def _index(self, expr: Expr) -> Step:
        target, key = self.compile(expr.args[0]), self.compile(expr.args[1])

        def step(frame: Frame) -> Any:
            value = target(frame)
            at = key(frame)
            frame.charge(1)
            if isinstance(value, Optional):
                return _optional_at(value, at)
            return library.at_index(value, at)

        return step

    def _optional_index(self, expr: Expr) -> Step:
        target, key = self.compile(expr.args[0]), self.compile(expr.args[1])

        def step(frame: Frame) -> Any:
            value, at = target(frame), key(frame)
            frame.charge(1)
            return _optional_at(value if isinstance(value, Optional) else Optional(value), at)

        return step

    def _fold(self, expr: Expr) -> Step:
        if expr.fold is None:
            raise EvalError("a comprehension without parts")
        fold = expr.fold
        ranged, init = self.compile(fold.range), self.compile(fold.init)
        condition, advance = self.compile(fold.condition), self.compile(fold.step)
        result = self.compile(fold.result)

        def step(frame: Frame) -> Any:
            values = ranged(frame)
            before = dict(frame.variables)
            try:
                frame.variables[fold.accumulator] = init(frame)
                for first, second in _pairs(values, fold):
                    frame.variables[fold.first] = first
                    if fold.second:
                        frame.variables[fold.second] = second
                    if condition(frame) is False:
                        break
                    frame.variables[fold.accumulator] = _held(advance, frame)
                return result(frame)
            finally:
                frame.variables = before

        return step


def _held(advance: Step, frame: Frame) -> Any:
    """Return the next value of an accumulator, which may be an error for now."""
    try:
        return advance(frame)
    except CostLimitError:
        raise
    except EvalError as error:
        return error


def _pairs(values: Any, fold: Fold) -> list[tuple[Any, Any]]:
    if isinstance(values, list):
        if fold.second:
            return list(enumerate(values))
        return [(value, None) for value in values]
    if isinstance(values, dict):
        return list(values.items())
    raise no_overload()


def _optional_at(value: Optional, at: Any) -> Optional:
    if not value.present:
        return NONE
    try:
        return Optional(library.at_index(value.value, at))
    except EvalError as error:
        if str(error).startswith(("no such key", "index out of bounds")):
            return NONE
        raise


def _needed(expr: Expr | None) -> Expr:
    if expr is None:
        raise EvalError("a part of the expression is missing")
    return expr


def _has(value: Any, name: str) -> bool:
    if isinstance(value, Optional):
        return value.present and _has(value.value, name)
    if isinstance(value, StructValue):
        return value.has(name)
    if isinstance(value, dict):
        return name in value
    raise no_overload()


def _field(value: Any, name: str) -> Any:
    if isinstance(value, StructValue):
        return value.get(name)
    if isinstance(value, dict):
        if name not in value:
            raise no_key(name)
        return value[name]
    if isinstance(value, Optional):
        if not value.present or not _has(value.value, name):
            return NONE
        return Optional(_field(value.value, name))
    raise no_overload()


_SPECIAL: Final[dict[tuple[str, int], Any]] = {
    ("_&&_", 2): _Compiler._and,
    ("_||_", 2): _Compiler._or,
    ("_?_:_", 3): _Compiler._conditional,
    ("@not_strictly_false", 1): _Compiler._not_strictly_false,
    ("_?._", 2): _Compiler._optional_field,
    ("_[_]", 2): _Compiler._index,
    ("_[?_]", 2): _Compiler._optional_index,
}

_KINDS: Final[dict[str, Any]] = {
    "const": _Compiler._const,
    "ident": _Compiler._ident,
    "select": _Compiler._select,
    "call": _Compiler._call,
    "list": _Compiler._list,
    "map": _Compiler._map,
    "struct": _Compiler._struct,
    "fold": _Compiler._fold,
}
