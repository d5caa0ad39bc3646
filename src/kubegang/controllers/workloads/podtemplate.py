"""A pod made from its owner's template. Pure."""

from __future__ import annotations

import copy

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.owners import controller_reference
from kubegang.controllers.workloads.objects import name_of

LONGEST_NAME = 253


def pod_from(owner: JsonObject, template: JsonObject) -> JsonObject:
    """Return a pod of an owner, its name still open."""
    metadata = template.get("metadata") or {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": name_prefix(name_of(owner)),
            "namespace": owner["metadata"]["namespace"],
            "labels": dict(metadata.get("labels") or {}),
            "annotations": dict(metadata.get("annotations") or {}),
            "finalizers": list(metadata.get("finalizers") or ()),
            "ownerReferences": [controller_reference(owner)],
        },
        "spec": copy.deepcopy(template["spec"]),
    }


def name_prefix(owner_name: str) -> str:
    """Return what the names of an owner's pods begin with.

    The dash is left out where the name would get too long with it (upstream's rule, which
    asks whether the prefix alone is a valid name).
    """
    with_dash = f"{owner_name}-"
    return with_dash if len(with_dash) <= LONGEST_NAME else owner_name
