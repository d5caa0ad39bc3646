"""What one object counts for, by the names that quotas use.

Every namespaced resource has ``count/RESOURCE.GROUP``; pods, services, claims and a few others
have names of their own besides (the names and rules of upstream's evaluators). Pure.
"""

from __future__ import annotations

from collections.abc import Collection

from kubegang.api.quotas.amounts import ONE, ZERO, Amounts, amounts_of
from kubegang.api.quotas.podtotals import pod_total
from kubegang.apimachinery.objects import GroupResource, JsonObject
from kubegang.apimachinery.times import parse_time

PODS = GroupResource("", "pods")
SERVICES = GroupResource("", "services")
CLAIMS = GroupResource("", "persistentvolumeclaims")

_NATIVE = ("cpu", "memory", "ephemeral-storage")
_PLAIN_COUNTS = ("configmaps", "replicationcontrollers", "resourcequotas", "secrets")
_FINISHED = ("Succeeded", "Failed")
_POD_NAMES = frozenset(
    {"pods", *_NATIVE, *(f"{side}.{name}" for side in ("requests", "limits") for name in _NATIVE)}
)
_SERVICE_NAMES = frozenset({"services", "services.nodeports", "services.loadbalancers"})
_CLAIM_NAMES = frozenset({"persistentvolumeclaims", "requests.storage"})
_CLASS_SUFFIX = ".storageclass.storage.k8s.io/"
_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"


def count_name(resource: GroupResource) -> str:
    """Return the name under which all objects of a resource are counted."""
    return f"count/{resource}"


def matching_names(resource: GroupResource, names: Collection[str]) -> list[str]:
    """Return those names of a quota that are about a resource."""
    return [name for name in names if _is_about(resource, name)]


def usage_of(resource: GroupResource, obj: JsonObject, *, now: float) -> Amounts:
    """Return what an object counts for."""
    counted = {count_name(resource): ONE}
    if resource == PODS:
        return {**counted, **_pod(obj, now)}
    if resource == SERVICES:
        return {**counted, **_service(obj)}
    if resource == CLAIMS:
        return {**counted, **_claim(obj)}
    if not resource.group and resource.resource in _PLAIN_COUNTS:
        return {**counted, resource.resource: ONE}
    return counted


def compute_usage(requests: Amounts, limits: Amounts) -> Amounts:
    """Return requests and limits under the names that quotas use."""
    usage: Amounts = {}
    for name, amount in requests.items():
        if name in _NATIVE or name.startswith("hugepages-"):
            usage[name] = amount
        if name in _NATIVE or name.startswith("hugepages-") or "/" in name:
            usage[f"requests.{name}"] = amount
    for name, amount in limits.items():
        if name in _NATIVE:
            usage[f"limits.{name}"] = amount
    return usage


def _is_about(resource: GroupResource, name: str) -> bool:
    if name == count_name(resource):
        return True
    if resource == PODS:
        return name in _POD_NAMES or _is_pods_extended(name)
    if resource == SERVICES:
        return name in _SERVICE_NAMES
    if resource == CLAIMS:
        return name in _CLAIM_NAMES or _CLASS_SUFFIX in name
    return not resource.group and resource.resource in _PLAIN_COUNTS and name == resource.resource


def _is_pods_extended(name: str) -> bool:
    bare = name.removeprefix("requests.")
    if bare.startswith("hugepages-"):
        return True
    return bare != name and "/" in bare and _CLASS_SUFFIX not in name


def _pod(pod: JsonObject, now: float) -> Amounts:
    """A pod counts until it is finished, or should have been gone."""
    if (pod.get("status") or {}).get("phase") in _FINISHED or _overdue(pod, now):
        return {}
    return {"pods": ONE, **compute_usage(pod_total(pod, "requests"), pod_total(pod, "limits"))}


def _overdue(pod: JsonObject, now: float) -> bool:
    metadata = pod.get("metadata") or {}
    deleted = metadata.get("deletionTimestamp")
    if not deleted:
        return False
    # The time of deletion has the grace period in it already; upstream adds it once more.
    return now > parse_time(deleted) + (metadata.get("deletionGracePeriodSeconds") or 0)


def _service(service: JsonObject) -> Amounts:
    spec = service.get("spec") or {}
    ports = spec.get("ports") or ()
    usage = {"services": ONE, "services.loadbalancers": ZERO, "services.nodeports": ZERO}
    count = ONE.with_value(len(ports))
    if spec.get("type") == "NodePort":
        usage["services.nodeports"] = count
    elif spec.get("type") == "LoadBalancer":
        usage["services.loadbalancers"] = ONE
        if spec.get("allocateLoadBalancerNodePorts") is not False:
            usage["services.nodeports"] = count
        else:
            usage["services.nodeports"] = ONE.with_value(
                sum(bool(p.get("nodePort")) for p in ports)
            )
    return usage


def _claim(claim: JsonObject) -> Amounts:
    spec, metadata = claim.get("spec") or {}, claim.get("metadata") or {}
    usage = {"persistentvolumeclaims": ONE}
    storage = amounts_of((spec.get("resources") or {}).get("requests")).get("storage")
    if storage is not None:
        usage["requests.storage"] = storage
    annotations = metadata.get("annotations") or {}
    storage_class = annotations.get(_CLASS_ANNOTATION) or spec.get("storageClassName") or ""
    if storage_class:
        usage[f"{storage_class}{_CLASS_SUFFIX}persistentvolumeclaims"] = ONE
        if storage is not None:
            usage[f"{storage_class}{_CLASS_SUFFIX}requests.storage"] = storage
    return usage
