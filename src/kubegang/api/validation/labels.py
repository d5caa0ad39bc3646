"""Labels, annotations and label selectors.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from kubegang.api.validation.checks import Errors, matching
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    required,
    too_long,
)
from kubegang.apimachinery.names import is_label_value, is_qualified_name
from kubegang.apimachinery.objects import JsonObject

_ANNOTATIONS_BYTES = 256 * 1024

# The same few keys and values come with every pod of a Job, and on every update again.
_KNOWN_TEXTS = 4096


@lru_cache(_KNOWN_TEXTS)
def _key_problems(key: str) -> tuple[str, ...]:
    return tuple(is_qualified_name(key))


@lru_cache(_KNOWN_TEXTS)
def _value_problems(value: str) -> tuple[str, ...]:
    return tuple(is_label_value(value))


def validate_labels(labels: Mapping[str, str] | None, path: Path) -> Errors:
    """Check the keys and values of labels; all errors are told at the map itself."""
    for key, value in (labels or {}).items():
        yield from matching(path, key, _key_problems)
        yield from matching(path, value, _value_problems)


def validate_annotations(annotations: Mapping[str, str] | None, path: Path) -> Errors:
    """Check the keys of annotations, whose case does not matter, and their whole size."""
    if not annotations:
        return
    size = 0
    for key, value in annotations.items():
        size += len(key.encode()) + len(value.encode())
        for detail in _key_problems(key.lower()):
            yield invalid_value(path, key, detail)
    if size > _ANNOTATIONS_BYTES:
        yield too_long(path, _ANNOTATIONS_BYTES)


def validate_selector(selector: JsonObject | None, path: Path) -> Errors:
    """Check a metav1.LabelSelector, if given."""
    if selector is None:
        return
    yield from validate_labels(selector.get("matchLabels"), path.child("matchLabels"))
    for position, requirement in enumerate(selector.get("matchExpressions") or ()):
        yield from _requirement(requirement, path.child("matchExpressions").index(position))


def validate_match_keys(term: JsonObject, path: Path) -> Errors:
    """Check matchLabelKeys and mismatchLabelKeys of an affinity term or spread constraint.

    The server has already merged the keys into the selector, so a key counts as given
    twice when the selector names it once more.
    """
    keys = term.get("matchLabelKeys") or ()
    other_keys = term.get("mismatchLabelKeys") or ()
    if not keys and not other_keys:
        return
    selector = term.get("labelSelector")
    yield from _label_keys(keys, selector, path.child("matchLabelKeys"))
    yield from _label_keys(other_keys, selector, path.child("mismatchLabelKeys"))
    yield from _keys_in_selector(keys, selector or {}, path)
    for position, key in enumerate(keys):
        if key in other_keys:
            detail = "exists in both matchLabelKeys and mismatchLabelKeys"
            yield invalid_value(path.child("matchLabelKeys").index(position), key, detail)


def _requirement(requirement: JsonObject, path: Path) -> Errors:
    operator, values = requirement.get("operator") or "", requirement.get("values") or ()
    if operator in ("In", "NotIn"):
        if not values:
            detail = "must be specified when `operator` is 'In' or 'NotIn'"
            yield required(path.child("values"), detail)
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield forbidden_field(path.child("values"), detail)
    else:
        yield invalid_value(path.child("operator"), operator, "not a valid selector operator")
    yield from matching(path.child("key"), requirement.get("key") or "", is_qualified_name)
    for position, value in enumerate(values):
        yield from matching(path.child("values").index(position), value, is_label_value)


def _label_keys(keys: Iterable[str], selector: JsonObject | None, path: Path) -> Errors:
    if keys and selector is None:
        yield forbidden_field(path, "must not be specified when labelSelector is not set")
        return
    for position, key in enumerate(keys):
        yield from matching(path.index(position), key, is_qualified_name)


def _keys_in_selector(keys: Iterable[str], selector: JsonObject, path: Path) -> Errors:
    positions = {key: position for position, key in enumerate(keys)}
    seen = set(selector.get("matchLabels") or ())
    for expression in selector.get("matchExpressions") or ():
        key = expression.get("key") or ""
        if key in positions and key in seen:
            detail = "exists in both matchLabelKeys and labelSelector"
            yield invalid_value(path.index(positions[key]), key, detail)
        seen.add(key)
