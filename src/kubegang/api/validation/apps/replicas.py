"""Replica sets, deployments and replication controllers.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.apps.templates import (
    SPEC,
    at_most_all,
    collisions_grow,
    labels_error,
    number_of,
    validate_counts,
    validate_given_selector,
    validate_number_or_share,
    validate_parts,
    validate_running_on,
    validate_selector_stays,
    validate_template,
)
from kubegang.api.validation.checks import Errors, not_negative
from kubegang.api.validation.pods.create import validate_pod_template
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    forbidden_field,
    invalid_value,
    required,
)
from kubegang.apimachinery.gotext import go_json
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_STRATEGY = SPEC.child("strategy")
_COUNTS = ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas")


def validate_replica_set(replica_set: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new replica set."""
    yield from _replica_set(replica_set.get("spec") or {}, None, gates)


def validate_replica_set_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed replica set: its selector stays."""
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    yield from _replica_set(spec, old_spec, gates)
    yield from validate_selector_stays(spec, old_spec)


def validate_replica_status(new: JsonObject, _old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check the numbers that a replica set or a replication controller reports."""
    status = new.get("status") or {}
    yield from validate_counts(status, *_COUNTS, "observedGeneration", "terminatingReplicas")
    yield from validate_parts(status, *_COUNTS[1:], ready="readyReplicas")


def validate_deployment(deployment: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new deployment."""
    yield from _deployment(deployment.get("spec") or {}, None, gates)


def validate_deployment_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed deployment: its selector stays."""
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    yield from _deployment(spec, old_spec, gates)
    yield from validate_selector_stays(spec, old_spec)


def validate_deployment_status(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check the numbers that a deployment reports."""
    status = new.get("status") or {}
    counts = ("updatedReplicas", "readyReplicas", "availableReplicas")
    yield from validate_counts(
        status,
        "observedGeneration",
        "replicas",
        *counts,
        "unavailableReplicas",
        "terminatingReplicas",
        "collisionCount",
    )
    yield from validate_parts(status, *counts, ready="readyReplicas")
    yield from collisions_grow(status, old.get("status") or {})


def validate_replication_controller(controller: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new replication controller."""
    yield from _controller(controller.get("spec") or {}, None, gates)


def validate_replication_controller_update(
    new: JsonObject, old: JsonObject, gates: FeatureGates
) -> Errors:
    """Check a changed replication controller: everything may change."""
    yield from _controller(new.get("spec") or {}, old.get("spec") or {}, gates)


def _replica_set(spec: JsonObject, old_spec: JsonObject | None, gates: FeatureGates) -> Errors:
    for name in ("replicas", "minReadySeconds"):
        yield from not_negative(SPEC.child(name), spec.get(name))
    # Upstream calls both kinds deployments here.
    yield from validate_given_selector(spec, noun="deployment")
    yield from validate_template(spec, gates, kind="ReplicaSet", old_spec=old_spec)


def _deployment(spec: JsonObject, old_spec: JsonObject | None, gates: FeatureGates) -> Errors:
    yield from not_negative(SPEC.child("replicas"), spec.get("replicas"))
    yield from validate_given_selector(spec, noun="deployment")
    yield from validate_template(spec, gates, kind="ReplicaSet", old_spec=old_spec)
    yield from _strategy(spec.get("strategy") or {})
    for name in ("minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"):
        yield from not_negative(SPEC.child(name), spec.get(name))
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is not None and deadline <= (spec.get("minReadySeconds") or 0):
        path = SPEC.child("progressDeadlineSeconds")
        yield invalid_value(path, deadline, "must be greater than minReadySeconds")


def _strategy(strategy: JsonObject) -> Errors:
    kind, rolling = strategy.get("type") or "", strategy.get("rollingUpdate")
    path = _STRATEGY.child("rollingUpdate")
    if kind == "RollingUpdate":
        yield from _rolling(rolling or {}, path)
    elif kind == "Recreate":
        if rolling is not None:
            detail = "may not be specified when strategy `type` is 'Recreate'"
            yield forbidden_field(path, detail)
    else:
        shown = go_json({"Type": kind, "RollingUpdate": None})
        text = f'Unsupported value: {shown}: supported values: "Recreate", "RollingUpdate"'
        yield FieldError("FieldValueNotSupported", str(_STRATEGY), text)


def _rolling(rolling: JsonObject, path: Path) -> Errors:
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    where = path.child("maxUnavailable")
    yield from validate_number_or_share(where, unavailable)
    yield from validate_number_or_share(path.child("maxSurge"), surge)
    if not number_of(unavailable) and not number_of(surge):
        yield invalid_value(where, unavailable, "may not be 0 when `maxSurge` is 0")
    yield from at_most_all(where, unavailable)


def _controller(spec: JsonObject, old_spec: JsonObject | None, gates: FeatureGates) -> Errors:
    for name in ("replicas", "minReadySeconds"):
        yield from not_negative(SPEC.child(name), spec.get(name))
    selector, template = spec.get("selector") or {}, spec.get("template")
    path = SPEC.child("template")
    if not selector:
        yield required(SPEC.child("selector"))
    if template is None:
        yield required(path)
        return
    labels = (template.get("metadata") or {}).get("labels") or {}
    if not selector.items() <= labels.items():
        yield labels_error(template, path)
    old_pod = ((old_spec or {}).get("template") or {}).get("spec")
    yield from validate_pod_template(template, path, gates, old_spec=old_pod)
    yield from validate_running_on(template, path, kind="ReplicationController")
