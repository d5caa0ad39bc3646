"""HorizontalPodAutoscalers: what annotations of autoscaling/v1 stand for.

In that version a part of the spec and a part of the status are annotations, so that whoever
writes one of the two must leave the annotations of the other as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubegang.api.autoscaling.conversion import (
    SPEC_ANNOTATIONS,
    STATUS_ANNOTATIONS,
    V1,
    drop_own_annotations,
    to_v1,
    to_v2,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.strategies.rules import KindRules


def _fill_in(autoscaler: JsonObject) -> None:
    """Bring annotations to the one form in which the server writes them."""
    if autoscaler["apiVersion"] == V1:
        autoscaler.update(to_v1(to_v2(autoscaler)))
    else:
        drop_own_annotations(autoscaler)


def _counted(autoscaler: JsonObject) -> Any:
    return (to_v2(autoscaler) if autoscaler["apiVersion"] == V1 else autoscaler).get("spec")


def _without_status(new: JsonObject, _now: str) -> None:
    _keep(new, {"metadata": {}}, STATUS_ANNOTATIONS)


def _keep_status(new: JsonObject, old: JsonObject) -> None:
    _keep(new, old, STATUS_ANNOTATIONS)


def _keep_spec(new: JsonObject, old: JsonObject) -> None:
    _keep(new, old, SPEC_ANNOTATIONS)


def _keep(new: JsonObject, old: JsonObject, names: Iterable[str]) -> None:
    if new["apiVersion"] != V1:
        return
    kept = old["metadata"].get("annotations") or {}
    annotations = dict(new["metadata"].get("annotations") or {})
    for name in names:
        annotations.pop(name, None)
        if name in kept:
            annotations[name] = kept[name]
    new["metadata"]["annotations"] = annotations


AUTOSCALERS = KindRules(
    fill_in=_fill_in,
    counted=_counted,
    prepare_create=_without_status,
    prepare_update=_keep_status,
    prepare_status_update=_keep_spec,
)
