"""Expressions as trees: parsed by the library, expanded where it has no macros.

The library (``cel_expr_python``) parses with the language's own grammar, so findings about
syntax are worded as everywhere; what it hands back is the public ``cel.expr.ParsedExpr``
message. Comprehensions over two variables are unknown to it and are expanded here, as cel-go
does it. Pure.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

from cel_expr_python import cel
from cel_expr_python.ext import ext_bindings, ext_optional

from kubegang.apimachinery.cel.messages import compile_text
from kubegang.apimachinery.cel.runtime import UInt
from kubegang.apimachinery.cel.wire import read_parsed

ACCUMULATOR: Final = "@result"


class CelSyntaxError(ValueError):
    """A text that is no expression; the message lists the findings with their places."""


class Expr:
    """One node of an expression; which members count depends on ``kind``.

    Attributes:
        kind: ``const``, ``ident``, ``select``, ``call``, ``list``, ``map``, ``struct`` or
            ``fold`` (a comprehension).
        name: an identifier, a field, a function, or a message type.
        value: of a constant.
        target: what a field is selected of, or a member function called on.
        args: arguments, list elements, or keys and values of a map in turn.
        optional: positions of list elements or map entries that may be left out.
        test: a selection only asks whether the field is there.
        fold: the parts of a comprehension.
    """

    __slots__ = ("args", "fold", "id", "kind", "name", "optional", "target", "test", "value")

    def __init__(self, kind: str, ident: int, **members: Any) -> None:
        self.kind = kind
        self.id = ident
        self.name: str = members.get("name", "")
        self.value: Any = members.get("value")
        self.target: Expr | None = members.get("target")
        self.args: list[Expr] = members.get("args", [])
        self.optional: frozenset[int] = members.get("optional", frozenset())
        self.test: bool = members.get("test", False)
        self.fold: Fold | None = members.get("fold")

    def parts(self) -> list[Expr]:
        """Return the nodes right below this one."""
        found = [self.target] if self.target is not None else []
        found += self.args
        if self.fold is not None:
            fold = self.fold
            found += [fold.range, fold.init, fold.condition, fold.step, fold.result]
        return found


class Fold(NamedTuple):
    """The parts of a comprehension."""

    range: Expr
    first: str
    second: str
    accumulator: str
    init: Expr
    condition: Expr
    step: Expr
    result: Expr


class Parsed(NamedTuple):
    """An expression and where its nodes stand in the text."""

    text: str
    root: Expr
    offsets: dict[int, int]

    def place(self, ident: int) -> tuple[int, int]:
        """Return line and column of a node, from one."""
        offset = self.offsets.get(ident, 0)
        before = self.text[:offset]
        line = before.count("\n")
        return line + 1, offset - (before.rfind("\n") + 1) + 1


@lru_cache(maxsize=1)
def _environment() -> Any:
    return cel.NewEnv(extensions=[ext_bindings.ExtBindings(), ext_optional.ExtOptional()])


def parse(text: str) -> Parsed:
    """Parse an expression.

    Raises:
        CelSyntaxError: it is none.
    """
    try:
        serialized = _environment().compile(text, disable_check=True).serialize()
    except RuntimeError as error:
        raise CelSyntaxError(compile_text(error, text)) from error
    raw, offsets = read_parsed(bytes(serialized))
    builder = _Builder(text, offsets)
    return Parsed(text, builder.build(raw), offsets)


class _Builder:
    """Makes nodes of the decoded message and expands the macros that are left."""

    def __init__(self, text: str, offsets: dict[int, int]) -> None:
        self._text = text
        self._offsets = offsets
        self._last = max(offsets, default=0) + 1000

    def build(self, raw: dict[str, Any]) -> Expr:
        kind, ident = raw["kind"], raw["id"]
        match kind:
            case "const":
                value = UInt(raw["value"]) if raw["type"] == "uint" else raw["value"]
                return Expr("const", ident, value=value)
            case "ident":
                return Expr("ident", ident, name=raw["name"].removeprefix("."))
            case "select":
                target = self.build(raw["operand"])
                return Expr("select", ident, name=raw["field"], target=target, test=raw["test"])
            case "call":
                return self._call(raw)
            case "list":
                args = [self.build(one) for one in raw["elements"]]
                return Expr("list", ident, args=args, optional=frozenset(raw["optional"]))
            case "map":
                args = [self.build(part) for entry in raw["entries"] for part in entry]
                return Expr("map", ident, args=args, optional=frozenset(raw["optional"]))
            case "struct":
                return Expr("struct", ident, name=raw["name"])
        parts = {
            name: self.build(raw[name]) for name in ("range", "init", "condition", "step", "result")
        }
        fold = Fold(
            first=raw["first"], second=raw["second"], accumulator=raw["accumulator"], **parts
        )
        return Expr("fold", ident, fold=fold)

    def _call(self, raw: dict[str, Any]) -> Expr:
        args = [self.build(one) for one in raw["args"]]
        target = self.build(raw["target"]) if raw["target"] is not None else None
        call = Expr("call", raw["id"], name=raw["function"], target=target, args=args)
        expand = _MACROS.get((call.name, len(args)))
        if target is None or expand is None:
            return call
        return expand(self, call)

    def node(self, kind: str, near: Expr, **members: Any) -> Expr:
        """Return a node that stands where another does."""
        self._last += 1
        self._offsets[self._last] = self._offsets.get(near.id, 0)
        return Expr(kind, self._last, **members)

    def call(self, name: str, near: Expr, *args: Expr) -> Expr:
        return self.node("call", near, name=name, args=list(args))

    def refuse(self, near: Expr, what: str) -> CelSyntaxError:
        parsed = Parsed(self._text, near, self._offsets)
        return CelSyntaxError(finding(parsed, near.id, what))


def finding(parsed: Parsed, ident: int, what: str) -> str:
    """Return a finding with its place, as the language's tools print it."""
    line, column = parsed.place(ident)
    lines = parsed.text.split("\n")
    shown = lines[line - 1].replace("\t", " ") if line <= len(lines) else ""
    dots = "." * (column - 1)
    return f"ERROR: <input>:{line}:{column}: {what}\n | {shown}\n | {dots}^"


