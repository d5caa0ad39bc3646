"""Resource requests and limits.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from kubegang.api.defaults.pod_resources import supports_pod_level
from kubegang.api.validation.checks import Errors
from kubegang.api.validation.pods.claims import validate_container_claims
from kubegang.api.validation.pods.context import PodContext
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.names import is_qualified_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity, QuantityError

NameRule = Callable[[Path, str], Errors]
"""Which resources may be named somewhere."""

HUGE_PAGES = "hugepages-"
_QUOTA_PREFIX = "requests."
_NATIVE_DOMAIN = "kubernetes.io/"
_ZERO = Quantity.parse("0")

_COUNTED = frozenset(
    {
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    }
)
_CONTAINER = frozenset({"cpu", "memory", "ephemeral-storage"})
_STANDARD = (
    _COUNTED
    | _CONTAINER
    | {f"{prefix}.{name}" for prefix in ("requests", "limits") for name in _CONTAINER}
    | {"storage", "requests.storage"}
)
_POD_LEVEL = ("cpu", "hugepages-", "memory")


@lru_cache(maxsize=1024)
def is_native(name: str) -> bool:
    """Return whether a resource is Kubernetes' own: no domain, or kubernetes.io."""
    return "/" not in name or _NATIVE_DOMAIN in name


@lru_cache(maxsize=1024)
def is_extended(name: str) -> bool:
    """Return whether a resource is one that nodes advertise under a domain of their own."""
    if is_native(name) or name.startswith(_QUOTA_PREFIX):
        return False
    return not is_qualified_name(_QUOTA_PREFIX + name)


def validate_amount(path: Path, name: str, text: str | float) -> Errors:
    """Check one amount: not negative, and whole for what is counted."""
    for shown, detail in _amount_problems(name, text):
        yield invalid_value(path, shown, detail)


def validate_container_resources(
    resources: JsonObject | None, path: Path, context: PodContext
) -> Errors:
    """Check a container's requests, limits and claims."""
    if not resources:
        return
    yield from validate_requirements(resources, path, container_resource)
    if claims := resources.get("claims"):
        yield from validate_container_claims(claims, path.child("claims"), context)


def validate_overhead(overhead: JsonObject, path: Path) -> Errors:
    """Check the overhead that a runtime class adds; its errors are told as those of limits."""
    yield from validate_requirements({"limits": overhead}, path, container_resource)


def container_resource(path: Path, name: str) -> Errors:
    """Check the name of a resource that a container asks for."""
    for detail in _container_name_errors(name):
        yield invalid_value(path, name, detail)


def pod_resource(path: Path, name: str) -> Errors:
    """Check the name of a resource that a pod asks for as a whole."""
    errors = _name_errors(name)
    for detail in errors:
        yield invalid_value(path, name, detail)
    if not errors and not supports_pod_level(name):
        yield not_supported(path, name, _POD_LEVEL)


def validate_requirements(resources: JsonObject, path: Path, name_rule: NameRule) -> Errors:
    """Check requests and limits, and one against the other."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name, text in limits.items():
        yield from _entry(path.child("limits").key(name), name, text, name_rule)
    for name, text in requests.items():
        yield from _entry(path.child("requests").key(name), name, text, name_rule)
        yield from _against_limit(path, name, text, limits)
    names = limits.keys() | requests.keys()
    huge = any(name.startswith(HUGE_PAGES) for name in names)
    if huge and not names & {"cpu", "memory"}:
        yield forbidden_field(path, "HugePages require cpu or memory")


def _entry(path: Path, name: str, text: str | float, name_rule: NameRule) -> Errors:
    yield from name_rule(path, name)
    yield from validate_amount(path, name, text)
    if name.startswith(HUGE_PAGES) and not _divisible(name, text):
        shown = Quantity.parse(text).canonical()
        yield invalid_value(path, shown, f"{shown} is not positive integer multiple of {name}")


@lru_cache(maxsize=4096)
def _amount_problems(name: str, text: str | float) -> tuple[tuple[str, str], ...]:
    """Return what is wrong with an amount, and the amount as errors show it."""
    amount, problems = Quantity.parse(text), []
    if amount < _ZERO:
        problems.append("must be greater than or equal to 0")
    if (name in _COUNTED or is_extended(name)) and amount.milli_value() % 1000:
        problems.append("must be an integer")
    return tuple((amount.canonical(), problem) for problem in problems)


def _against_limit(path: Path, name: str, text: str | float, limits: Mapping[str, str]) -> Errors:
    overcommit = is_native(name) and not name.startswith(HUGE_PAGES)
    limit = limits.get(name)
    if limit is None:
        if not overcommit:
            detail = "Limit must be set for non overcommitable resources"
            yield required(path.child("limits"), detail)
        return
    if text == limit:
        return
    request, at_most = Quantity.parse(text), Quantity.parse(limit)
    if not overcommit and request != at_most:
        relation = "must be equal to"
    elif request > at_most:
        relation = "must be less than or equal to"
    else:
        return
    detail = f"{relation} {name} limit of {at_most.canonical()}"
    yield invalid_value(path.child("requests"), request.canonical(), detail)


def _divisible(name: str, text: str | float) -> bool:
    try:
        page = Quantity.parse(name.removeprefix(HUGE_PAGES))
    except QuantityError:
        return False
    if page <= _ZERO or page.milli_value() % 1000:
        return False
    return Quantity.parse(text).value() % page.value() == 0


@lru_cache(maxsize=1024)
def _name_errors(name: str) -> tuple[str, ...]:
    errors = is_qualified_name(name)
    if not errors and "/" not in name and name not in _STANDARD:
        huge = name.startswith((HUGE_PAGES, _QUOTA_PREFIX + HUGE_PAGES))
        if not huge:
            errors = ["must be a standard resource type or fully qualified"]
    return tuple(errors)


@lru_cache(maxsize=1024)
def _container_name_errors(name: str) -> tuple[str, ...]:
    errors = _name_errors(name)
    if "/" not in name:
        if name not in _CONTAINER and not name.startswith(HUGE_PAGES):
            errors += ("must be a standard resource for containers",)
    elif not is_native(name) and not is_extended(name):
        errors += ("doesn't follow extended resource name standard",)
    return errors
