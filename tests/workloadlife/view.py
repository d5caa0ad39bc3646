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
"""Which events become one depends on their order, and that on chance where pods are made at
once: only their number counts then."""

_SCALED = re.compile(r"Scaled (up|down) replica set (\S+) from ([0-9]+) to ([0-9]+)")
"""In how many steps depends on how many pods get ready between two looks of the controller."""

_NODE = re.compile(r"node-([0-9]+)-[0-9]+")
"""The nodes of a story are alike until something happens to them; with which of them a
DaemonSet begins is chance."""

_RANDOM_END = re.compile(r"(?<=-)[bcdfghjklmnpqrstvwxz2456789]{5}(?=$|[ ,])")

UNDER_WAY = (
    "ReplicaSetUpdated",
    "DeploymentResumed",
    "NewReplicaSetCreated",
    "FoundNewReplicaSet",
)
"""Whether a pod that was replaced at once was missed meanwhile is a race, and progress if so."""

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
        self.pods = _in_order(found["Pod"])
        self.objects: dict[str, Any] = {
            kind: sorted((_plain(obj) for obj in objects), key=as_text)
            for kind, objects in found.items()
            if kind != "Pod"
        }
        self.objects["Pod"] = [_plain_pod(pod) for pod in self.pods]
        self.objects["Event"] = _told(events)

    def of_node(self, name: str) -> str:
        """Return the pods that are on a node or meant for it, as text."""
        return as_text([_plain_pod(pod) for pod in self.pods if node_of(pod) == name])


async def look(client: Client, namespace: str) -> View:
    """Read a namespace."""
    found = {resource.kind: (await client.list(resource, namespace)).items for resource in COMPARED}
    return View(found, (await client.list(CORE_EVENTS, namespace)).items)


def is_ready(pod: JsonObject) -> bool:
    """Return whether a pod reports itself Ready."""
    return is_true(pod["status"].get("conditions"), "Ready")


def node_of(pod: JsonObject) -> str:
    """Return the node that a pod is on or asks for, or an empty text."""
    if pod["spec"].get("nodeName"):
        return str(pod["spec"]["nodeName"])
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is None:
        return ""
    return str(required["nodeSelectorTerms"][0]["matchFields"][0]["values"][0])


def as_text(value: Any) -> str:
    """Return a value as sorted, indented JSON."""
    return msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=1).decode()


def _plain(obj: JsonObject) -> JsonObject:
    plain: JsonObject = _without_chance(obj)
    status = obj.get("status") or {}
    if "observedGeneration" in status:
        plain["observed"] = status["observedGeneration"] == obj["metadata"]["generation"]
    if (obj.get("spec") or {}).get("strategy", {}).get("type") == "Recreate":
        # The real controller notes its new ReplicaSet on the Deployment as it was before the
        # last old pod went, is refused, and then finds one that it need not note.
        conditions = plain["status"].get("conditions") or []
        plain["status"]["conditions"] = [e for e in conditions if e["type"] != "Progressing"]
    conditions = (plain.get("status") or {}).get("conditions") or []
    conditions.sort(key=lambda condition: str(condition["type"]))
    for condition in conditions:
        if condition.get("reason") in UNDER_WAY:
            condition |= {"reason": "under way", "message": "", "status": ""}
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
    if isinstance(value, list):
        return [_without_chance(item) for item in value]
    return _NODE.sub(r"node-\1-?", value) if isinstance(value, str) else value


def _in_order(pods: list[JsonObject]) -> list[JsonObject]:
    """Return pods in an order that two clusters share as far as it matters.

    What else is on its node distinguishes two pods that look alike: a DaemonSet replaces one
    beside its successor otherwise than one that is alone (measured on 1.37.2).
    """
    texts = {pod["metadata"]["uid"]: as_text(_plain_pod(pod)) for pod in pods}
    neighbours: dict[str, list[str]] = {}
    for pod in pods:
        neighbours.setdefault(node_of(pod), []).append(texts[pod["metadata"]["uid"]])

    def key(pod: JsonObject) -> tuple[str, list[str], tuple[str, str]]:
        return texts[pod["metadata"]["uid"]], sorted(neighbours[node_of(pod)]), _age(pod)

    return sorted(pods, key=key)


def _age(pod: JsonObject) -> tuple[str, str]:
    return pod["metadata"]["creationTimestamp"], pod["metadata"]["name"]


def _told(events: list[JsonObject]) -> list[str]:
    """Return how often each thing was told."""
    combined = {_about(event) for event in events if event["message"].startswith(COMBINED)}
    counts: Counter[str] = Counter()
    for event in events:
        if event["reason"] in RACES or event["involvedObject"]["kind"] == "Pod":
            continue
        about = _about(event)
        if event["reason"] == "ScalingReplicaSet" and about in combined:
            # Some of the steps are not told any more.
            continue
        if scaled := _SCALED.fullmatch(event["message"]):
            way, name, before, after = scaled.groups()
            told = f"Scaled {way} replica set {name}, pods in all"
            counts[told] += abs(int(after) - int(before)) * (event.get("count") or 1)
            continue
        message = _NODE.sub("node-?", _RANDOM_END.sub("?", event["message"]))
        message = message.replace(event["metadata"]["namespace"], "NS")
        told = " | ".join((*about, "combined" if about in combined else message))
        counts[told] += event.get("count") or 1
    return [f"{count} x {told}" for told, count in sorted(counts.items())]


def _about(event: JsonObject) -> tuple[str, ...]:
    regarding = event["involvedObject"]
    source = event["source"].get("component", "")
    return regarding["kind"], regarding["name"], event["type"], event["reason"], source
