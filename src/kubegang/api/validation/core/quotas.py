"""Resource quotas: what may be counted, and for which pods.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubegang.api.validation.checks import IMMUTABLE, Errors, matching
from kubegang.api.validation.pods.resources import HUGE_PAGES, validate_amount
from kubegang.apimachinery.field import Path, invalid_value, required
from kubegang.apimachinery.names import is_qualified_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_SPEC = Path("spec")
_STATUS = Path("status")

_POD_COMPUTE = frozenset(
    {"cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"}
)
_OBJECTS = frozenset(
    {
        "configmaps",
        "persistentvolumeclaims",
        "pods",
        "replicationcontrollers",
        "resourcequotas",
        "secrets",
        "services",
        "services.loadbalancers",
        "services.nodeports",
    }
)
_COUNTED = (
    _POD_COMPUTE
    | _OBJECTS
    | frozenset(
        {
            "ephemeral-storage",
            "limits.ephemeral-storage",
            "requests.ephemeral-storage",
            "requests.storage",
        }
    )
)

_POD_SCOPES = (
    "CrossNamespacePodAffinity",
    "NotBestEffort",
    "NotTerminating",
    "PriorityClass",
    "Terminating",
)
# What each scope can be about.
_SCOPES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(_POD_SCOPES, _POD_COMPUTE | {"pods"}),
    "BestEffort": frozenset({"pods"}),
    "VolumeAttributesClass": frozenset({"persistentvolumeclaims", "requests.storage"}),
}
_WITHOUT_VALUES = (
    "BestEffort",
    "NotBestEffort",
    "Terminating",
    "NotTerminating",
    "CrossNamespacePodAffinity",
)
_CONFLICTS = ({"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"})

_ONLY_EXISTS = (
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
    "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
    "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)


def validate_quota(quota: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a new quota."""
    yield from _spec(quota.get("spec") or {})


def validate_quota_update(new: JsonObject, old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check a changed quota: its scopes stay."""
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    yield from _spec(spec)
    scopes = spec.get("scopes") or []
    if set(scopes) != set(old_spec.get("scopes") or ()):
        yield invalid_value(_SPEC.child("scopes"), scopes or None, IMMUTABLE)


def validate_quota_status(new: JsonObject, _old: JsonObject, _gates: FeatureGates) -> Errors:
    """Check what is counted, and how much of it there is."""
    status = new.get("status") or {}
    for name in ("hard", "used"):
        yield from _amounts(status.get(name) or {}, _STATUS.child(name))


def is_counted(name: str) -> bool:
    """Return whether quotas know a resource without a domain."""
    return name in _COUNTED or name.startswith((HUGE_PAGES, f"requests.{HUGE_PAGES}"))


def validate_resource_name(path: Path, name: str) -> Errors:
    """Check the name of a resource that a quota or a limit range is about."""
    errors = list(matching(path, name, is_qualified_name))
    yield from errors
    if not errors and "/" not in name and not is_counted(name) and name != "storage":
        detail = "must be a standard resource type or fully qualified"
        yield invalid_value(path, name, detail)


def _spec(spec: JsonObject) -> Errors:
    hard = spec.get("hard") or {}
    yield from _amounts(hard, _SPEC.child("hard"))
    scopes = spec.get("scopes") or []
    yield from _scopes(scopes, hard)
    if (selector := spec.get("scopeSelector")) is not None:
        yield from _selector(selector, hard, scopes)


def _amounts(amounts: Mapping[str, str], path: Path) -> Errors:
    for name, amount in amounts.items():
        where = path.key(name)
        yield from validate_resource_name(where, name)
        if "/" not in name and not is_counted(name):
            yield invalid_value(where, name, "must be a standard resource for quota")
        yield from validate_amount(where, name, amount)


def _scopes(scopes: Sequence[str], hard: Mapping[str, str]) -> Errors:
    path = _SPEC.child("scopes")
    for scope in scopes:
        if scope not in _SCOPES:
            yield invalid_value(path, scopes, "unsupported scope")
        for _ in _beside(scope, hard):
            yield invalid_value(path, scopes, "unsupported scope applied to resource")
    yield from _conflicts(set(scopes), scopes)


def _conflicts(given: set[str], shown: Sequence[str]) -> Errors:
    for pair in _CONFLICTS:
        if pair <= given:
            yield invalid_value(_SPEC.child("scopes"), shown or None, "conflicting scopes")


def _beside(scope: str, hard: Mapping[str, str]) -> list[str]:
    """Return the resources to which a scope does not apply."""
    about = _SCOPES.get(scope)
    if about is None:
        return []
    return [name for name in sorted(hard) if is_counted(name) and name not in about]


def _selector(selector: JsonObject, hard: Mapping[str, str], scopes: Sequence[str]) -> Errors:
    path = _SPEC.child("scopeSelector", "matchExpressions")
    requirements = selector.get("matchExpressions") or ()
    for requirement in requirements:
        scope = requirement.get("scopeName") or ""
        if scope not in _SCOPES:
            yield invalid_value(path.child("scopeName"), scope, "unsupported scope")
        for _ in _beside(scope, hard):
            detail = "unsupported scope applied to resource"
            yield invalid_value(path, _selector_form(selector), detail)
        yield from _requirement(requirement, path)
    yield from _conflicts({item.get("scopeName") or "" for item in requirements}, scopes)


def _requirement(requirement: JsonObject, path: Path) -> Errors:
    scope, operator = requirement.get("scopeName"), requirement.get("operator") or ""
    values = requirement.get("values") or ()
    if scope in _WITHOUT_VALUES and operator != "Exists":
        yield invalid_value(path.child("operator"), operator, _ONLY_EXISTS)
    if operator in ("In", "NotIn"):
        if not values:
            detail = (
                "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
            )
            yield required(path.child("values"), detail)
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = (
                "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
            )
            yield invalid_value(path.child("values"), values, detail)
    else:
        yield invalid_value(path.child("operator"), operator, "not a valid selector operator")


def _selector_form(selector: JsonObject) -> JsonObject:
    return {
        "MatchExpressions": [
            {
                "ScopeName": item.get("scopeName") or "",
                "Operator": item.get("operator") or "",
                "Values": item.get("values") or None,
            }
            for item in selector.get("matchExpressions") or ()
        ]
    }
