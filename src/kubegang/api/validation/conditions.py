"""Conditions of the common form (metav1.Condition), as a status update must bring them.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubegang.api.validation.checks import (
    Errors,
    matching,
    required_matching,
    required_one_of,
)
from kubegang.api.validation.formats import regex_text
from kubegang.apimachinery.field import Path, duplicate, invalid_value, required, too_long
from kubegang.apimachinery.names import is_qualified_name
from kubegang.apimachinery.objects import JsonObject

_REASON = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
_STATUSES = ("False", "True", "Unknown")
_MAX_REASON = 1024
_MAX_MESSAGE = 32 * 1024


def validate_conditions(conditions: Sequence[JsonObject], path: Path) -> Errors:
    """Check a list of conditions, one per type."""
    types = set()
    for position, condition in enumerate(conditions):
        condition_type = condition.get("type") or ""
        if condition_type in types:
            yield duplicate(path.index(position), condition_type)
        types.add(condition_type)
        yield from _condition(condition, path.index(position))


def condition_reason(text: str) -> list[str]:
    """Check the form of a condition's reason."""
    if _REASON.fullmatch(text):
        return []
    message = (
        "a condition reason must start with alphabetic character, optionally followed by a "
        "string of alphanumeric characters or '_,:', and must end with an alphanumeric "
        "character or '_'"
    )
    examples = ("my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB")
    return [regex_text(message, _REASON.pattern, *examples)]


def _condition(condition: JsonObject, path: Path) -> Errors:
    if condition_type := condition.get("type"):
        yield from matching(path.child("type"), condition_type, is_qualified_name)
    else:
        yield required(path.child("type"), "is required")
    yield from required_one_of(path.child("status"), condition.get("status"), _STATUSES)
    generation = condition.get("observedGeneration") or 0
    if generation < 0:
        detail = "must be greater than or equal to zero"
        yield invalid_value(path.child("observedGeneration"), generation, detail)
    if not condition.get("lastTransitionTime"):
        yield required(path.child("lastTransitionTime"))
    reason = condition.get("reason") or ""
    yield from required_matching(path.child("reason"), reason, condition_reason)
    if len(reason) > _MAX_REASON:
        yield too_long(path.child("reason"), _MAX_REASON)
    if len((condition.get("message") or "").encode()) > _MAX_MESSAGE:
        yield too_long(path.child("message"), _MAX_MESSAGE)
