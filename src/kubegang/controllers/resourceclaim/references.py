"""Which ResourceClaims pods and PodGroups use, and which of them a group's pods share. Pure.

Both list claims by name or by template. One made from a template has its name in the status
of whom it was made for. A pod's claim is its group's if all three fields are equal to those
of one of the group's (KEP-5729).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.owners import controller_of, is_controlled_by

FINALIZER: Final = "resource.kubernetes.io/delete-protection"
SCHEDULING_GROUP: Final = "scheduling.k8s.io"
BY_CLAIM: Final = "resource-claim"
BY_TEMPLATE: Final = "resource-claim-template"
BY_GROUP: Final = "pod-group"
BY_OWNER: Final = "owner"

_MATCHED: Final = ("name", "resourceClaimName", "resourceClaimTemplateName")


class ClaimName(msgspec.Struct, frozen=True):
    """What became of an entry in ``spec.resourceClaims``.

    Attributes:
        name: the claim's, ``None`` if none is needed.
        made: it was made from a template, so its owner has to be looked at.
    """

    name: str | None
    made: bool


def entries(obj: JsonObject) -> list[JsonObject]:
    """Return the claims that a pod or a PodGroup lists."""
    return list(obj["spec"].get("resourceClaims") or ())


def name_of(obj: JsonObject, entry: JsonObject) -> ClaimName | None:
    """Return the name behind an entry of a pod or a PodGroup, ``None`` if it is not made yet."""
    named = entry.get("resourceClaimName")
    if named is not None:
        return ClaimName(named, made=False)
    for status in (obj.get("status") or {}).get("resourceClaimStatuses") or ():
        if status["name"] == entry["name"]:
            return ClaimName(status.get("resourceClaimName"), made=True)
    return None


def listed_claims(obj: JsonObject) -> Iterator[str]:
    """Yield the names of the claims of a pod or a PodGroup that are known already."""
    for entry in entries(obj):
        found = name_of(obj, entry)
        if found is not None and found.name:
            yield found.name


def used_claims(pod: JsonObject) -> Iterator[str]:
    """Yield the names of a pod's claims, the one for its extended resources included."""
    yield from listed_claims(pod)
    extended = (pod.get("status") or {}).get("extendedResourceClaimStatus") or {}
    if extended.get("resourceClaimName"):
        yield extended["resourceClaimName"]


def uses_claims(pod: JsonObject) -> bool:
    """Return whether a pod has claims, made already or not."""
    status = pod.get("status") or {}
    return bool(entries(pod)) or status.get("extendedResourceClaimStatus") is not None


def group_name(pod: JsonObject) -> str:
    """Return the name of the PodGroup that a pod names, or an empty text."""
    return str((pod["spec"].get("schedulingGroup") or {}).get("podGroupName") or "")


def is_of_group(group: JsonObject | None, entry: JsonObject) -> bool:
    """Return whether a pod's claim is one of its group's: all three fields are equal."""
    return group is not None and any(
        all(own.get(field) == entry.get(field) for field in _MATCHED) for own in entries(group)
    )


def consumer_of(obj: JsonObject) -> JsonObject:
    """Return the entry in ``status.reservedFor`` of a pod or a PodGroup."""
    metadata = obj["metadata"]
    who = {"name": metadata["name"], "uid": metadata["uid"]}
    if obj["kind"] == "PodGroup":
        return {"apiGroup": SCHEDULING_GROUP, "resource": "podgroups", **who}
    return {"resource": "pods", **who}


def is_made_for(pod: JsonObject, claim: JsonObject, *, or_group: bool) -> bool:
    """Return whether a claim was made for a pod or, if that may be, for its group.

    The pod does not know its group's uid, so the name has to do (KEP-5729).
    """
    if is_controlled_by(claim, pod["metadata"]["uid"]):
        return True
    owner = controller_of(claim)
    name = group_name(pod)
    return bool(or_group and name and _is_group(owner) and owner and owner["name"] == name)


def is_reserved_for(pod: JsonObject, claim: JsonObject, *, or_group: bool) -> bool:
    """Return whether a pod may use a claim: it or, if that may be, its group is listed."""
    name = group_name(pod)
    return any(
        entry["uid"] == pod["metadata"]["uid"]
        or bool(or_group and name and is_group_entry(entry) and entry["name"] == name)
        for entry in reservations(claim)
    )


def reservations(claim: JsonObject) -> list[JsonObject]:
    """Return whom a claim is reserved for."""
    return list((claim.get("status") or {}).get("reservedFor") or ())


def is_held(claim: JsonObject) -> bool:
    """Return whether the scheduler's finalizer keeps a claim."""
    return FINALIZER in (claim["metadata"].get("finalizers") or ())


def is_allocated(claim: JsonObject) -> bool:
    """Return whether a claim has devices."""
    return (claim.get("status") or {}).get("allocation") is not None


def is_pod_entry(entry: JsonObject) -> bool:
    """Return whether an entry of ``status.reservedFor`` is a pod's."""
    return not entry.get("apiGroup") and entry["resource"] == "pods"


def is_group_entry(entry: JsonObject) -> bool:
    """Return whether an entry of ``status.reservedFor`` is a PodGroup's."""
    return entry.get("apiGroup") == SCHEDULING_GROUP and entry["resource"] == "podgroups"


def owning_pod(claim: JsonObject) -> JsonObject | None:
    """Return the reference to the pod that a claim was made for."""
    owner = controller_of(claim)
    is_pod = owner is not None and owner["apiVersion"] == "v1" and owner["kind"] == "Pod"
    return owner if is_pod else None


def is_done(pod: JsonObject) -> bool:
    """Return whether nothing of a pod runs, or ever will."""
    if (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed"):
        return True
    return is_deleted(pod) and not pod["spec"].get("nodeName")


def is_deleted(obj: JsonObject) -> bool:
    """Return whether an object is being deleted."""
    return obj["metadata"].get("deletionTimestamp") is not None


def index_by_claim(obj: JsonObject) -> list[str]:
    """Return namespace and name of each claim that a pod or a PodGroup lists."""
    return [f"{obj['metadata']['namespace']}/{name}" for name in sorted(set(listed_claims(obj)))]


def index_by_template(obj: JsonObject) -> list[str]:
    """Return namespace and name of each template that a pod or a PodGroup lists."""
    templates = {entry.get("resourceClaimTemplateName") or "" for entry in entries(obj)} - {""}
    return [f"{obj['metadata']['namespace']}/{name}" for name in sorted(templates)]


def index_by_group(pod: JsonObject) -> list[str]:
    """Return namespace and name of the group that a pod names."""
    name = group_name(pod)
    return [f"{pod['metadata']['namespace']}/{name}"] if name else []


def index_by_owner(claim: JsonObject) -> list[str]:
    """Return namespace and uid of the pod or the PodGroup that a claim was made for."""
    owner = controller_of(claim)
    if owner is None or not (owning_pod(claim) or _is_group(owner)):
        return []
    return [f"{claim['metadata']['namespace']}/{owner['uid']}"]


def _is_group(owner: JsonObject | None) -> bool:
    if owner is None or owner["kind"] != "PodGroup":
        return False
    # In whichever version it was written.
    return str(owner["apiVersion"]).startswith(f"{SCHEDULING_GROUP}/")
