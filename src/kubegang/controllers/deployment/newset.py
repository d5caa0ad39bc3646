"""The ReplicaSet for a Deployment's template. Pure."""

from __future__ import annotations

import copy

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.deployment.annotations import (
    new_annotations,
    next_revision,
    size_annotations,
)
from kubegang.controllers.deployment.replicasets import HASH_LABEL, Sets, asked
from kubegang.controllers.deployment.sizing import new_size
from kubegang.controllers.hashing.templatehash import TemplateHasher
from kubegang.controllers.owners import controller_reference
from kubegang.controllers.workloads.objects import name_of, status_of
from kubegang.controllers.workloads.podtemplate import LONGEST_NAME


def new_set(deployment: JsonObject, sets: Sets, hasher: TemplateHasher) -> JsonObject:
    """Return the ReplicaSet to create.

    Args:
        deployment: its Deployment.
        sets: the ReplicaSets that there are; the new one is missing.
        hasher: hashes templates as the release does.
    """
    spec = deployment["spec"]
    collisions = status_of(deployment).get("collisionCount")
    hashed = hasher(spec["template"], collisions=collisions)
    template = copy.deepcopy(spec["template"])
    metadata = template.setdefault("metadata", {})
    metadata["labels"] = {**(metadata.get("labels") or {}), HASH_LABEL: hashed}
    selector = dict(spec.get("selector") or {})
    selector["matchLabels"] = {**(selector.get("matchLabels") or {}), HASH_LABEL: hashed}
    revision = next_revision(sets.old)
    annotations = new_annotations(deployment, {}, revision=revision)
    prefix = name_of(deployment)[: LONGEST_NAME - 1 - len(hashed)]
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{prefix}-{hashed}",
            "namespace": deployment["metadata"]["namespace"],
            "labels": dict(metadata["labels"]),
            "annotations": {**annotations, **size_annotations(deployment)},
            "ownerReferences": [controller_reference(deployment)],
        },
        "spec": {
            "replicas": new_size(deployment, current=0, total=asked(sets.old)),
            "minReadySeconds": spec.get("minReadySeconds") or 0,
            "selector": selector,
            "template": template,
        },
    }
