"""What a revision keeps of its owner, and which revisions are the same. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kubegang.apimachinery.gotext import go_json
from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.owners import controller_reference
from kubegang.controllers.workloads.objects import age_order, annotations_of, labels_of

HASH_LABEL = "controller.kubernetes.io/hash"
"""On revisions of StatefulSets."""

REVISION_LABEL = "controller-revision-hash"
"""On pods, and on revisions of DaemonSets."""

_DIRECTIVE = "$patch"


def data_of(owner: JsonObject) -> JsonObject:
    """Return a patch that gives an owner its present template back."""
    template = {**owner["spec"]["template"], _DIRECTIVE: "replace"}
    return {"spec": {"template": template}}


def data_bytes(data: JsonObject) -> bytes:
    """Return a patch as upstream encodes it: keys in order, characters of HTML escaped."""
    return go_json(_ordered(data)).encode()


def restored(owner: JsonObject, revision: JsonObject) -> JsonObject:
    """Return an owner with the template of a revision."""
    template = dict(revision["data"]["spec"]["template"])
    template.pop(_DIRECTIVE, None)
    return {**owner, "spec": {**owner["spec"], "template": template}}


def new_revision(
    owner: JsonObject, *, name: str, labels: Mapping[str, str], number: int
) -> JsonObject:
    """Return a revision of an owner's present template."""
    template_labels = (owner["spec"]["template"].get("metadata") or {}).get("labels") or {}
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": name,
            "namespace": owner["metadata"]["namespace"],
            "labels": {**template_labels, **labels},
            "annotations": dict(annotations_of(owner)),
            "ownerReferences": [controller_reference(owner)],
        },
        "data": data_of(owner),
        "revision": number,
    }


def number_of(revision: JsonObject) -> int:
    """Return a revision's number."""
    return int(revision.get("revision") or 0)


def in_order(revisions: Iterable[JsonObject]) -> list[JsonObject]:
    """Return revisions by number, then by age and name."""
    return sorted(revisions, key=lambda revision: (number_of(revision), age_order(revision)))


def is_same(revision: JsonObject, data: JsonObject) -> bool:
    """Return whether a revision keeps just this."""
    return bool(revision.get("data") == data)


def revision_of_pod(pod: JsonObject) -> str:
    """Return the revision that a pod says it was made from, or an empty text."""
    return labels_of(pod).get(REVISION_LABEL, "")


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(item) for item in value] if isinstance(value, list) else value
