"""Resources stated for a pod as a whole (KEP-2837).

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.defaults.pod_resources import Amounts, aggregate
from kubegang.api.validation.checks import Errors
from kubegang.api.validation.pods.claims import validate_container_claims
from kubegang.api.validation.pods.context import PodContext
from kubegang.api.validation.pods.resources import (
    HUGE_PAGES,
    pod_resource,
    validate_requirements,
)
from kubegang.apimachinery.field import Path, forbidden_field, invalid_value
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity


def validate_pod_resources(spec: JsonObject, path: Path, context: PodContext) -> Errors:
    """Check the pod's own requests and limits, and that they are enough for its containers."""
    resources = spec.get("resources")
    if resources is None:
        return
    if context.os == "windows":
        yield forbidden_field(path, "may not be set for a windows pod")
        return
    if resources.get("claims") is not None:
        detail = "claims may not be set for Resources at pod-level"
        yield forbidden_field(path.child("claims"), detail)
    yield from validate_requirements(resources, path, pod_resource)
    if claims := resources.get("claims"):
        yield from validate_container_claims(claims, path.child("claims"), context)
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    yield from _enough(aggregate(spec, "requests"), requests, path.child("requests"), "requests")
    huge_pages = {
        name: amount
        for name, amount in aggregate(spec, "limits").items()
        if name.startswith(HUGE_PAGES)
    }
    yield from _enough(huge_pages, limits, path.child("limits"), "limits")
    yield from _container_limits(spec, limits, path)


def _enough(needed: Amounts, stated: Mapping[str, str], path: Path, what: str) -> Errors:
    for name, amount in needed.items():
        if name not in stated:
            continue
        offered = Quantity.parse(stated[name])
        if amount > offered:
            detail = (
                f"must be greater than or equal to aggregate container {what} of "
                f"{amount.canonical()}"
            )
            yield invalid_value(path.key(name), offered.canonical(), detail)


def _container_limits(spec: JsonObject, limits: Mapping[str, str], path: Path) -> Errors:
    for position, container in enumerate(spec.get("containers") or ()):
        own = (container.get("resources") or {}).get("limits") or {}
        for name, text in own.items():
            if name not in limits:
                continue
            limit, pod_limit = Quantity.parse(text), Quantity.parse(limits[name])
            if limit > pod_limit:
                where = path.child("containers").index(position).key(name).child("limits")
                detail = f"must be less than or equal to pod limits of {pod_limit.canonical()}"
                yield invalid_value(where, limit.canonical(), detail)
