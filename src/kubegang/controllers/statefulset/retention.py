"""Who owns the claims of a pod: nobody, its set, or itself when it is scaled away.

Upstream's rules for ``spec.persistentVolumeClaimRetentionPolicy``. Pure.
"""

from __future__ import annotations

import copy

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.owners import controller_reference
from kubegang.controllers.statefulset.identity import claim_name, ordinal_of, ordinals
from kubegang.controllers.workloads.objects import name_of

_KEPT = {"kind": "PersistentVolumeClaim", "apiVersion": "v1"}


def new_claim(stateful_set: JsonObject, template: JsonObject, ordinal: int) -> JsonObject:
    """Return the claim of a pod to create."""
    metadata = template["metadata"]
    selected = (stateful_set["spec"].get("selector") or {}).get("matchLabels") or {}
    claim: JsonObject = {
        **_KEPT,
        "metadata": {
            "name": claim_name(stateful_set, template, ordinal),
            "namespace": stateful_set["metadata"]["namespace"],
            "labels": {**(metadata.get("labels") or {}), **selected},
            "annotations": dict(metadata.get("annotations") or {}),
        },
        "spec": copy.deepcopy(template["spec"]),
    }
    if metadata.get("finalizers"):
        claim["metadata"]["finalizers"] = list(metadata["finalizers"])
    return claim


def is_stale(claim: JsonObject, pod: JsonObject) -> bool:
    """Return whether a claim still belongs to an earlier pod of the same name."""
    uid = pod["metadata"].get("uid", "")
    return any(_means(owner, pod) and owner["uid"] != uid for owner in _owners(claim))


def waits_for_claims(stateful_set: JsonObject) -> bool:
    """Return whether claims go with pods, so that a new pod waits until the old ones are gone."""
    return _policy(stateful_set, "whenScaled") == "Delete"


def has_other_controller(claim: JsonObject, stateful_set: JsonObject, pod: JsonObject) -> bool:
    """Return whether somebody else controls a claim that is not simply kept."""
    if {_policy(stateful_set, name) for name in ("whenScaled", "whenDeleted")} == {"Retain"}:
        return False
    for owner in _owners(claim):
        ours = next((one for one in (stateful_set, pod) if _means(owner, one)), None)
        if ours is None:
            if owner.get("controller"):
                return True
        elif owner["uid"] != ours["metadata"].get("uid", ""):
            return True
    return False


def is_right(claim: JsonObject, stateful_set: JsonObject, pod: JsonObject) -> bool:
    """Return whether a claim has the owner that the policy asks for, or is to be left alone."""
    if is_stale(claim, stateful_set) or is_stale(claim, pod):
        return True
    of_set, of_pod = _is_owned(claim, stateful_set), _is_owned(claim, pod)
    if has_other_controller(claim, stateful_set, pod):
        return not (of_set or of_pod)
    uids = {one["metadata"].get("uid", "") for one in (stateful_set, pod)}
    if any(owner["uid"] in uids and not owner.get("controller") for owner in _owners(claim)):
        return False
    wanted = _wanted(stateful_set, pod)
    return of_set == (wanted is stateful_set) and of_pod == (wanted is pod)


def with_right_owner(claim: JsonObject, stateful_set: JsonObject, pod: JsonObject) -> JsonObject:
    """Return a claim with the owner that the policy asks for."""
    others = [
        owner
        for owner in _owners(claim)
        if not _means(owner, stateful_set) and not _means(owner, pod)
    ]
    wanted = _wanted(stateful_set, pod)
    if wanted is not None and not has_other_controller(claim, stateful_set, pod):
        others.append(controller_reference(wanted))
    return {**claim, "metadata": {**claim["metadata"], "ownerReferences": others}}


def _wanted(stateful_set: JsonObject, pod: JsonObject) -> JsonObject | None:
    if _policy(stateful_set, "whenScaled") == "Delete" and ordinal_of(pod) not in ordinals(
        stateful_set
    ):
        return pod
    return stateful_set if _policy(stateful_set, "whenDeleted") == "Delete" else None


def _policy(stateful_set: JsonObject, name: str) -> str:
    policy = stateful_set["spec"].get("persistentVolumeClaimRetentionPolicy") or {}
    return str(policy.get(name) or "Retain")


def _means(owner: JsonObject, obj: JsonObject) -> bool:
    """Return whether an owner reference is about an object of this kind and name."""
    is_kind = (owner["apiVersion"], owner["kind"]) == (obj["apiVersion"], obj["kind"])
    return is_kind and bool(owner["name"] == name_of(obj))


def _is_owned(claim: JsonObject, obj: JsonObject) -> bool:
    uid = obj["metadata"].get("uid", "")
    return any(owner["uid"] == uid for owner in _owners(claim))


def _owners(claim: JsonObject) -> list[JsonObject]:
    owners: list[JsonObject] = claim["metadata"].get("ownerReferences") or []
    return owners
