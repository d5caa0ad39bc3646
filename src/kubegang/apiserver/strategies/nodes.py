"""Nodes: what their kubelet took its configuration from, which nobody can say any more."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.strategies.rules import KindRules


def _prepare_create(node: JsonObject, _now: str) -> None:
    """Take the source away, and what the kubelet made of it (KEP-281 was given up)."""
    (node.get("spec") or {}).pop("configSource", None)
    (node.get("status") or {}).pop("config", None)


def _prepare_update(new: JsonObject, old: JsonObject) -> None:
    if (old.get("spec") or {}).get("configSource") is None:
        (new.get("spec") or {}).pop("configSource", None)


def _prepare_status_update(new: JsonObject, old: JsonObject) -> None:
    if (old.get("status") or {}).get("config") is None:
        (new.get("status") or {}).pop("config", None)


NODES = KindRules(
    keeps_status_on_create=True,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    prepare_status_update=_prepare_status_update,
)
