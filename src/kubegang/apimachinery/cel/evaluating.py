"""Computing expressions: a tree becomes closures once, which are called for every object.

What an expression costs is counted as cel-go counts it, and a limit stops it; so no rule can
keep the server busy for long. Errors are exceptions; logical operators and comprehensions
hold on to them until they know whether the other side decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from kubegang.apimachinery.cel import library
from kubegang.apimachinery.cel.access import field, has, pairs
from kubegang.apimachinery.cel.actualcost import call_cost
from kubegang.apimachinery.cel.checking import Checked
from kubegang.apimachinery.cel.frames import Frame, Step
from kubegang.apimachinery.cel.lazysteps import (
    conditional,
    held,
    index,
    logical,
    not_strictly_false,
    optional_field,
    optional_index,
)
from kubegang.apimachinery.cel.runtime import EvalError, TypeValue
from kubegang.apimachinery.cel.syntax import Expr

PER_CALL_LIMIT: Final = 1_000_000
"""The cost at which one evaluation is stopped (upstream's PerCallLimit)."""

_LIST_COST, _MAP_COST, _STRUCT_COST = 10, 30, 40


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
            return lambda frame: has(target(frame), name)

        def step(frame: Frame) -> Any:
            value = target(frame)
            frame.charge(1)
            return field(value, name)

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
        lazy = self._lazy(expr) if expr.target is None else None
        if lazy is not None:
            return lazy
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

    def _lazy(self, expr: Expr) -> Step | None:
        """Return the step of a call that does not just compute all its arguments."""
        if expr.name == "_?._" and len(expr.args) == 2:
            return optional_field(self.compile(expr.args[0]), str(expr.args[1].value))
        make = _LAZY.get((expr.name, len(expr.args)))
        return None if make is None else make(*map(self.compile, expr.args))

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
                for first, second in pairs(values, fold):
                    frame.variables[fold.first] = first
                    if fold.second:
                        frame.variables[fold.second] = second
                    if condition(frame) is False:
                        break
                    frame.variables[fold.accumulator] = held(advance, frame)
                return result(frame)
            finally:
                frame.variables = before

        return step


def _needed(expr: Expr | None) -> Expr:
    if expr is None:
        raise EvalError("a part of the expression is missing")
    return expr


_LAZY: Final[dict[tuple[str, int], Callable[..., Step]]] = {
    ("_&&_", 2): partial(logical, decides=False),
    ("_||_", 2): partial(logical, decides=True),
    ("_?_:_", 3): conditional,
    ("@not_strictly_false", 1): not_strictly_false,
    ("_[_]", 2): index,
    ("_[?_]", 2): optional_index,
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
