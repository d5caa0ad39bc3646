"""Topology spread constraints.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.checks import Errors, one_of, positive
from kubegang.api.validation.labels import validate_match_keys, validate_selector
from kubegang.apimachinery.field import Path, duplicate, invalid_value, required
from kubegang.apimachinery.objects import JsonObject

_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_INCLUSION = ("Honor", "Ignore")


def validate_spread(constraints: Sequence[JsonObject], path: Path) -> Errors:
    """Check topology spread constraints: one per topology key and action."""
    for position, constraint in enumerate(constraints):
        item = path.index(position)
        action = constraint.get("whenUnsatisfiable") or ""
        yield from positive(item.child("maxSkew"), constraint.get("maxSkew"))
        if not constraint.get("topologyKey"):
            yield required(item.child("topologyKey"), "can not be empty")
        yield from one_of(item.child("whenUnsatisfiable"), action, _ACTIONS)
        yield from _repeated(constraint, constraints[position + 1 :], item)
        yield from _minimum_domains(constraint.get("minDomains"), action, item)
        for name in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            yield from one_of(item.child(name), constraint.get(name), _INCLUSION)
        yield from validate_match_keys(constraint, item)
        selector = constraint.get("labelSelector")
        yield from validate_selector(selector, item.child("labelSelector"))


def _repeated(constraint: JsonObject, rest: Sequence[JsonObject], path: Path) -> Errors:
    kind = _kind(constraint)
    if any(_kind(other) == kind for other in rest):
        shown = f"{{{kind[0]}, {kind[1]}}}"
        yield duplicate(path.child("{topologyKey, whenUnsatisfiable}"), shown)


def _kind(constraint: JsonObject) -> tuple[str, str]:
    return constraint.get("topologyKey") or "", constraint.get("whenUnsatisfiable") or ""


def _minimum_domains(number: int | None, action: str, path: Path) -> Errors:
    if number is None:
        return
    yield from positive(path.child("minDomains"), number)
    if action != "DoNotSchedule":
        detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        yield invalid_value(path.child("minDomains"), number, detail)