def _variable(builder: _Builder, expr: Expr, macro: str) -> str:
    if expr.kind != "ident":
        raise builder.refuse(expr, "argument must be a simple name")
    if expr.name in ("__result__", ACCUMULATOR):
        raise builder.refuse(
            expr, f"iteration variable overwrites accumulator variable: {expr.name}"
        )
    return expr.name


def _two_variables(builder: _Builder, call: Expr) -> tuple[str, str]:
    first = _variable(builder, call.args[0], call.name)
    second = _variable(builder, call.args[1], call.name)
    if first == second:
        raise builder.refuse(call.args[1], f"duplicate variable name: {first}")
    return first, second


def _fold(builder: _Builder, call: Expr, names: tuple[str, str], **parts: Expr) -> Expr:
    fold = Fold(
        range=_target(call), first=names[0], second=names[1], accumulator=ACCUMULATOR, **parts
    )
    return Expr("fold", call.id, fold=fold)


def _target(call: Expr) -> Expr:
    if call.target is None:
        raise CelSyntaxError("a macro needs a target")
    return call.target


def _accumulator(builder: _Builder, call: Expr) -> Expr:
    return builder.node("ident", call, name=ACCUMULATOR)


def _expand_all(builder: _Builder, call: Expr) -> Expr:
    names = _two_variables(builder, call)
    accu = _accumulator(builder, call)
    return _fold(
        builder,
        call,
        names,
        init=builder.node("const", call, value=True),
        condition=builder.call("@not_strictly_false", call, accu),
        step=builder.call("_&&_", call, _accumulator(builder, call), call.args[2]),
        result=_accumulator(builder, call),
    )


def _expand_exists(builder: _Builder, call: Expr) -> Expr:
    names = _two_variables(builder, call)
    negated = builder.call("!_", call, _accumulator(builder, call))
    return _fold(
        builder,
        call,
        names,
        init=builder.node("const", call, value=False),
        condition=builder.call("@not_strictly_false", call, negated),
        step=builder.call("_||_", call, _accumulator(builder, call), call.args[2]),
        result=_accumulator(builder, call),
    )


def _expand_exists_one(builder: _Builder, call: Expr) -> Expr:
    names = (
        _two_variables(builder, call)
        if len(call.args) == 3
        else (_variable(builder, call.args[0], call.name), "")
    )
    one = builder.node("const", call, value=1)
    counted = builder.call("_+_", call, _accumulator(builder, call), one)
    step = builder.call("_?_:_", call, call.args[-1], counted, _accumulator(builder, call))
    last = builder.node("const", call, value=1)
    return _fold(
        builder,
        call,
        names,
        init=builder.node("const", call, value=0),
        condition=builder.node("const", call, value=True),
        step=step,
        result=builder.call("_==_", call, _accumulator(builder, call), last),
    )


def _transformed(builder: _Builder, call: Expr, init: Expr, step: Expr) -> Expr:
    names = _two_variables(builder, call)
    if len(call.args) == 4:
        step = builder.call("_?_:_", call, call.args[2], step, _accumulator(builder, call))
    return _fold(
        builder,
        call,
        names,
        init=init,
        condition=builder.node("const", call, value=True),
        step=step,
        result=_accumulator(builder, call),
    )


def _expand_transform_list(builder: _Builder, call: Expr) -> Expr:
    item = builder.node("list", call, args=[call.args[-1]])
    step = builder.call("_+_", call, _accumulator(builder, call), item)
    return _transformed(builder, call, builder.node("list", call), step)


def _expand_transform_map(builder: _Builder, call: Expr) -> Expr:
    key = builder.node("ident", call, name=_variable(builder, call.args[0], call.name))
    step = builder.call("cel.@mapInsert", call, _accumulator(builder, call), key, call.args[-1])
    return _transformed(builder, call, builder.node("map", call), step)


def _expand_transform_entry(builder: _Builder, call: Expr) -> Expr:
    step = builder.call("cel.@mapInsert", call, _accumulator(builder, call), call.args[-1])
    return _transformed(builder, call, builder.node("map", call), step)


_MACROS: Final = {
    ("all", 3): _expand_all,
    ("exists", 3): _expand_exists,
    ("existsOne", 2): _expand_exists_one,
    ("existsOne", 3): _expand_exists_one,
    ("exists_one", 3): _expand_exists_one,
    ("transformList", 3): _expand_transform_list,
    ("transformList", 4): _expand_transform_list,
    ("transformMap", 3): _expand_transform_map,
    ("transformMap", 4): _expand_transform_map,
    ("transformMapEntry", 3): _expand_transform_entry,
    ("transformMapEntry", 4): _expand_transform_entry,
}
