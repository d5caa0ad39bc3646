"""Specs of persistent volume claims, wherever they stand."""

from __future__ import annotations

from kubegang.api.warnings.kinds import Warnings
from kubegang.api.warnings.quantities import fraction_warnings
from kubegang.apimachinery.objects import JsonObject


def claim_spec_warnings(spec: JsonObject, path: str) -> Warnings:
    """Warn of a size that is no whole number of bytes."""
    resources = spec.get("resources") or {}
    for name in ("requests", "limits"):
        yield from fraction_warnings(resources.get(name), ("storage",), f"{path}.resources.{name}")
