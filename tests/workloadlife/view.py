"""What a namespace looks like, in words that two clusters have in common."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import msgspec

from kubegang.apimachinery.conditions import is_true
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import Client
from kubegang.client.resources import (
    CONTROLLERREVISIONS,
    CORE_EVENTS,
    DAEMONSETS,
    DEPLOYMENTS,
    PERSISTENTVOLUMECLAIMS,
    PODS,
    REPLICASETS,
    STATEFULSETS,
)

COMPARED = (
    DEPLOYMENTS,
    REPLICASETS,
    STATEFULSETS,
    DAEMONSETS,
    CONTROLLERREVISIONS,
    PERSISTENTVOLUMECLAIMS,
    PODS,
)

# Whether a claim was seen before its pod is a race, and so is telling of its new owner.
RACES = ("SuccessfulUpdate", "FailedUpdate", "FailedBinding", "ProvisioningFailed")

COMBINED = "(combined from similar events): "

_RANDOM_END = re.compile(r"(?<=-)[bcdfghjklmnpqrstvwxz2456789]{5}(?=$|[ ,])")

_CHANCE = (
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "managedFields",
    "generation",
    "lastUpdateTime",
    "lastTransitionTime",
    "observedGeneration",
    "namespace",
)


class View:
    """One look at a namespace.

    Attributes:
        objects: everything there, by kind, in an order that does not depend on chance.
        versions: the resourceVersions; the same as long as nothing changed.
        pods: as they are, in an order that two clusters share as far as it matters.
    """

    def __init__(self, found: dict[str, list[JsonObject]], events: list[JsonObject]) -> None:
        self.versions = sorted(
            obj["metadata"]["resourceVersion"]
            for objects in (*found.values(), events)
            for obj in objects
        )
        self.pods = sorted(found["Pod"], key=lambda pod: (as_text(_plain_pod(pod)), _age(pod)))
        self.objects: dict[str, Any] = {
            kind: sorted((_plain(obj) for obj in objects), key=as_text)
            for kind, objects in found.items()
            if kind != "Pod"
        }
        self.objects["Pod"] = [_plain_pod(pod) for pod in self.pods]
        counts: Counter[str] = Counter()
        for event in events:
            if event["reason"] not in RACES:
                counts[_told(event)] += event.get("count") or 1
        self.objects["Event"] = [f"{count} x {told}" for told, count in sorted(counts.items())]


async def look(client: Client, namespace: str) -> View:
    """Read a namespace."""
    found = {resource.kind: (await client.list(resource, namespace)).items for resource in COMPARED}
    return View(found, (await client.list(CORE_EVENTS, namespace)).items)


def is_ready(pod: JsonObject) -> bool:
    """Return whether a pod reports itself Ready."""
    return is_true(pod["status"].get("conditions"), "Ready")


def as_text(value: Any) -> str:
    """Return a value as sorted, indented JSON."""
    return msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=1).decode()


def _plain(obj: JsonObject) -> JsonObject:
    plain: JsonObject = _without_chance(obj)
    status = obj.get("status") or {}
    if "observedGeneration" in status:
        plain["observed"] = status["observedGeneration"] == obj["metadata"]["generation"]
    plain["going"] = "deletionTimestamp" in obj["metadata"]
    return plain


def _plain_pod(pod: JsonObject) -> JsonObject:
    plain = _plain(pod)
    plain["metadata"]["name"] = _RANDOM_END.sub("?", pod["metadata"]["name"])
    plain["status"] = {"phase": pod["status"]["phase"], "ready": is_ready(pod)}
    return plain


def _without_chance(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_chance(v) for k, v in value.items() if k not in _CHANCE}
    return [_without_chance(item) for item in value] if isinstance(value, list) else value


def _age(pod: JsonObject) -> tuple[str, str]:
    return pod["metadata"]["creationTimestamp"], pod["metadata"]["name"]


def _told(event: JsonObject) -> str:
    message = _RANDOM_END.sub("?", event["message"].removeprefix(COMBINED))
    return " | ".join(
        (
            event["involvedObject"]["kind"],
            event["involvedObject"]["name"],
            event["type"],
            event["reason"],
            event["source"].get("component", ""),
            message.replace(event["metadata"]["namespace"], "NS"),
        )
    )
