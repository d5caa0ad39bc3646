"""What a terminating namespace says about its content, in upstream's words. Pure."""

from __future__ import annotations

import copy
from collections import Counter

import msgspec

from kubegang.apimachinery.conditions import set_condition
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import Resource


class Remaining(msgspec.Struct):
    """What is still there after everything was asked to go.

    Attributes:
        instances: how many objects, by resource.
        finalizers: how many objects have each finalizer.
        failures: what the API said no to.
    """

    instances: Counter[str] = msgspec.field(default_factory=Counter)
    finalizers: Counter[str] = msgspec.field(default_factory=Counter)
    failures: list[str] = msgspec.field(default_factory=list)

    def add(self, resource: Resource, obj: JsonObject) -> None:
        """Count an object that is still there."""
        # Upstream writes the empty group too: "configmaps."
        self.instances[f"{resource.plural}.{resource.group}"] += 1
        self.finalizers.update(obj["metadata"].get("finalizers") or ())

    def __bool__(self) -> bool:
        return bool(self.instances or self.failures)


def status_after(namespace: JsonObject, remaining: Remaining, *, now: float) -> JsonObject:
    """Return the namespace's status with its conditions brought up to date."""
    status: JsonObject = copy.deepcopy(namespace.get("status") or {})
    conditions = status.setdefault("conditions", [])
    for kind, reason, message in (
        (
            "NamespaceDeletionDiscoveryFailure",
            "ResourcesDiscovered",
            "All resources successfully discovered",
        ),
        (
            "NamespaceDeletionGroupVersionParsingFailure",
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed",
        ),
        _content_failure(remaining),
        _content_remaining(remaining),
        _finalizers_remaining(remaining),
    ):
        is_bad = reason in _BAD
        set_condition(
            conditions,
            type=kind,
            status="True" if is_bad else "False",
            reason=reason,
            message=message,
            now=now,
        )
    return status


_BAD = ("ContentDeletionFailed", "SomeResourcesRemain", "SomeFinalizersRemain")


def _content_failure(remaining: Remaining) -> tuple[str, str, str]:
    kind = "NamespaceDeletionContentFailure"
    failures = sorted(set(remaining.failures))
    if not failures:
        text = "All content successfully deleted, may be waiting on finalization"
        return kind, "ContentDeleted", text
    text = f"Failed to delete all resource types, {len(failures)} remaining: {', '.join(failures)}"
    return kind, "ContentDeletionFailed", text


def _content_remaining(remaining: Remaining) -> tuple[str, str, str]:
    kind = "NamespaceContentRemaining"
    if not remaining.instances:
        return kind, "ContentRemoved", "All content successfully removed"
    counts = sorted(remaining.instances.items())
    told = ", ".join(f"{resource} has {count} resource instances" for resource, count in counts)
    return kind, "SomeResourcesRemain", f"Some resources are remaining: {told}"


def _finalizers_remaining(remaining: Remaining) -> tuple[str, str, str]:
    kind = "NamespaceFinalizersRemaining"
    if not remaining.finalizers:
        return kind, "ContentHasNoFinalizers", "All content-preserving finalizers finished"
    counts = sorted(remaining.finalizers.items())
    told = ", ".join(f"{finalizer} in {count} resource instances" for finalizer, count in counts)
    text = f"Some content in the namespace has finalizers remaining: {told}"
    return kind, "SomeFinalizersRemain", text
