"""Which pods a quota's scopes take in.

Pure.
"""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject

_AFFINITIES = ("podAffinity", "podAntiAffinity")


def pod_in_scopes(quota: JsonObject, pod: JsonObject, *, best_effort: bool) -> bool:
    """Return whether a pod is in every scope of a quota.

    Args:
        quota: the quota.
        pod: the pod.
        best_effort: whether its quality of service is BestEffort.
    """
    spec = quota.get("spec") or {}
    requirements = [
        {"scopeName": scope, "operator": "Exists"} for scope in spec.get("scopes") or ()
    ]
    selector = spec.get("scopeSelector") or {}
    requirements += selector.get("matchExpressions") or ()
    return all(_meets(one, pod, best_effort=best_effort) for one in requirements)


def has_scopes(quota: JsonObject) -> bool:
    """Return whether a quota is limited to some pods."""
    spec = quota.get("spec") or {}
    return bool(spec.get("scopes") or (spec.get("scopeSelector") or {}).get("matchExpressions"))


def _meets(requirement: JsonObject, pod: JsonObject, *, best_effort: bool) -> bool:
    spec = pod.get("spec") or {}
    has_deadline = spec.get("activeDeadlineSeconds") is not None
    match requirement["scopeName"]:
        case "Terminating":
            return has_deadline
        case "NotTerminating":
            return not has_deadline
        case "BestEffort":
            return best_effort
        case "NotBestEffort":
            return not best_effort
        case "PriorityClass":
            return _chosen(requirement, spec.get("priorityClassName") or "")
        case "CrossNamespacePodAffinity":
            return _looks_across(spec)
    return False


def _chosen(requirement: JsonObject, value: str) -> bool:
    values = requirement.get("values") or ()
    match requirement.get("operator"):
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "DoesNotExist":
            return not value
    return bool(value)


def _looks_across(spec: JsonObject) -> bool:
    """Return whether an affinity term names other namespaces."""
    affinity = spec.get("affinity") or {}
    for name in _AFFINITIES:
        rules = affinity.get(name) or {}
        terms = list(rules.get("requiredDuringSchedulingIgnoredDuringExecution") or ())
        preferred = rules.get("preferredDuringSchedulingIgnoredDuringExecution") or ()
        terms += [one.get("podAffinityTerm") or {} for one in preferred]
        if any(
            term.get("namespaces") or term.get("namespaceSelector") is not None for term in terms
        ):
            return True
    return False
