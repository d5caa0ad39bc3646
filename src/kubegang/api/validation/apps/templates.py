"""What every kind that keeps pods running demands of its selector and template.

Pure.
"""

from __future__ import annotations

from typing import Any

from kubegang.api.validation.checks import IMMUTABLE, Errors, matching, not_negative
from kubegang.api.validation.internal_form import invalid_json, selector_form
from kubegang.api.validation.labels import validate_selector
from kubegang.api.validation.pods.create import validate_pod_template
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.labels import SelectorError, label_selector_of
from kubegang.apimachinery.names import is_percent
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

SPEC = Path("spec")
STATUS = Path("status")
_ALL = 100

# What is said of a selector that cannot be read, beside why; about daemon sets nothing.
_UNREADABLE = {"ReplicaSet": "invalid label selector", "StatefulSet": ""}


def validate_given_selector(spec: JsonObject, *, noun: str, needed: bool = True) -> Errors:
    """Check that there is a selector and that it selects something."""
    selector, path = spec.get("selector"), SPEC.child("selector")
    if selector is None:
        if needed:
            yield required(path)
        return
    yield from validate_selector(selector, path)
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        detail = f"empty selector is invalid for {noun}"
        yield invalid_json(path, selector_form(selector), detail)


def validate_template(
    spec: JsonObject, gates: FeatureGates, *, kind: str, old_spec: JsonObject | None
) -> Errors:
    """Check the template against the selector, and that its pods run on.

    Args:
        spec: the spec with both.
        gates: the gates of the release.
        kind: what the owner is called in errors.
        old_spec: the stored spec of an object that changes.
    """
    path, template = SPEC.child("template"), spec.get("template") or {}
    problem = _UNREADABLE.get(kind)
    yield from _matches(spec.get("selector"), template, path, problem=problem)
    old_pod = ((old_spec or {}).get("template") or {}).get("spec")
    yield from validate_pod_template(template, path, gates, old_spec=old_pod)
    yield from validate_running_on(template, path, kind=kind)


def validate_running_on(template: JsonObject, path: Path, *, kind: str) -> Errors:
    """Check that pods are restarted for ever."""
    pod = template.get("spec") or {}
    policy = pod.get("restartPolicy") or ""
    if policy != "Always":
        yield not_supported(path.child("spec", "restartPolicy"), policy, ("Always",))
    if pod.get("activeDeadlineSeconds") is not None:
        detail = f"activeDeadlineSeconds in {kind} is not Supported"
        yield forbidden_field(path.child("spec", "activeDeadlineSeconds"), detail)


def labels_error(template: JsonObject, path: Path) -> FieldError:
    """Report a template whose pods its owner would not recognise."""
    labels = (template.get("metadata") or {}).get("labels") or {}
    shown = dict(sorted(labels.items())) or None
    detail = "`selector` does not match template `labels`"
    return invalid_value(path.child("metadata", "labels"), shown, detail)


def validate_selector_stays(spec: JsonObject, old_spec: JsonObject) -> Errors:
    """Check that an update does not change the selector."""
    form = selector_form(spec.get("selector"))
    if form != selector_form(old_spec.get("selector")):
        yield invalid_json(SPEC.child("selector"), form, IMMUTABLE)


def validate_number_or_share(path: Path, amount: int | str) -> Errors:
    """Check a number of pods, or a share of them."""
    if isinstance(amount, int):
        yield from not_negative(path, amount)
    else:
        yield from matching(path, amount, is_percent)


def at_most_all(path: Path, amount: int | str) -> Errors:
    """Check that a share is not more than everything."""
    if not isinstance(amount, int) and not is_percent(amount) and number_of(amount) > _ALL:
        yield invalid_value(path, amount, "must not be greater than 100%")


def number_of(amount: Any) -> int:
    """Return a number, or that of a share; what is neither counts as nothing."""
    if isinstance(amount, int):
        return amount
    return int(amount.removesuffix("%")) if amount and not is_percent(amount) else 0


def validate_counts(status: JsonObject, *names: str) -> Errors:
    """Check that numbers in a status are not negative."""
    for name in names:
        yield from not_negative(STATUS.child(name), status.get(name))


def validate_parts(status: JsonObject, *names: str, ready: str) -> Errors:
    """Check that numbers are not above that of all pods, nor the available above the ready.

    ``ready`` is what error texts call the number of ready pods.
    """
    total = status.get("replicas") or 0
    for name in names:
        if (number := status.get(name) or 0) > total:
            detail = "cannot be greater than status.replicas"
            yield invalid_value(STATUS.child(name), number, detail)
    available = status.get("availableReplicas") or 0
    if available > (status.get("readyReplicas") or 0):
        detail = f"cannot be greater than {ready}"
        yield invalid_value(STATUS.child("availableReplicas"), available, detail)


def collisions_grow(status: JsonObject, old_status: JsonObject) -> Errors:
    """Check that the count of name collisions does not go back."""
    count, before = status.get("collisionCount"), old_status.get("collisionCount")
    if before is not None and (count is None or count < before):
        yield invalid_value(STATUS.child("collisionCount"), count or 0, "cannot be decremented")


def _matches(
    selector: JsonObject | None, template: JsonObject, path: Path, *, problem: str | None
) -> Errors:
    """Check that the pods will be selected; no selector at all selects none."""
    if selector is not None and not any(selector.values()):
        return
    labels = (template.get("metadata") or {}).get("labels") or {}
    try:
        if not label_selector_of(selector).matches(labels):
            yield labels_error(template, path)
    except SelectorError:
        if problem is not None:
            yield invalid_json(SPEC.child("selector"), selector_form(selector), problem)
