"""LimitRanger: what containers leave open is filled in, and what is out of range is refused.

Rules and texts are upstream's (measured on 1.37.2). Pods are looked at when they are created,
claims whenever they are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubegang.api.quotas.amounts import Amounts, amounts_of, to_wire
from kubegang.api.quotas.podtotals import pod_total
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity
from kubegang.apiserver.admission.request import AdmissionRequest, Lookup
from kubegang.base.feature_gates import FeatureGates

ANNOTATION = "kubernetes.io/limit-ranger"


def fill_in_limits(request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates) -> None:
    """Give a new pod's containers the default requests and limits of the namespace."""
    for limit_range in lookup.limit_ranges(request.namespace):
        _fill_in(request.obj, limit_range)


def check_pod_limits(request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates) -> None:
    """Refuse a new pod that is out of range."""
    for limit_range in lookup.limit_ranges(request.namespace):
        _refuse(request, _pod_faults(request.obj, limit_range))


def check_claim_limits(request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates) -> None:
    """Refuse a claim that is out of range."""
    if request.subresource or "deletionTimestamp" in request.obj["metadata"]:
        return
    resources = (request.obj.get("spec") or {}).get("resources") or {}
    requests = amounts_of(resources.get("requests"))
    for limit_range in lookup.limit_ranges(request.namespace):
        _refuse(request, _claim_faults(requests, limit_range))


def _refuse(request: AdmissionRequest, faults: Iterable[str]) -> None:
    texts = list(dict.fromkeys(faults))
    if texts:
        raise request.refuse(texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")


def _fill_in(pod: JsonObject, limit_range: JsonObject) -> None:
    defaults: dict[str, dict[str, str]] = {"requests": {}, "limits": {}}
    for limit in _limits(limit_range, "Container"):
        defaults["requests"] |= limit.get("defaultRequest") or {}
        defaults["limits"] |= limit.get("default") or {}
    told: list[str] = []
    spec = pod["spec"]
    for what, member in (("container", "containers"), ("init container", "initContainers")):
        for container in spec.get(member) or ():
            for side, word in (("requests", "request"), ("limits", "limit")):
                given = _fill_container(container, side, defaults[side])
                if given:
                    told.append(f"{', '.join(given)} {word} for {what} {container['name']}")
    if told:
        metadata = pod["metadata"]
        text = f"LimitRanger plugin set: {'; '.join(told)}"
        metadata["annotations"] = {**(metadata.get("annotations") or {}), ANNOTATION: text}


def _fill_container(container: JsonObject, side: str, defaults: dict[str, str]) -> list[str]:
    """Fill in one side of a container's resources; return what was missing."""
    resources = container.get("resources") or {}
    known = resources.get(side) or {}
    missing = sorted(name for name in defaults if name not in known)
    if missing:
        whole = {**known, **{name: defaults[name] for name in missing}}
        resources[side] = to_wire(amounts_of(whole))
        container["resources"] = resources
    return missing


def _pod_faults(pod: JsonObject, limit_range: JsonObject) -> Iterator[str]:
    spec = pod["spec"]
    containers = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
    for limit in (limit_range.get("spec") or {}).get("limits") or ():
        if limit.get("type") == "Container":
            for container in containers:
                resources = container.get("resources") or {}
                requests = amounts_of(resources.get("requests"))
                limits = amounts_of(resources.get("limits"))
                yield from _faults(limit, requests, limits)
        elif limit.get("type") == "Pod":
            yield from _faults(limit, pod_total(pod, "requests"), pod_total(pod, "limits"))


def _faults(limit: JsonObject, requests: Amounts, limits: Amounts) -> Iterator[str]:
    kind = limit["type"]
    for name, least in sorted(amounts_of(limit.get("min")).items()):
        rule = f"minimum {name} usage per {kind} is {least}"
        yield from _below(rule, least, requests.get(name), limits.get(name))
    for name, most in sorted(amounts_of(limit.get("max")).items()):
        rule = f"maximum {name} usage per {kind} is {most}"
        yield from _above(rule, most, requests.get(name), limits.get(name))
    for name, most in sorted(amounts_of(limit.get("maxLimitRequestRatio")).items()):
        rule = f"{name} max limit to request ratio per {kind} is {most}"
        yield from _stretched(rule, most, requests.get(name), limits.get(name))


def _below(
    rule: str, least: Quantity, request: Quantity | None, limit: Quantity | None
) -> Iterator[str]:
    if request is None:
        yield f"{rule}.  No request is specified"
    elif request < least:
        yield f"{rule}, but request is {request}"
    elif limit is not None and limit < least:
        yield f"{rule}, but limit is {limit}"


def _above(
    rule: str, most: Quantity, request: Quantity | None, limit: Quantity | None
) -> Iterator[str]:
    if limit is None:
        yield f"{rule}.  No limit is specified"
    elif most < limit:
        yield f"{rule}, but limit is {limit}"
    elif request is not None and most < request:
        yield f"{rule}, but request is {request}"


def _stretched(
    rule: str, most: Quantity, request: Quantity | None, limit: Quantity | None
) -> Iterator[str]:
    if request is None or not request.nano_value():
        yield f"{rule}, but no request is specified or request is 0"
    elif limit is None or not limit.nano_value():
        yield f"{rule}, but no limit is specified or limit is 0"
    else:
        ratio = limit.nano_value() / request.nano_value()
        if ratio > most.nano_value() / 10**9:
            yield f"{rule}, but provided ratio is {ratio:f}"


def _claim_faults(requests: Amounts, limit_range: JsonObject) -> Iterator[str]:
    for limit in _limits(limit_range, "PersistentVolumeClaim"):
        for name, least in sorted(amounts_of(limit.get("min")).items()):
            rule = f"minimum {name} usage per PersistentVolumeClaim is {least}"
            yield from _below(rule, least, requests.get(name), None)
        for name, most in sorted(amounts_of(limit.get("max")).items()):
            rule = f"maximum {name} usage per PersistentVolumeClaim is {most}"
            request = requests.get(name)
            if request is None:
                yield f"{rule}.  No request is specified"
            elif most < request:
                yield f"{rule}, but request is {request}"


def _limits(limit_range: JsonObject, kind: str) -> list[JsonObject]:
    limits = (limit_range.get("spec") or {}).get("limits") or ()
    return [limit for limit in limits if limit.get("type") == kind]
