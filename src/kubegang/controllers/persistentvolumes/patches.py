"""What is written to bind, unbind and mark claims and volumes; ``None`` where nothing is. Pure."""

from __future__ import annotations

from kubegang.api.core.volumeannotations import (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    OLD_PROVISIONER,
    PROVISIONER,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.persistentvolumes.objects import (
    has_annotation,
    is_promised_to,
    name_of,
    phase_of,
    reference_of,
    volume_name_of,
)


def promise_volume(volume: JsonObject, claim: JsonObject) -> JsonObject | None:
    """Return how a volume comes to name a claim."""
    metadata: JsonObject = {}
    if not is_promised_to(volume, claim) and not has_annotation(volume, BOUND_BY_CONTROLLER):
        # What its user promised stays the user's.
        metadata["annotations"] = {BOUND_BY_CONTROLLER: "yes"}
    about = claim["metadata"]
    patch: JsonObject = {}
    if (reference_of(volume) or {}).get("uid") != about["uid"]:
        patch["spec"] = {
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": about["namespace"],
                "name": about["name"],
                "uid": about["uid"],
                "resourceVersion": about["resourceVersion"],
            }
        }
    if metadata:
        patch["metadata"] = metadata
    return patch or None


def give_volume(claim: JsonObject, volume: JsonObject) -> JsonObject | None:
    """Return how a claim comes to have a volume."""
    annotations: JsonObject = {}
    patch: JsonObject = {}
    if volume_name_of(claim) != name_of(volume):
        patch["spec"] = {"volumeName": name_of(volume)}
        annotations[BOUND_BY_CONTROLLER] = "yes"
    if not has_annotation(claim, BIND_COMPLETED):
        annotations[BIND_COMPLETED] = "yes"
    if annotations:
        patch["metadata"] = {"annotations": annotations}
    return patch or None


def unbind_volume(volume: JsonObject) -> JsonObject:
    """Return how a volume forgets a claim, or, where its user named that, only who has the name."""
    if has_annotation(volume, BOUND_BY_CONTROLLER):
        return {
            "metadata": {"annotations": {BOUND_BY_CONTROLLER: None}},
            "spec": {"claimRef": None},
        }
    return {"spec": {"claimRef": {"uid": None}}}


def volume_phase(volume: JsonObject, phase: str, message: str = "") -> JsonObject | None:
    """Return how a volume comes to be in a phase."""
    if phase_of(volume) == phase:
        return None
    return {"status": {"phase": phase, "message": message or None}}


def claim_bound(claim: JsonObject, volume: JsonObject) -> JsonObject | None:
    """Return what a claim's status says when it has its volume."""
    status, spec = claim.get("status") or {}, volume["spec"]
    changes: JsonObject = {}
    if status.get("accessModes") != spec.get("accessModes"):
        changes["accessModes"] = spec.get("accessModes")
    if status.get("phase") != "Bound":
        changes["phase"] = "Bound"
        if (status.get("capacity") or {}) != spec.get("capacity"):
            changes["capacity"] = spec.get("capacity")
        if spec.get("volumeAttributesClassName"):
            changes["currentVolumeAttributesClassName"] = spec["volumeAttributesClassName"]
    return {"status": changes} if changes else None


def claim_without_volume(claim: JsonObject, phase: str) -> JsonObject | None:
    """Return what a claim's status says when it has no volume."""
    status = claim.get("status") or {}
    changes: JsonObject = {
        field: None
        for field in ("accessModes", "capacity", "currentVolumeAttributesClassName")
        if status.get(field) is not None
    }
    if status.get("phase") != phase:
        changes["phase"] = phase
    return {"status": changes} if changes else None


def ask_provisioner(claim: JsonObject, provisioner: str) -> JsonObject | None:
    """Return how a claim names who is to make its volume."""
    annotations = claim["metadata"].get("annotations") or {}
    if annotations.get(PROVISIONER) == provisioner:
        return None
    wanted = {PROVISIONER: provisioner, OLD_PROVISIONER: provisioner}
    return {"metadata": {"annotations": wanted}}
