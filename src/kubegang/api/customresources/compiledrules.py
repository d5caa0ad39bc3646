"""Validation rules of one place in a schema, compiled: programs, findings, estimated costs.

Compiling needs the schema only, so it is done once per version of a definition. Pure.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kubegang.api.customresources.celtypes import REQUEST_BYTES, type_of
from kubegang.api.customresources.fieldpaths import FieldPathError, find_field
from kubegang.api.customresources.nodes import SchemaNode
from kubegang.apimachinery.cel import types
from kubegang.apimachinery.cel.checking import Checked, CheckError, check
from kubegang.apimachinery.cel.costs import estimate
from kubegang.apimachinery.cel.evaluating import Program
from kubegang.apimachinery.cel.ranges import MOST
from kubegang.apimachinery.cel.syntax import CelSyntaxError, parse
from kubegang.apimachinery.cel.types import CelType
from kubegang.apimachinery.objects import JsonObject

SELF, OLD_SELF = "self", "oldSelf"


class CompiledRule(NamedTuple):
    """One rule.

    Attributes:
        rule: as written.
        program: ``None`` if the rule is empty or does not compile.
        problem: why it does not compile.
        message: computes the message, if the rule has an expression for it.
        message_problem: why that one does not compile.
        cost: the most that one evaluation can cost.
        message_cost: the same of the message.
        uses_old: it compares with the old value.
        path: where errors are told, relative to the place of the rule.
    """

    rule: JsonObject
    program: Program | None = None
    problem: str = ""
    message: Program | None = None
    message_problem: str = ""
    cost: int = 0
    message_cost: int = 0
    uses_old: bool = False
    path: str = ""


def compile_rules(node: SchemaNode, *, root: bool) -> list[CompiledRule]:
    """Compile the rules of one place; empty if expressions do not see values there."""
    kind = type_of(node, root=root)
    if kind is None:
        return []
    return [_compile(rule, node, kind) for rule in node.rules]


def most_often(kind: CelType) -> int:
    """Return how often a value of a type can stand in one request."""
    return REQUEST_BYTES // (kind.smallest + 1)


def _compile(rule: JsonObject, node: SchemaNode, kind: CelType) -> CompiledRule:
    text = rule.get("rule") or ""
    if not text.strip():
        return CompiledRule(rule)
    old = types.optional_of(kind) if rule.get("optionalOldSelf") else kind
    variables = {SELF: kind, OLD_SELF: old}
    checked = _checked(text, variables)
    if isinstance(checked, str):
        return CompiledRule(rule, problem=f"compilation failed: {checked}")
    if checked.result != types.BOOL:
        return CompiledRule(rule, problem="cel expression must evaluate to a bool")
    compiled = CompiledRule(
        rule,
        program=Program(checked),
        cost=estimate(checked, {SELF: kind, OLD_SELF: kind}),
        uses_old=OLD_SELF in checked.variables,
        path=_relative_path(rule, node),
    )
    return _with_message(compiled, variables, kind)


def _with_message(
    compiled: CompiledRule, variables: dict[str, CelType], kind: CelType
) -> CompiledRule:
    text = compiled.rule.get("messageExpression") or ""
    if not text:
        return compiled
    checked = _checked(text, variables)
    if isinstance(checked, str):
        problem = f"messageExpression compilation failed: {checked}"
        return compiled._replace(message_problem=problem)
    if checked.result != types.STRING:
        problem = "messageExpression must evaluate to a string"
        return compiled._replace(message_problem=problem)
    cost = estimate(checked, {SELF: kind, OLD_SELF: kind})
    return compiled._replace(message=Program(checked), message_cost=cost)


def _checked(text: str, variables: dict[str, CelType]) -> Checked | str:
    try:
        return check(parse(text), variables)
    except (CelSyntaxError, CheckError) as error:
        return str(error)
    except RecursionError:
        return "expression is nested too deeply"


def _relative_path(rule: JsonObject, node: SchemaNode) -> str:
    text = rule.get("fieldPath") or ""
    if not text:
        return ""
    try:
        return str(find_field(text, node).path)
    except FieldPathError:
        return ""


def multiplied(cost: int, times: int) -> int:
    """Return a cost as often as it can arise."""
    return min(cost * times, MOST)


def any_rules(node: Any) -> bool:
    """Return whether a schema has rules anywhere."""
    return bool(node.rules) or any(any_rules(below) for _, below in node.children())
