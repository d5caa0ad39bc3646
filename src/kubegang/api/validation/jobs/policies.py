"""Policies of a Job about its pods: failure, success, replacement.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubegang.api.validation.checks import (
    Errors,
    invalid,
    matching,
    not_negative,
    one_of,
)
from kubegang.api.validation.internal_form import invalid_form
from kubegang.api.validation.jobs.indexes import IndexesError, count_indexes
from kubegang.api.validation.pods.walking import all_containers
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    invalid_value,
    required,
    too_long,
    too_many,
)
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.names import is_qualified_name
from kubegang.apimachinery.objects import JsonObject

_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS = ("In", "NotIn")
_STATUSES = ("False", "True", "Unknown")
_REPLACEMENTS = ("Failed", "TerminatingOrFailed")

_MAX_RULES = 20
_MAX_EXIT_CODES = 255
_MAX_INDEX_TEXT = 64 * 1024

INDEXED = "Indexed"
ONLY_INDEXED = "requires indexed completion mode"


def validate_policies(spec: JsonObject, path: Path) -> Errors:
    """Check the policies of a Job."""
    if (policy := spec.get("podFailurePolicy")) is not None:
        yield from _failure_policy(policy, spec, path.child("podFailurePolicy", "rules"))
    if (policy := spec.get("successPolicy")) is not None:
        where = path.child("successPolicy")
        if spec.get("completionMode") == INDEXED:
            yield from _success_policy(policy, spec, where.child("rules"))
        else:
            yield invalid_form(where, "SuccessPolicy", policy, ONLY_INDEXED)
    allowed = _REPLACEMENTS if spec.get("podFailurePolicy") is None else _REPLACEMENTS[:1]
    where = path.child("podReplacementPolicy")
    yield from one_of(where, spec.get("podReplacementPolicy"), allowed)


def _failure_policy(policy: JsonObject, spec: JsonObject, path: Path) -> Errors:
    rules = policy.get("rules") or ()
    if len(rules) > _MAX_RULES:
        yield too_many(path, len(rules), _MAX_RULES)
    pod_spec = (spec.get("template") or {}).get("spec") or {}
    names = {container.get("name") or "" for container in all_containers(pod_spec)}
    for position, rule in enumerate(rules):
        item = path.index(position)
        yield from _action(rule.get("action"), spec, item.child("action"))
        exit_codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or ()
        if exit_codes is not None:
            yield from _exit_codes(exit_codes, names, item.child("onExitCodes"))
        yield from _conditions(conditions, item.child("onPodConditions"))
        if exit_codes is not None and conditions:
            detail = "specifying both OnExitCodes and OnPodConditions is not supported"
            yield invalid(item, detail)
        if exit_codes is None and not conditions:
            detail = "specifying one of OnExitCodes and OnPodConditions is required"
            yield invalid(item, detail)


def _action(action: str | None, spec: JsonObject, path: Path) -> Errors:
    if action == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
        yield invalid_value(path, action, "requires the backoffLimitPerIndex to be set")
    yield from _required_word(path, action, _ACTIONS)


def _exit_codes(requirement: JsonObject, names: Iterable[str], path: Path) -> Errors:
    operator, values = requirement.get("operator"), requirement.get("values") or []
    yield from _required_word(path.child("operator"), operator, _OPERATORS)
    container = requirement.get("containerName")
    if container is not None and container not in names:
        detail = "must be one of the container or initContainer names in the pod template"
        yield invalid_value(path.child("containerName"), container, detail)
    where = path.child("values")
    if not values:
        yield invalid_value(where, requirement.get("values"), "at least one value is required")
    elif len(values) > _MAX_EXIT_CODES:
        yield too_many(where, len(values), _MAX_EXIT_CODES)
    seen = set()
    for position, value in enumerate(values):
        if operator == "In" and value == 0:
            detail = "must not be 0 for the In operator"
            yield invalid_value(where.index(position), value, detail)
        if value in seen:
            yield duplicate(where.index(position), value)
        seen.add(value)
    if values != sorted(values):
        yield invalid_value(where, values, "must be ordered")


def _conditions(patterns: Sequence[JsonObject], path: Path) -> Errors:
    if len(patterns) > _MAX_RULES:
        yield too_many(path, len(patterns), _MAX_RULES)
    for position, pattern in enumerate(patterns):
        item = path.index(position)
        yield from matching(item.child("type"), pattern.get("type") or "", is_qualified_name)
        yield from _required_word(item.child("status"), pattern.get("status"), _STATUSES)


def _success_policy(policy: JsonObject, spec: JsonObject, path: Path) -> Errors:
    rules = policy.get("rules") or ()
    if not rules:
        detail = "at least one rules must be specified when the successPolicy is specified"
        yield required(path, detail)
    if len(rules) > _MAX_RULES:
        yield too_many(path, len(rules), _MAX_RULES)
    for position, rule in enumerate(rules):
        yield from _success_rule(rule, spec.get("completions") or 0, path.index(position))


def _success_rule(rule: JsonObject, completions: int, path: Path) -> Errors:
    indexes, count = rule.get("succeededIndexes"), rule.get("succeededCount")
    if indexes is None and count is None:
        detail = "at least one of succeededCount or succeededIndexes must be specified"
        yield required(path, detail)
    total, problem = _counted(indexes or "", completions)
    where = path.child("succeededIndexes")
    if len(indexes or "") > _MAX_INDEX_TEXT:
        yield too_long(where, _MAX_INDEX_TEXT)
    if problem:
        yield invalid_value(where, indexes, f"error parsing succeededIndexes: {problem}")
    if count is None:
        return
    where = path.child("succeededCount")
    yield from not_negative(where, count)
    if count > completions:
        detail = (
            f"must be less than or equal to {completions} (the number of specified completions)"
        )
        yield invalid_value(where, count, detail)
    if indexes is not None and count > total:
        what = "the number of indexes in the specified succeededIndexes field"
        yield invalid_value(where, count, f"must be less than or equal to {total} ({what})")


def _counted(indexes: str, completions: int) -> tuple[int, str]:
    """Return how many indexes a list has, and what is wrong with it."""
    try:
        return count_indexes(indexes, completions), ""
    except IndexesError as error:
        return 0, str(error)


def _required_word(path: Path, word: str | None, allowed: Sequence[str]) -> Errors:
    if word:
        yield from one_of(path, word, allowed)
    else:
        # Go prints a list of quoted words in brackets, without commas.
        shown = " ".join(map(go_quote, allowed))
        yield required(path, f"valid values: [{shown}]")
