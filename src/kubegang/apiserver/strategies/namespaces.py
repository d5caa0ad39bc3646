"""Namespaces: the finalizer in their spec, which only ``/finalize`` changes."""

from __future__ import annotations

from kubegang.api.defaults.core import NAME_LABEL
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.strategies.rules import KindRules

FINALIZER = "kubernetes"
"""Stands in ``spec.finalizers`` until everything in the namespace is gone."""


def prepare_create(namespace: JsonObject, _now: str) -> None:
    """Add finalizer and name label; the latter again, as a generated name is new."""
    spec = namespace.get("spec")
    if spec is None:
        spec = namespace["spec"] = {}
    finalizers = spec.get("finalizers") or []
    if FINALIZER not in finalizers:
        spec["finalizers"] = [*finalizers, FINALIZER]
    metadata = namespace["metadata"]
    metadata["labels"] = {**(metadata.get("labels") or {}), NAME_LABEL: metadata["name"]}


def prepare_update(new: JsonObject, old: JsonObject) -> None:
    """Keep the finalizers of the spec."""
    finalizers = (old.get("spec") or {}).get("finalizers")
    spec = {key: value for key, value in (new.get("spec") or {}).items() if key != "finalizers"}
    new["spec"] = {**spec, "finalizers": finalizers} if finalizers else spec


def prepare_finalize(new: JsonObject, old: JsonObject, _now: str) -> None:
    """Keep everything but the finalizers of the spec and the metadata."""
    finalizers = (new.get("spec") or {}).get("finalizers")
    kept = {key: value for key, value in (old.get("spec") or {}).items() if key != "finalizers"}
    new["spec"] = {**kept, "finalizers": finalizers} if finalizers else kept
    new["status"] = old.get("status") or {}


def _active() -> JsonObject:
    return {"phase": "Active"}


NAMESPACES = KindRules(
    new_status=_active,
    prepare_create=prepare_create,
    prepare_update=prepare_update,
    own_subresources={"finalize": prepare_finalize},
)
