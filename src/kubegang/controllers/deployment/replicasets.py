"""A Deployment's ReplicaSets: which is the new one, and how many pods they make. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.workloads.objects import (
    age_order,
    counted,
    replicas_of,
    status_of,
    uid_of,
)

HASH_LABEL = "pod-template-hash"


class Sets(msgspec.Struct, frozen=True):
    """The ReplicaSets of a Deployment.

    Attributes:
        new: the one with the Deployment's template, if there is one.
        old: all others.
    """

    new: JsonObject | None
    old: tuple[JsonObject, ...]

    def all(self) -> list[JsonObject]:
        """Return all of them, the new one last."""
        return [*self.old, self.new] if self.new is not None else list(self.old)

    def replaced(self, replica_set: JsonObject) -> Sets:
        """Return the same with a newer state of one of them."""
        uid = uid_of(replica_set)
        if self.new is not None and uid_of(self.new) == uid:
            return Sets(replica_set, self.old)
        old = tuple(replica_set if uid_of(entry) == uid else entry for entry in self.old)
        return Sets(self.new, old)


def sets_of(deployment: JsonObject, found: Iterable[JsonObject]) -> Sets:
    """Tell the new ReplicaSet of a Deployment from the old ones; of several, the oldest."""
    ordered = sorted(found, key=age_order)
    wanted = _without_hash(deployment["spec"]["template"])
    new = next(
        (entry for entry in ordered if _without_hash(entry["spec"]["template"]) == wanted), None
    )
    return Sets(new, tuple(entry for entry in ordered if entry is not new))


def is_same_template(deployment: JsonObject, replica_set: JsonObject) -> bool:
    """Return whether a ReplicaSet is made from the Deployment's template."""
    template = _without_hash(replica_set["spec"]["template"])
    return template == _without_hash(deployment["spec"]["template"])


def active(sets: Iterable[JsonObject]) -> list[JsonObject]:
    """Return the ReplicaSets that ask for pods."""
    return [entry for entry in sets if replicas_of(entry) > 0]


def asked(sets: Iterable[JsonObject]) -> int:
    """Return how many pods ReplicaSets ask for, all together."""
    return sum(replicas_of(entry) for entry in sets)


def reported(sets: Iterable[JsonObject], name: str) -> int:
    """Return a number of the statuses of ReplicaSets, all together."""
    return sum(counted(entry, name) for entry in sets)


def terminating(sets: Sequence[JsonObject]) -> int | None:
    """Return how many pods are being deleted; ``None`` if a ReplicaSet does not say."""
    total = 0
    for entry in sets:
        number = status_of(entry).get("terminatingReplicas")
        if number is None and counted(entry, "observedGeneration"):
            return None
        total += number or 0
    return total


def _without_hash(template: JsonObject) -> JsonObject:
    metadata = dict(template.get("metadata") or {})
    labels = {k: v for k, v in (metadata.get("labels") or {}).items() if k != HASH_LABEL}
    metadata.pop("labels", None)
    metadata.pop("creationTimestamp", None)
    return {**template, "metadata": {**metadata, "labels": labels}}
