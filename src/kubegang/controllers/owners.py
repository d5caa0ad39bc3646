"""Owner references: who made an object, and who goes when it goes. Pure."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject


def controller_reference(owner: JsonObject) -> JsonObject:
    """Return the reference by which ``owner`` controls what it makes."""
    return {**owner_reference(owner), "controller": True, "blockOwnerDeletion": True}


def owner_reference(owner: JsonObject) -> JsonObject:
    """Return a plain reference: the owner's deletion takes the dependent along."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
    }


def controller_of(obj: JsonObject) -> JsonObject | None:
    """Return the reference to the object's controller, if it has one."""
    for reference in obj["metadata"].get("ownerReferences") or []:
        if reference.get("controller"):
            found: JsonObject = reference
            return found
    return None


def is_controlled_by(obj: JsonObject, owner_uid: str) -> bool:
    """Return whether the object's controller has this uid."""
    reference = controller_of(obj)
    return reference is not None and reference["uid"] == owner_uid
