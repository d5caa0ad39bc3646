"""Daemon sets.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.apps.templates import (
    SPEC,
    at_most_all,
    number_of,
    validate_counts,
    validate_given_selector,
    validate_number_or_share,
    validate_selector_stays,
    validate_template,
)
from kubegang.api.validation.checks import Errors, not_negative
from kubegang.apimachinery.field import FieldError, Path, invalid_value, required
from kubegang.apimachinery.gotext import go_json
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_STRATEGY = SPEC.child("updateStrategy")


def validate_daemon_set(daemon_set: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new daemon set."""
    yield from _spec(daemon_set.get("spec") or {}, None, gates)


def validate_daemon_set_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed daemon set: its selector stays."""
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    yield from validate_selector_stays(spec, old_spec)
    yield from _spec(spec, old_spec, gates)


def validate_daemon_set_status(new: JsonObject, _old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check the numbers that a daemon set reports."""
    yield from validate_counts(
        new.get("status") or {},
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
    )


def _spec(spec: JsonObject, old_spec: JsonObject | None, gates: FeatureGates) -> Errors:
    yield from validate_given_selector(spec, noun="daemonset", needed=False)
    yield from validate_template(spec, gates, kind="DaemonSet", old_spec=old_spec)
    yield from not_negative(SPEC.child("minReadySeconds"), spec.get("minReadySeconds"))
    yield from _strategy(spec.get("updateStrategy") or {})
    yield from not_negative(SPEC.child("revisionHistoryLimit"), spec.get("revisionHistoryLimit"))


def _strategy(strategy: JsonObject) -> Errors:
    kind = strategy.get("type") or ""
    if kind == "RollingUpdate":
        yield from _rolling(strategy.get("rollingUpdate") or {}, _STRATEGY.child("rollingUpdate"))
    elif kind != "OnDelete":
        shown = go_json({"Type": kind, "RollingUpdate": None})
        text = f'Unsupported value: {shown}: supported values: "RollingUpdate", "OnDelete"'
        yield FieldError("FieldValueNotSupported", str(_STRATEGY), text)


def _rolling(rolling: JsonObject, path: Path) -> Errors:
    amounts = {name: rolling.get(name, 0) for name in ("maxUnavailable", "maxSurge")}
    for name, amount in amounts.items():
        yield from validate_number_or_share(path.child(name), amount)
    for name, amount in amounts.items():
        yield from at_most_all(path.child(name), amount)
    unavailable, surge = (number_of(amount) for amount in amounts.values())
    if unavailable and surge:
        detail = "may not be set when maxUnavailable is non-zero"
        yield invalid_value(path.child("maxSurge"), amounts["maxSurge"], detail)
    if not unavailable and not surge:
        yield required(path.child("maxUnavailable"), "cannot be 0 when maxSurge is 0")
