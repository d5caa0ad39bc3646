"""Validation of the rules in a schema: whether they compile, and what they could cost.

A rule may cost so much for one request, however often its place can occur in it, and all
rules of a version together ten times as much. Texts are upstream's. Pure.
"""

from __future__ import annotations

from typing import Any, Final

from kubegang.api.customresources.celtypes import type_of
from kubegang.api.customresources.compiledrules import (
    compile_rules,
    most_often,
    multiplied,
)
from kubegang.api.customresources.nodes import SchemaNode
from kubegang.apimachinery.cel.ranges import MOST
from kubegang.apimachinery.field import FieldError, Path, forbidden_field, invalid_value
from kubegang.apimachinery.objects import JsonObject

RULE_LIMIT: Final = 10_000_000
TOTAL_LIMIT: Final = 100_000_000
_ADVICE: Final = (
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, "
    "maps, and strings are declared)"
)


class RuleChecks:
    """The checks of all rules of one schema, which share a budget."""

    def __init__(self, root: SchemaNode, *, suppress_costs: bool) -> None:
        self._suppress_costs = suppress_costs
        self._root = root
        self._total = 0
        self._expensive: list[tuple[int, Path]] = []
        self._bounds: dict[int, int | None] = {}
        self._nodes: dict[int, tuple[SchemaNode, bool]] = {}
        self._remember(root, 1, root=True)

    def errors(
        self, schema: JsonObject, path: Path, *, uncorrelated: Path | None
    ) -> list[FieldError]:
        """Return what is wrong with the rules at one place."""
        found = self._nodes.get(id(schema))
        if found is None:
            return []
        node, root = found
        kind = type_of(node, root=root)
        if kind is None:
            text = (
                "Internal error: internal error: failed to retrieve type information for "
                "x-kubernetes-validations"
            )
            where = path.child("x-kubernetes-validations")
            return [FieldError("InternalError", str(where), text)]
        often = self._bounds[id(schema)]
        times = most_often(kind) if often is None else often
        errors: list[FieldError] = []
        for position, rule in enumerate(compile_rules(node, root=root)):
            where = path.child("x-kubernetes-validations").index(position)
            errors += self._cost_errors(
                multiplied(rule.cost, times), where.child("rule"), "estimated rule cost"
            )
            if rule.problem:
                errors.append(invalid_value(where.child("rule"), _ordered(rule.rule), rule.problem))
            if rule.message_problem:
                errors.append(
                    invalid_value(
                        where.child("messageExpression"), _ordered(rule.rule), rule.message_problem
                    )
                )
            elif rule.message is not None:
                what = "estimated messageExpression cost"
                errors += self._cost_errors(
                    rule.message_cost, where.child("messageExpression"), what
                )
            errors += _old_self_errors(
                rule.rule, where, uses_old=rule.uses_old, uncorrelated=uncorrelated
            )
        return errors

    def total_errors(self, path: Path) -> list[FieldError]:
        """Return what is wrong with the cost of all rules together."""
        if self._total <= TOTAL_LIMIT:
            return []
        detail = (
            "contributed to estimated rule cost total exceeding cost limit for entire "
            "OpenAPIv3 schema"
        )
        errors = [forbidden_field(where, detail) for _, where in self._expensive]
        name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
        errors.append(forbidden_field(path, _exceeded(name, self._total, TOTAL_LIMIT)))
        return errors

    def _cost_errors(self, cost: int, path: Path, name: str) -> list[FieldError]:
        self._total = min(self._total + cost, MOST)
        if cost >= TOTAL_LIMIT // 100:
            self._expensive = sorted([*self._expensive, (cost, path)], key=lambda one: -one[0])[:4]
        if self._suppress_costs or cost <= RULE_LIMIT:
            return []
        return [forbidden_field(path, _exceeded(name, cost, RULE_LIMIT))]

    def _remember(self, node: SchemaNode, often: int | None, *, root: bool = False) -> None:
        """Note of each place how often it can occur; ``None`` if nothing limits it."""
        self._nodes[id(node.raw)] = (node, root or node.embedded)
        self._bounds[id(node.raw)] = often
        factor = _factor(node)
        below = None if often is None or factor is None else min(often * factor, MOST)
        for _, inner in node.children():
            self._remember(inner, below)


def _factor(node: SchemaNode) -> int | None:
    most: Any = 1
    if node.type == "object" and node.additional is not None:
        most = node.raw.get("maxProperties")
    elif node.type == "array":
        most = node.raw.get("maxItems")
    return None if most is None else max(int(most), 0)


def _old_self_errors(
    rule: JsonObject, path: Path, *, uses_old: bool, uncorrelated: Path | None
) -> list[FieldError]:
    if uses_old and uncorrelated is not None:
        detail = (
            "oldSelf cannot be used on the uncorrelatable portion of the schema within "
            f"{uncorrelated}"
        )
        return [invalid_value(path.child("rule"), rule.get("rule") or "", detail)]
    if not uses_old and rule.get("optionalOldSelf") is not None:
        detail = "may not be set if oldSelf is not used in rule"
        return [invalid_value(path.child("optionalOldSelf"), rule["optionalOldSelf"], detail)]
    return []


def _exceeded(name: str, cost: int, limit: int) -> str:
    factor = cost / limit
    if factor > 100:
        shown = "more than 100x"
    else:
        shown = f"{factor:.6f}x" if factor < 1.5 else f"{factor:.1f}x"
    return f"{name} exceeds budget by factor of {shown} {_ADVICE}"


def _ordered(rule: JsonObject) -> JsonObject:
    """Return a rule in the internal form in which upstream shows it."""
    return {
        "Rule": rule.get("rule") or "",
        "Message": rule.get("message") or "",
        "MessageExpression": rule.get("messageExpression") or "",
        "Reason": rule.get("reason"),
        "FieldPath": rule.get("fieldPath") or "",
        "OptionalOldSelf": rule.get("optionalOldSelf"),
    }
