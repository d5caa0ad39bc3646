"""What an update of a pod may change: images, deadlines, tolerations, gates; little else.

While a pod is gated its node selector and affinity may be narrowed (KEP-3838).

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubegang.api.validation.checks import Errors
from kubegang.api.validation.internal_form import (
    frozen_form,
    internal_form,
    invalid_form,
    invalid_json,
)
from kubegang.api.validation.metadata import METADATA, MetadataRules, validate_metadata
from kubegang.api.validation.pods.annotations import (
    validate_annotations_kept,
    validate_pod_annotations,
)
from kubegang.api.validation.pods.containers import trimmed_image
from kubegang.api.validation.pods.context import COMPARISON_GATE
from kubegang.api.validation.pods.create import SPEC, validate_pod_parts
from kubegang.api.validation.pods.tolerations import validate_tolerations
from kubegang.apimachinery.field import Path, forbidden_field, invalid_value, required
from kubegang.apimachinery.names import is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_MAX_INT32 = 2**31 - 1
_METADATA_RULES = MetadataRules(is_dns1123_subdomain)
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"

_UPDATABLE = ",".join(
    (
        "`spec.containers[*].image`",
        "`spec.initContainers[*].image`",
        "`spec.activeDeadlineSeconds`",
        "`spec.tolerations` (only additions to existing tolerations)",
        "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously "
        "negative)",
    )
)

Form = dict[str, Any]
"""A pod spec in its internal form."""


def validate_pod_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    """Check a changed pod."""
    new_spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    annotations = (new.get("metadata") or {}).get("annotations") or {}
    old_annotations = (old.get("metadata") or {}).get("annotations") or {}
    if new_spec == old_spec and annotations == old_annotations:
        return
    yield from validate_pod_parts(new, gates, old_spec=old_spec)
    where = METADATA.child("annotations")
    yield from validate_annotations_kept(annotations, old_annotations, where)
    if new_spec != old_spec:
        yield from _spec_update(new_spec, old_spec, gates)


def validate_changed_pod_as_new(pod: JsonObject, _gates: FeatureGates) -> Errors:
    """Check of a changed pod what releases before 1.37 check, and tell, twice."""
    metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    yield from validate_metadata(metadata, _METADATA_RULES)
    annotations = metadata.get("annotations") or {}
    yield from validate_pod_annotations(annotations, spec, METADATA.child("annotations"))


def _spec_update(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    for name in ("containers", "initContainers"):
        containers, old_containers = new.get(name) or (), old.get(name) or ()
        if len(containers) != len(old_containers):
            detail = "pod updates may not add or remove containers"
            yield forbidden_field(SPEC.child(name), detail)
            return
        yield from _images(containers, SPEC.child(name))
    deadline_errors = list(_deadline(new, old))
    yield from deadline_errors
    if deadline_errors and new.get("activeDeadlineSeconds") is not None:
        return
    yield from _only_added_tolerations(new, old, gates)
    yield from _only_removed_gates(new, old)
    yield from _rest_unchanged(new, old)


def _images(containers: Sequence[JsonObject], path: Path) -> Errors:
    for position, container in enumerate(containers):
        if not container.get("image"):
            yield required(path.index(position).child("image"))
        yield from trimmed_image(container, path.index(position))


def _deadline(new: JsonObject, old: JsonObject) -> Errors:
    """Check that the deadline is set once, and from then on only shortened."""
    path = SPEC.child("activeDeadlineSeconds")
    seconds, old_seconds = new.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds")
    if seconds is None:
        if old_seconds is not None:
            detail = "must not update from a positive integer to nil value"
            yield invalid_value(path, None, detail)
    elif not 0 <= seconds <= _MAX_INT32:
        detail = f"must be between 0 and {_MAX_INT32}, inclusive"
        yield invalid_value(path, seconds, detail)
    elif old_seconds is not None and old_seconds < seconds:
        detail = "must be less than or equal to previous value"
        yield invalid_value(path, seconds, detail)


def _only_added_tolerations(new: JsonObject, old: JsonObject, gates: FeatureGates) -> Errors:
    path = SPEC.child("tolerations")
    kept = [_without_seconds(toleration) for toleration in new.get("tolerations") or ()]
    for toleration in old.get("tolerations") or ():
        if _without_seconds(toleration) not in kept:
            detail = "existing toleration can not be modified except its tolerationSeconds"
            yield forbidden_field(path, detail)
            return
    comparing = gates.enabled_if_known(COMPARISON_GATE)
    yield from validate_tolerations(new.get("tolerations") or (), path, comparing=comparing)


def _without_seconds(toleration: JsonObject) -> Form:
    form: Form = internal_form("Toleration", toleration)
    del form["TolerationSeconds"]
    return form


def _only_removed_gates(new: JsonObject, old: JsonObject) -> Errors:
    old_names = {gate.get("name") for gate in old.get("schedulingGates") or ()}
    for position, gate in enumerate(new.get("schedulingGates") or ()):
        name = gate.get("name") or ""
        if name not in old_names:
            detail = f"only deletion is allowed, but found new scheduling gate '{name}'"
            where = SPEC.child("schedulingGates").index(position).child("name")
            yield forbidden_field(where, detail)


def _rest_unchanged(new: JsonObject, old: JsonObject) -> Errors:
    """Compare the specs once everything that may change has been made alike."""
    form, old_form = internal_form("PodSpec", new), internal_form("PodSpec", old)
    if form == old_form:
        return
    for name in ("Containers", "InitContainers"):
        for container, old_container in zip(form[name] or (), old_form[name] or (), strict=True):
            container["Image"] = old_container["Image"]
    for name in ("ActiveDeadlineSeconds", "SchedulingGates", "Tolerations"):
        form[name] = old_form[name]
    grace = old_form["TerminationGracePeriodSeconds"]
    if grace is not None and grace < 0 and form["TerminationGracePeriodSeconds"] == 1:
        form["TerminationGracePeriodSeconds"] = grace
    if old.get("schedulingGates"):
        yield from _gated(new, old, form, old_form)
    if form != old_form:
        detail = f"pod updates may not change fields other than {_UPDATABLE}\n"
        yield frozen_form(SPEC, detail, old=old_form, new=form)


def _gated(new: JsonObject, old: JsonObject, form: Form, old_form: Form) -> Errors:
    """Check what changed of node selector and affinity, and make it alike in the form."""
    if form["NodeSelector"] != old_form["NodeSelector"]:
        selector, old_selector = new.get("nodeSelector") or {}, old.get("nodeSelector") or {}
        if any(selector.get(key) != value for key, value in old_selector.items()):
            detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
            yield invalid_json(SPEC.child("nodeSelector"), form["NodeSelector"], detail)
        form["NodeSelector"] = old_form["NodeSelector"]
    affinity = (form["Affinity"] or {}).get("NodeAffinity")
    old_affinity = (old_form["Affinity"] or {}).get("NodeAffinity")
    if affinity != old_affinity:
        yield from _narrowed(_required_terms(new), _required_terms(old))
        _restore_node_affinity(form, old_form)


def _restore_node_affinity(form: Form, old_form: Form) -> None:
    affinity, old_affinity = form["Affinity"], old_form["Affinity"]
    if affinity is None:
        form["Affinity"] = {**old_affinity, "PodAffinity": None, "PodAntiAffinity": None}
    elif old_affinity is None and not affinity["PodAffinity"] and not affinity["PodAntiAffinity"]:
        form["Affinity"] = None
    else:
        affinity["NodeAffinity"] = (old_affinity or {}).get("NodeAffinity")


def _required_terms(spec: JsonObject) -> Sequence[JsonObject]:
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    return (affinity.get(_REQUIRED) or {}).get("nodeSelectorTerms") or ()


def _narrowed(terms: Sequence[JsonObject], old_terms: Sequence[JsonObject]) -> Errors:
    if not old_terms:
        return
    path = SPEC.child("affinity", "nodeAffinity", _REQUIRED, "nodeSelectorTerms")
    if len(terms) != len(old_terms):
        detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        yield invalid_form(path, "[NodeSelectorTerm]", terms, detail)
        return
    for position, (term, old_term) in enumerate(zip(terms, old_terms, strict=True)):
        if not _only_adds(term, old_term):
            detail = "only additions are allowed (no mutations or deletions)"
            yield invalid_form(path.index(position), "NodeSelectorTerm", term, detail)


def _only_adds(term: JsonObject, old_term: JsonObject) -> bool:
    form = internal_form("NodeSelectorTerm", term)
    old_form = internal_form("NodeSelectorTerm", old_term)
    old_parts = [part or [] for part in old_form.values()]
    parts = [part or [] for part in form.values()]
    if not any(old_parts):
        # An empty term matches nothing; with requirements it would match something.
        return not any(parts)
    return all(
        part[: len(old_part)] == old_part for part, old_part in zip(parts, old_parts, strict=True)
    )
