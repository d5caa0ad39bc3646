"""ResourceClaims as they are made from templates. Pure."""

from __future__ import annotations

from typing import Final

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.resources import RESOURCECLAIMS
from kubegang.controllers.owners import owner_reference

ENTRY_ANNOTATION: Final = "resource.kubernetes.io/pod-claim-name"
"""On a claim that was made: the name of the entry that it was made for."""

_LONGEST_BASE: Final = 57
"""A name has 63 characters: a hyphen and five random ones come after the base."""


def claim_from(template: JsonObject, owner: JsonObject, entry_name: str) -> JsonObject:
    """Return the claim to create for an entry of a pod or a PodGroup.

    The owner controls it but may be deleted before it (measured on 1.37.2: no
    ``blockOwnerDeletion``).
    """
    about = template["spec"].get("metadata") or {}
    metadata: JsonObject = {
        "generateName": base_name(owner["metadata"]["name"], entry_name),
        "annotations": {**(about.get("annotations") or {}), ENTRY_ANNOTATION: entry_name},
        "ownerReferences": [{**owner_reference(owner), "controller": True}],
    }
    if about.get("labels"):
        metadata["labels"] = about["labels"]
    return {
        "apiVersion": RESOURCECLAIMS.api_version,
        "kind": RESOURCECLAIMS.kind,
        "metadata": metadata,
        "spec": template["spec"].get("spec") or {},
    }


def base_name(owner: str, entry: str) -> str:
    """Return ``<owner>-<entry>-``, or both names cut in proportion if that is too long."""
    length = len(owner) + len(entry) + 2
    if length <= _LONGEST_BASE:
        return f"{owner}-{entry}-"
    cut = (name[: len(name) * _LONGEST_BASE // length] for name in (owner, entry))
    return "-".join(cut)


def asks_admin_access(template: JsonObject) -> bool:
    """Return whether a template asks for devices that others may be using."""
    return any((request.get("exactly") or {}).get("adminAccess") for request in _requests(template))


def offers_alternatives(template: JsonObject) -> bool:
    """Return whether a template has requests with alternatives."""
    return any(request.get("firstAvailable") for request in _requests(template))


def _requests(template: JsonObject) -> list[JsonObject]:
    devices = (template["spec"].get("spec") or {}).get("devices") or {}
    return list(devices.get("requests") or ())
