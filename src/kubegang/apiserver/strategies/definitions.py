"""CustomResourceDefinitions: which versions are stored, and how their deletion begins."""

from __future__ import annotations

from kubegang.api.customresources.definitionchecks import DEFINITION_RULES
from kubegang.api.customresources.definitions import (
    CLEANUP_FINALIZER,
    default_definition,
    normalize_definition,
    storage_version,
)
from kubegang.api.customresources.naming import condition, set_condition
from kubegang.api.customresources.warnings import definition_warnings
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.apiserver.strategies.rules import KindRules

_PENDING = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"


def _prepare_create(definition: JsonObject, _now: str) -> None:
    storage = storage_version(definition.get("spec") or {})
    definition["status"] = {"storedVersions": [storage]} if storage else {}


def _prepare_update(new: JsonObject, _old: JsonObject) -> None:
    """Note the version that is stored from now on; what was stored before may still be there."""
    storage = storage_version(new.get("spec") or {})
    status = new.get("status") or {}
    stored = status.get("storedVersions") or []
    if storage and storage not in stored:
        new["status"] = {**status, "storedVersions": [*stored, storage]}


def _begin_deletion(definition: JsonObject, now: float) -> None:
    """Mark a definition, so that its objects go before it does."""
    metadata = definition["metadata"]
    metadata["deletionTimestamp"] = format_time(now)
    finalizers = metadata.get("finalizers") or []
    if CLEANUP_FINALIZER not in finalizers:
        metadata["finalizers"] = [*finalizers, CLEANUP_FINALIZER]
    status = definition.setdefault("status", {})
    conditions = [dict(one) for one in status.get("conditions") or ()]
    pending = condition("Terminating", "True", "InstanceDeletionPending", _PENDING)
    set_condition(conditions, pending, now=format_time(now))
    status["conditions"] = conditions


DEFINITIONS = KindRules(
    decode=normalize_definition,
    fill_in=default_definition,
    validity=DEFINITION_RULES,
    warnings=definition_warnings,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    begin_deletion=_begin_deletion,
)
