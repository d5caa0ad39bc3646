"""The types of an expression: what each part is, which overloads a call means, what is wrong.

Findings are worded as cel-go words them, with line, column and the line itself (compared with
kube-apiserver 1.37.2). A finding about a part leaves its type unknown, so that one mistake is
told once. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kubegang.apimachinery.cel import types
from kubegang.apimachinery.cel.declarations import functions
from kubegang.apimachinery.cel.literals import literal_problems
from kubegang.apimachinery.cel.resolving import no_overload, resolve
from kubegang.apimachinery.cel.syntax import Expr, Fold, Parsed, finding
from kubegang.apimachinery.cel.typenames import TYPE_NAMES, type_of_value
from kubegang.apimachinery.cel.types import CelType, Substitution


class CheckError(ValueError):
    """An expression that is ill-typed; the message lists the findings."""


class Checked(NamedTuple):
    """An expression with the types of its nodes.

    Attributes:
        types: by node.
        overloads: the ids of the overloads that a call may mean, by node.
        names: the identifiers and functions that stand for dotted names, by node.
        variables: the variables that are used.
    """

    parsed: Parsed
    result: CelType
    types: dict[int, CelType]
    overloads: dict[int, list[str]]
    names: dict[int, str]
    variables: frozenset[str]


def check(parsed: Parsed, variables: Mapping[str, CelType]) -> Checked:
    """Return the types of an expression.

    Raises:
        CheckError: it is ill-typed.
    """
    checker = _Checker(parsed, variables)
    result = checker.type_of(parsed.root)
    checker.finish()
    if checker.findings:
        raise CheckError("\n".join(dict.fromkeys(checker.findings)))
    apply = checker.known.apply
    settled = {ident: apply(found, to_dyn=True) for ident, found in checker.types.items()}
    return Checked(
        parsed,
        apply(result, to_dyn=True),
        settled,
        checker.overloads,
        checker.names,
        frozenset(checker.used),
    )


class _Checker:
    def __init__(self, parsed: Parsed, variables: Mapping[str, CelType]) -> None:
        self._parsed = parsed
        self._scopes: list[Mapping[str, CelType]] = [variables]
        self._variables = variables
        self.findings: list[str] = []
        self.types: dict[int, CelType] = {}
        self.overloads: dict[int, list[str]] = {}
        self.names: dict[int, str] = {}
        self.used: set[str] = set()
        self.known = Substitution()
        # Inside what is formatted, values of all types may stand side by side.
        self._mixed = 0

    def finish(self) -> None:
        """Look at the literals, once types are known to fit."""
        if not self.findings:
            for literal, problem in literal_problems(self._parsed.root, self.names):
                self._tell(literal, problem)

    def type_of(self, expr: Expr) -> CelType:
        found: CelType = _KINDS[expr.kind](self, expr)
        self.types[expr.id] = found
        return found

    def _tell(self, expr: Expr, what: str) -> CelType:
        self.findings.append(finding(self._parsed, expr.id, what))
        return types.ERROR

    def _const(self, expr: Expr) -> CelType:
        return type_of_value(expr.value)

    def _ident(self, expr: Expr) -> CelType:
        found = self._look_up(expr.name)
        if found is None:
            return self._undeclared(expr, expr.name)
        return found

    def _undeclared(self, expr: Expr, name: str) -> CelType:
        return self._tell(expr, f"undeclared reference to '{name}' (in container '')")

    def _look_up(self, name: str) -> CelType | None:
        for scope in reversed(self._scopes):
            if name in scope:
                if scope is self._variables:
                    self.used.add(name)
                return scope[name]
        kind = TYPE_NAMES.get(name)
        return None if kind is None else types.type_of_type(kind)

    def _select(self, expr: Expr) -> CelType:
        dotted = _dotted(expr)
        if dotted and not expr.test and self._look_up(dotted.partition(".")[0]) is None:
            kind = TYPE_NAMES.get(dotted)
            if kind is not None:
                self.names[expr.id] = dotted
                return types.type_of_type(kind)
        target = self.known.apply(self.type_of(_target(expr)))
        found = self._field(expr, target, expr.name, optional=False)
        return types.BOOL if expr.test else found

    def _field(self, expr: Expr, target: CelType, name: str, *, optional: bool) -> CelType:
        inner = target
        if target.name == "optional_type" and target.params:
            inner, optional = self.known.apply(target.params[0]), True
        found = self._plain_field(expr, inner, name)
        return types.optional_of(found) if optional and found is not types.ERROR else found

    def _plain_field(self, expr: Expr, target: CelType, name: str) -> CelType:
        if target.is_param:
            self.known.assignable(target, types.DYN)
            return types.DYN
        if target.name in ("dyn", "error"):
            return types.DYN
        if target.name == "map":
            if not self.known.assignable(types.STRING, target.params[0]):
                return self._tell(expr, f"expected type '{target.params[0]}' but found 'string'")
            return target.params[1]
        if target.fields is not None:
            found = target.fields.get(name)
            return found if found is not None else self._tell(expr, f"undefined field '{name}'")
        return self._tell(expr, f"type '{target}' does not support field selection")

    def _call(self, expr: Expr) -> CelType:
        if expr.name == "_?._" and len(expr.args) == 2:
            target = self.known.apply(self.type_of(expr.args[0]))
            self.types[expr.args[1].id] = types.STRING
            self.overloads[expr.id] = ["select_optional_field"]
            return self._field(expr, target, str(expr.args[1].value), optional=True)
        name, target_expr = expr.name, expr.target
        if target_expr is not None:
            dotted = _dotted(target_expr)
            qualified = f"{dotted}.{name}"
            if (
                dotted
                and qualified in functions()
                and self._look_up(dotted.partition(".")[0]) is None
            ):
                self.names[expr.id] = qualified
                name, target_expr = qualified, None
        overloads = functions().get(name)
        if overloads is None:
            for arg in expr.args:
                self.type_of(arg)
            if target_expr is not None:
                self.type_of(target_expr)
            return self._undeclared(expr, name)
        found = [] if target_expr is None else [self.type_of(target_expr)]
        self._mixed += name == "format"
        found += [self.type_of(arg) for arg in expr.args]
        self._mixed -= name == "format"
        member = target_expr is not None
        meaning = resolve(overloads, found, known=self.known, member=member)
        if meaning is None:
            shown = [self.known.apply(one, to_dyn=True) for one in found]
            return self._tell(expr, no_overload(name, shown, member=member))
        self.overloads[expr.id] = meaning.overloads
        return meaning.result

    def _list(self, expr: Expr) -> CelType:
        item: CelType | None = None
        for position, element in enumerate(expr.args):
            found = self._entry(element, optional=position in expr.optional)
            item = self._joined(element, item, found)
        return types.list_of(item if item is not None else self.known.fresh())

    def _map(self, expr: Expr) -> CelType:
        key: CelType | None = None
        value: CelType | None = None
        for position in range(0, len(expr.args), 2):
            key_expr, value_expr = expr.args[position], expr.args[position + 1]
            key = self._joined(key_expr, key, self.type_of(key_expr))
            found = self._entry(value_expr, optional=position // 2 in expr.optional)
            value = self._joined(value_expr, value, found)
        return types.map_of(
            key if key is not None else self.known.fresh(),
            value if value is not None else self.known.fresh(),
        )

    def _entry(self, expr: Expr, *, optional: bool) -> CelType:
        found = self.known.apply(self.type_of(expr))
        if not optional:
            return found
        if found.name == "optional_type":
            return found.params[0]
        if found.name in ("dyn", "error"):
            return found
        return self._tell(expr, f"expected type 'optional_type({found})' but found '{found}'")

    def _joined(self, expr: Expr, known: CelType | None, found: CelType) -> CelType:
        """Return the one type of literals that stand side by side; mixed ones are refused."""
        if known is None or known.name == "error":
            return found
        if self.known.assignable(found, known):
            return known
        if self.known.assignable(known, found):
            return found
        if self._mixed:
            return types.DYN
        self._tell(
            expr,
            f"expected type '{self.known.apply(known)}' but found '{self.known.apply(found)}'",
        )
        return known

    def _struct(self, expr: Expr) -> CelType:
        return self._undeclared(expr, expr.name)

    def _fold(self, expr: Expr) -> CelType:
        fold = _fold_of(expr)
        ranged = self.known.apply(self.type_of(fold.range))
        accumulated = self.type_of(fold.init)
        first, second = self._iterated(fold, ranged)
        self._scopes.append({fold.accumulator: accumulated})
        variables = {fold.first: first}
        if fold.second:
            variables[fold.second] = second
        self._scopes.append(variables)
        self._expect(fold.condition, types.BOOL)
        self._expect(fold.step, accumulated)
        self._scopes.pop()
        result = self.type_of(fold.result)
        self._scopes.pop()
        return self.known.apply(result)

    def _iterated(self, fold: Fold, ranged: CelType) -> tuple[CelType, CelType]:
        match ranged.name if not ranged.is_param else "dyn":
            case "list":
                item = ranged.params[0]
                return (types.INT, item) if fold.second else (item, item)
            case "map":
                return ranged.params[0], ranged.params[1]
            case "dyn" | "error":
                if ranged.is_param:
                    self.known.assignable(ranged, types.DYN)
                return types.DYN, types.DYN
        what = (
            f"expression of type '{ranged}' cannot be range of a comprehension "
            "(must be list, map, or dynamic)"
        )
        self._tell(fold.range, what)
        return types.ERROR, types.ERROR

    def _expect(self, expr: Expr, wanted: CelType) -> None:
        found = self.type_of(expr)
        if not self.known.assignable(found, wanted):
            shown = self.known.apply(wanted), self.known.apply(found)
            self._tell(expr, f"expected type '{shown[0]}' but found '{shown[1]}'")


_KINDS: Final[dict[str, Any]] = {
    "const": _Checker._const,
    "ident": _Checker._ident,
    "select": _Checker._select,
    "call": _Checker._call,
    "list": _Checker._list,
    "map": _Checker._map,
    "struct": _Checker._struct,
    "fold": _Checker._fold,
}


def _target(expr: Expr) -> Expr:
    return expr.target if expr.target is not None else expr


def _fold_of(expr: Expr) -> Fold:
    if expr.fold is None:
        raise CheckError("a comprehension without parts")
    return expr.fold


def _dotted(expr: Expr) -> str:
    """Return ``a.b.c`` for selections of names, else nothing."""
    if expr.kind == "ident":
        return expr.name
    if expr.kind == "select" and not expr.test and expr.target is not None:
        before = _dotted(expr.target)
        return f"{before}.{expr.name}" if before else ""
    return ""
