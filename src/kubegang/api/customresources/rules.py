"""Validation rules at work: which are asked about which part of an object, and what they say.

Rules on an unchanged part of an update are forgiven what they find, unless they compare old
and new (KEP-4008). All rules together may cost so much and no more. Texts are upstream's.

Pure, apart from compiled programs that are kept.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, NamedTuple

from kubegang.api.customresources.celtypes import value_of
from kubegang.api.customresources.compiledrules import (
    OLD_SELF,
    SELF,
    CompiledRule,
    any_rules,
    compile_rules,
)
from kubegang.api.customresources.correlation import NOTHING, old_item, same
from kubegang.api.customresources.nodes import SchemaNode
from kubegang.apimachinery.cel.runtime import NONE, CostLimitError, EvalError, Optional
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    required,
)
from kubegang.apimachinery.objects import JsonObject

BUDGET: Final = 10_000_000
"""What all rules on one object may cost together (upstream's RuntimeCELCostBudget)."""

_LONGEST_MESSAGE: Final = 5 * 1024
_OUT_OF_BUDGET: Final = (
    "validation failed due to running out of cost budget, no further validation rules will be run"
)


class _Stopped(Exception):  # noqa: N818 - ends the walk; what is wrong is in the errors
    """No further rules are asked."""


class _Part(NamedTuple):
    """A part of an object, and the old value that it stands for.

    Attributes:
        unchanged: it, or what it is part of, is what it was.
    """

    value: Any
    old: Any
    path: Path | None
    unchanged: bool


class RuleSet:
    """The rules of a schema."""

    def __init__(self, node: SchemaNode, *, root: bool = False) -> None:
        self._node = node
        self._root = root
        self._compiled: dict[int, list[CompiledRule]] = {}

    @cached_property
    def exist(self) -> bool:
        """Whether there are any."""
        return any_rules(self._node)

    def create_errors(self, obj: JsonObject) -> list[FieldError]:
        """Return what the rules say about a new object."""
        return self._run(_Part(obj, NOTHING, None, unchanged=False))

    def update_errors(self, new: JsonObject, old: JsonObject) -> list[FieldError]:
        """Return what the rules say about a changed object."""
        return self._run(_Part(new, old, None, unchanged=same(new, old)))

    def default_errors(self, value: Any, path: Path) -> list[FieldError]:
        """Return what the rules say about a default: as it stands, and when it comes in."""
        found = self._run(_Part(value, value, path, unchanged=False))
        return found or self._run(_Part(value, NOTHING, path, unchanged=False))

    def _run(self, part: _Part) -> list[FieldError]:
        if not self.exist:
            return []
        walk = _Walk(self)
        try:
            walk.visit(self._node, part, root=self._root)
        except _Stopped:
            return walk.errors
        return walk.errors

    def compiled(self, node: SchemaNode, *, root: bool) -> list[CompiledRule]:
        """Return the rules of one place, compiled when they are first asked for."""
        found = self._compiled.get(id(node))
        if found is None:
            found = self._compiled[id(node)] = compile_rules(node, root=root)
        return found


class _Walk:
    """One walk over an object."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._left = BUDGET
        self.errors: list[FieldError] = []

    def visit(self, node: SchemaNode, part: _Part, *, root: bool = False) -> None:
        if part.value is None:
            return
        if node.rules:
            self._ask(node, part, root=root)
        if isinstance(part.value, list) and node.items is not None:
            for position, item in enumerate(part.value):
                before = NOTHING if part.old is NOTHING else old_item(part.old, item, node)
                path = (part.path or Path()).index(position)
                self._below(node.items, item, before, part=part, path=path)
        elif isinstance(part.value, dict):
            for name, member in part.value.items():
                below = node.member(name)
                if below is not None:
                    before = part.old.get(name, NOTHING) if isinstance(part.old, dict) else NOTHING
                    here = part.path or Path()
                    path = here.child(name) if name in node.properties else here.key(name)
                    self._below(below, member, before, part=part, path=path)

    def _below(self, node: SchemaNode, value: Any, old: Any, *, part: _Part, path: Path) -> None:
        unchanged = same(value, old) if old is not NOTHING else part.unchanged
        self.visit(node, _Part(value, old, path, unchanged), root=node.embedded)

    def _ask(self, node: SchemaNode, part: _Part, *, root: bool) -> None:
        kind = "object" if root else node.type
        path = part.path or Path("<nil>")
        has_old = part.old is not NOTHING and part.old is not None
        try:
            current = value_of(part.value, node, root=root)
            old = value_of(part.old, node, root=root) if has_old else None
        except EvalError as error:
            current, old = error, None
        for rule in self._rules.compiled(node, root=root):
            if rule.problem:
                self.errors.append(invalid_value(path, kind, f"rule compile error: {rule.problem}"))
                continue
            optional = bool(rule.rule.get("optionalOldSelf"))
            if rule.program is None or (rule.uses_old and not has_old and not optional):
                continue
            variables: dict[str, Any] = {SELF: current}
            if optional:
                variables[OLD_SELF] = Optional(old) if has_old else NONE
            elif has_old:
                variables[OLD_SELF] = old
            self._ask_one(rule, variables, part, path, kind)

    def _ask_one(
        self, rule: CompiledRule, variables: dict[str, Any], part: _Part, path: Path, kind: str
    ) -> None:
        if rule.program is None:
            return
        result, cost = rule.program.evaluate(variables)
        self._spend(cost, path, kind)
        if isinstance(result, EvalError):
            self.errors.append(invalid_value(path, kind, _failed(result, rule.rule)))
            if isinstance(result, CostLimitError):
                raise _Stopped
            return
        if result is True:
            return
        message = self._message(rule, variables, path, kind)
        if part.unchanged and not rule.uses_old:
            return
        where = path.child(rule.path) if rule.path and part.path is not None else path
        if rule.path and part.path is None:
            where = Path(rule.path)
        self.errors.append(_error(rule.rule, where, part.value, message))

    def _spend(self, cost: int, path: Path, kind: str) -> None:
        self._left -= cost
        if self._left < 0:
            self.errors.append(invalid_value(path, kind, _OUT_OF_BUDGET))
            raise _Stopped

    def _message(self, rule: CompiledRule, variables: dict[str, Any], path: Path, kind: str) -> str:
        if rule.message is not None:
            result, cost = rule.message.evaluate(variables)
            if isinstance(result, CostLimitError) or cost > self._left:
                text = (
                    "messageExpression evaluation failed due to running out of cost budget, no "
                    "further validation rules will be run"
                )
                self.errors.append(invalid_value(path, kind, text))
                raise _Stopped
            self._left -= cost
            text = result.strip() if isinstance(result, str) else ""
            if text and "\n" not in text and len(text.encode()) <= _LONGEST_MESSAGE:
                return text
        said = (rule.rule.get("message") or "").strip()
        return said or f"failed rule: {_shown(rule.rule)}"


def _shown(rule: JsonObject) -> str:
    return (rule.get("message") or "").strip() or str(rule["rule"]).strip()


def _failed(error: EvalError, rule: JsonObject) -> str:
    text = str(error)
    if text.startswith("no such overload"):
        return (
            f"'{text}': call arguments did not match a supported operator, function or macro "
            f"signature for rule: {_shown(rule)}"
        )
    if isinstance(error, CostLimitError):
        return (
            f"'{text}': no further validation rules will be run due to call cost exceeds limit "
            f"for rule: {_shown(rule)}"
        )
    return f"{text} evaluating rule: {_shown(rule)}"


def _error(rule: JsonObject, path: Path, value: Any, message: str) -> FieldError:
    match rule.get("reason"):
        case "FieldValueForbidden":
            return forbidden_field(path, message)
        case "FieldValueRequired":
            return required(path, message)
        case "FieldValueDuplicate":
            return (
                _whole_duplicate(path) if isinstance(value, dict | list) else duplicate(path, value)
            )
    if isinstance(value, dict | list):
        return FieldError("FieldValueInvalid", str(path), f"Invalid value: {message}")
    return invalid_value(path, value, message)


def _whole_duplicate(path: Path) -> FieldError:
    return FieldError("FieldValueDuplicate", str(path), "Duplicate value")
