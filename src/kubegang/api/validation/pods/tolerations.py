"""Tolerations of pods and taints of nodes.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.checks import Errors, matching, one_of, required_one_of
from kubegang.api.validation.formats import decimal_integer
from kubegang.api.validation.internal_form import internal_form
from kubegang.apimachinery.field import FieldError, Path, invalid_value, not_supported
from kubegang.apimachinery.gotext import go_json
from kubegang.apimachinery.names import is_label_value, is_qualified_name
from kubegang.apimachinery.objects import JsonObject

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_OPERATORS = ("Equal", "Exists")
_ALL_OPERATORS = ("Equal", "Exists", "Lt", "Gt")
_MAX_INT64 = 2**63 - 1


def validate_tolerations(
    tolerations: Sequence[JsonObject], path: Path, *, comparing: bool
) -> Errors:
    """Check tolerations; ``comparing`` allows the operators Lt and Gt (KEP-5471)."""
    for position, toleration in enumerate(tolerations):
        yield from _toleration(toleration, path.index(position), comparing=comparing)


def validate_taints(taints: Sequence[JsonObject], path: Path) -> Errors:
    """Check taints: well formed, and one per key and effect."""
    seen = set()
    for position, taint in enumerate(taints):
        item = path.index(position)
        key, value = taint.get("key") or "", taint.get("value") or ""
        effect = taint.get("effect") or ""
        yield from matching(item.child("key"), key, is_qualified_name)
        if problems := is_label_value(value):
            yield invalid_value(item.child("value"), value, ";".join(problems))
        yield from required_one_of(item.child("effect"), effect, _EFFECTS)
        if (key, effect) in seen:
            form = go_json(internal_form("Taint", taint))
            detail = "taints must be unique by key and effect pair"
            message = f"Duplicate value: {form}: {detail}"
            yield FieldError("FieldValueDuplicate", str(item), message)
        seen.add((key, effect))


def _toleration(toleration: JsonObject, path: Path, *, comparing: bool) -> Errors:
    key, operator = toleration.get("key") or "", toleration.get("operator") or ""
    effect = toleration.get("effect") or ""
    if key:
        yield from matching(path.child("key"), key, is_qualified_name)
    elif operator != "Exists":
        detail = (
            "operator must be Exists when `key` is empty, which means "
            '"match all values and all keys"'
        )
        yield invalid_value(path.child("operator"), operator, detail)
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        yield invalid_value(path.child("effect"), effect, detail)
    yield from _value(operator, toleration.get("value") or "", path, comparing=comparing)
    if effect:
        yield from one_of(path.child("effect"), effect, _EFFECTS)


def _value(operator: str, value: str, path: Path, *, comparing: bool) -> Errors:
    """Check a toleration's value; most errors in it are told at the operator."""
    where = path.child("operator")
    if operator in ("Equal", ""):
        if value and (problems := is_label_value(value)):
            yield invalid_value(where, value, ";".join(problems))
    elif operator == "Exists":
        if value:
            yield invalid_value(where, value, "value must be empty when `operator` is 'Exists'")
    elif operator not in ("Lt", "Gt"):
        yield not_supported(where, operator, _OPERATORS)
    elif not comparing:
        yield not_supported(where, operator, _ALL_OPERATORS)
    else:
        yield from _number(value, path.child("value"))


def _number(value: str, path: Path) -> Errors:
    yield from matching(path, value, decimal_integer)
    try:
        number = int(value)
    except ValueError:
        problem = "invalid syntax"
    else:
        problem = "" if -_MAX_INT64 - 1 <= number <= _MAX_INT64 else "value out of range"
    if problem:
        yield invalid_value(path, value, f'strconv.ParseInt: parsing "{value}": {problem}')
