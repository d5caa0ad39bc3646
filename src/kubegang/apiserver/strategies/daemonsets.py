"""Daemon sets: the annotation that counts changes of the template."""

from __future__ import annotations

from kubegang.api.defaults.apps import TEMPLATE_GENERATION
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.strategies.rules import KindRules


def _prepare_create(daemon_set: JsonObject, _now: str) -> None:
    _set(daemon_set, max(_count(daemon_set), 1))


def _prepare_update(new: JsonObject, old: JsonObject) -> None:
    """Count the change; what a client sends does not matter."""
    template = (new.get("spec") or {}).get("template")
    changed = template != (old.get("spec") or {}).get("template")
    _set(new, _count(old) + (1 if changed else 0))


def _count(daemon_set: JsonObject) -> int:
    annotations = daemon_set["metadata"].get("annotations") or {}
    text = annotations.get(TEMPLATE_GENERATION) or "0"
    return int(text) if text.isascii() and text.isdigit() else 0


def _set(daemon_set: JsonObject, count: int) -> None:
    metadata = daemon_set["metadata"]
    metadata["annotations"] = {
        **(metadata.get("annotations") or {}),
        TEMPLATE_GENERATION: str(count),
    }


DAEMON_SETS = KindRules(prepare_create=_prepare_create, prepare_update=_prepare_update)
