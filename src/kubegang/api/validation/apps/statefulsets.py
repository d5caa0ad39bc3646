"""Stateful sets, and the revisions in which they and daemon sets keep old templates.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.apps.templates import (
    SPEC,
    at_most_all,
    collisions_grow,
    number_of,
    validate_counts,
    validate_given_selector,
    validate_number_or_share,
    validate_parts,
    validate_selector_stays,
    validate_template,
)
from kubegang.api.validation.checks import (
    IMMUTABLE,
    Errors,
    matching,
    not_negative,
    one_of,
)
from kubegang.api.validation.declarative import same
from kubegang.api.validation.pods.claim_templates import validate_claim_spec
from kubegang.apimachinery.field import Path, invalid_value, required
from kubegang.apimachinery.names import is_dns1123_label
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_STRATEGY = SPEC.child("updateStrategy")
_RETENTION = SPEC.child("persistentVolumeClaimRetentionPolicy")
_FROZEN = ("volumeClaimTemplates", "serviceName", "podManagementPolicy")


def validate_stateful_set(stateful_set: JsonObject, gates: FeatureGates) -> Errors:
    """Check a new stateful set."""
    yield from _spec(stateful_set.get("spec") or {}, None, gates)


def validate_stateful_set_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed stateful set: which pods and claims it has stays."""
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    yield from _spec(spec, old_spec, gates)
    yield from validate_selector_stays(spec, old_spec)
    for name in _FROZEN:
        if not same(spec.get(name), old_spec.get(name)):
            yield invalid_value(SPEC.child(name), spec.get(name), IMMUTABLE)


def validate_stateful_set_status(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check the numbers that a stateful set reports."""
    status = new.get("status") or {}
    counts = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    yield from validate_counts(status, "replicas", *counts, "observedGeneration", "collisionCount")
    yield from validate_parts(status, *counts, ready="status.readyReplicas")
    yield from collisions_grow(status, old.get("status") or {})


def validate_revision(revision: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new revision."""
    yield from not_negative(Path("revision"), revision.get("revision"))
    data = revision.get("data")
    if data is None:
        yield required(Path("data"), "data is mandatory")
    elif not isinstance(data, dict):
        yield required(Path("data"), "data must be a valid JSON object")


def validate_revision_update(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a changed revision: what it keeps stays."""
    yield from not_negative(Path("revision"), new.get("revision"))
    if new.get("data") != old.get("data"):
        yield invalid_value(Path("data"), new.get("data"), IMMUTABLE)


def _spec(spec: JsonObject, old_spec: JsonObject | None, gates: FeatureGates) -> Errors:
    policy = spec.get("podManagementPolicy")
    if policy not in ("OrderedReady", "Parallel"):
        detail = "must be 'OrderedReady' or 'Parallel'"
        yield invalid_value(SPEC.child("podManagementPolicy"), policy, detail)
    yield from _strategy(spec.get("updateStrategy") or {})
    retention = spec.get("persistentVolumeClaimRetentionPolicy") or {}
    for name in ("whenDeleted", "whenScaled"):
        yield from one_of(_RETENTION.child(name), retention.get(name), ("Retain", "Delete"))
    templates = spec.get("volumeClaimTemplates") or ()
    for position, claim in enumerate(templates):
        path = SPEC.child("volumeClaimTemplates").index(position).child("spec")
        yield from validate_claim_spec(claim.get("spec") or {}, path)
    for name in ("replicas", "minReadySeconds"):
        yield from not_negative(SPEC.child(name), spec.get(name))
    start = (spec.get("ordinals") or {}).get("start")
    yield from not_negative(SPEC.child("ordinals.start"), start)
    if service := spec.get("serviceName"):
        yield from matching(SPEC.child("serviceName"), service, is_dns1123_label)
    yield from validate_given_selector(spec, noun="statefulset")
    completed = {**spec, "template": _with_claims(spec)}
    yield from validate_template(completed, gates, kind="StatefulSet", old_spec=old_spec)


def _strategy(strategy: JsonObject) -> Errors:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind == "RollingUpdate":
        yield from _rolling(rolling or {}, _STRATEGY.child("rollingUpdate"))
    elif kind == "OnDelete":
        if rolling is not None:
            form = {
                "Partition": rolling.get("partition") or 0,
                "MaxUnavailable": rolling.get("maxUnavailable"),
            }
            detail = "only allowed for updateStrategy 'RollingUpdate'"
            yield invalid_value(_STRATEGY.child("rollingUpdate"), form, detail)
    else:
        form = {"Type": kind, "RollingUpdate": None}
        yield invalid_value(_STRATEGY, form, "must be 'RollingUpdate' or 'OnDelete'")


def _rolling(rolling: JsonObject, path: Path) -> Errors:
    yield from not_negative(path.child("partition"), rolling.get("partition"))
    if (amount := rolling.get("maxUnavailable")) is None:
        return
    where = path.child("maxUnavailable")
    yield from validate_number_or_share(where, amount)
    if not number_of(amount):
        yield invalid_value(where, amount, "cannot be 0")
    yield from at_most_all(where, amount)


def _with_claims(spec: JsonObject) -> JsonObject:
    """Return the template as pods will be: a volume per claim, host names made up later."""
    template = spec.get("template") or {}
    pod = {
        name: value
        for name, value in (template.get("spec") or {}).items()
        if name not in ("hostname", "subdomain")
    }
    names = [
        (claim.get("metadata") or {}).get("name") or ""
        for claim in spec.get("volumeClaimTemplates") or ()
    ]
    if names:
        made = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]
        own = [volume for volume in pod.get("volumes") or () if volume.get("name") not in names]
        pod["volumes"] = [*made, *own]
    return {**template, "spec": pod}
