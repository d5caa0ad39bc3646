"""kubectl's annotation with the configuration that was last applied on the client's side.

Server-side apply by the manager ``kubectl`` honours it: fields that the annotation and the
object agree on are no conflict, and the annotation is kept up to date, so that going back to
client-side apply works.

Pure.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kubegang.apimachinery.fieldset import FieldSet, difference, union
from kubegang.apimachinery.fieldvalues import changes, field_set
from kubegang.apimachinery.gotext import go_json
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.schema import Schema

LAST_APPLIED_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"


def agreed_fields(live: JsonObject | None, schema: Schema) -> FieldSet:
    """Return the fields that the annotation names and that are still as it says."""
    text = _annotations(live).get(LAST_APPLIED_ANNOTATION)
    if live is None or not text:
        return {}
    try:
        last = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return {}
    if not isinstance(last, dict) or any(
        last.get(k) != live.get(k) for k in ("apiVersion", "kind")
    ):
        return {}
    differing = changes(last, live, schema)
    return difference(field_set(last, schema), union(differing.changed, differing.removed))


def with_last_applied(obj: JsonObject, applied: JsonObject) -> JsonObject:
    """Return the object with its annotation saying what was applied, if it has one."""
    annotations = _annotations(obj)
    if LAST_APPLIED_ANNOTATION not in annotations:
        return obj
    updated = {**annotations, LAST_APPLIED_ANNOTATION: _text(applied)}
    return {**obj, "metadata": {**obj["metadata"], "annotations": updated}}


def _text(applied: JsonObject) -> str:
    sent = applied
    metadata = applied.get("metadata") or {}
    if LAST_APPLIED_ANNOTATION in (metadata.get("annotations") or {}):
        annotations = dict(metadata["annotations"])
        del annotations[LAST_APPLIED_ANNOTATION]
        sent = {**applied, "metadata": {**metadata, "annotations": annotations}}
    return go_json(_sorted(sent)) + "\n"


def _annotations(obj: JsonObject | None) -> JsonObject:
    annotations: JsonObject = ((obj or {}).get("metadata") or {}).get("annotations") or {}
    return annotations


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
