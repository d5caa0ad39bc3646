"""From the short form of a scenario's steps to the objects of a release's API."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import Resource
from kubegang.client.resources import (
    COMPOSITEPODGROUPS,
    NODES,
    PODDISRUPTIONBUDGETS,
    PODGROUPS,
    PODS,
    PRIORITYCLASSES,
    RESOURCECLAIMS,
    RESOURCESLICES,
)

HOSTNAME = "kubernetes.io/hostname"


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between the releases as far as scenarios see it.

    Attributes:
        name: ``1.37``.
        number: 37.
        groups: what holds a group's policy.
        has_pod_groups: groups are objects with a status of their own.
    """

    name: str
    number: int
    groups: Resource
    has_pod_groups: bool = True

    @property
    def has_trees(self) -> bool:
        """Return whether groups can be members of groups."""
        return self.number >= 37


_ALPHA2 = Resource("scheduling.k8s.io", "v1alpha2", "podgroups", "PodGroup")
_ALPHA1 = Resource("scheduling.k8s.io", "v1alpha1", "workloads", "Workload")

_RESOURCES: Mapping[str, Resource] = {
    "pod": PODS,
    "node": NODES,
    "budget": PODDISRUPTIONBUDGETS,
    "composite": COMPOSITEPODGROUPS,
    "claim": RESOURCECLAIMS,
    "slice": RESOURCESLICES,
}

RELEASES = {
    37: Release(name="1.37", number=37, groups=PODGROUPS),
    36: Release(name="1.36", number=36, groups=_ALPHA2),
    35: Release(name="1.35", number=35, groups=_ALPHA1, has_pod_groups=False),
}


def resource_of(word: str, release: Release) -> Resource:
    """Return what ``pod``, ``node``, ``group`` and so on name."""
    return release.groups if word == "group" else _RESOURCES[word]


def node(step: JsonObject) -> JsonObject:
    """Return the Node of a ``node`` step."""
    name = step["node"]
    amounts = {
        "cpu": str(step.get("cpu", 4)),
        "memory": step.get("memory", "32Gi"),
        "pods": str(step.get("pods", 110)),
        **step.get("extra", {}),
    }
    spec: JsonObject = {}
    if step.get("taints"):
        spec["taints"] = [_taint(text) for text in step["taints"]]
    if step.get("cordoned"):
        spec["unschedulable"] = True
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {HOSTNAME: name, **step.get("labels", {})}},
        "spec": spec,
        "status": {"capacity": amounts, "allocatable": amounts, "conditions": [ready]},
    }


def _taint(text: str) -> JsonObject:
    pair, effect = text.split(":")
    key, _, value = pair.partition("=")
    return {"key": key, "value": value, "effect": effect}


def group(step: JsonObject, release: Release) -> JsonObject:
    """Return the PodGroup of a ``group`` step; in 1.35 the Workload with a group of its name."""
    name = step["group"]
    policy: JsonObject = {"gang": {"minCount": step["min"]}} if "min" in step else {"basic": {}}
    spec: JsonObject = {"schedulingPolicy": policy, **_about_groups(step, release)}
    if not release.has_pod_groups:
        spec = {"podGroups": [{"name": name, "policy": policy}]}
    if "claims" in step:
        spec["resourceClaims"] = _named_claims(step)
    return {
        "apiVersion": release.groups.api_version,
        "kind": release.groups.kind,
        "metadata": {"name": name},
        "spec": spec,
    }


def composite(step: JsonObject, release: Release) -> JsonObject:
    """Return the CompositePodGroup of a ``composite`` step."""
    policy: JsonObject = (
        {"gang": {"minGroupCount": step["min"]}} if "min" in step else {"basic": {}}
    )
    reference = {"workloadName": "w", "templateName": "t"}
    spec = {"schedulingPolicy": policy, "workloadRef": reference, **_about_groups(step, release)}
    return {
        "apiVersion": COMPOSITEPODGROUPS.api_version,
        "kind": "CompositePodGroup",
        "metadata": {"name": step["composite"]},
        "spec": spec,
    }


def _about_groups(step: JsonObject, release: Release) -> JsonObject:
    """Return the fields that groups and groups of groups have in common."""
    spec: JsonObject = {}
    if "topology" in step:
        spec["schedulingConstraints"] = {"topology": [{"key": step["topology"]}]}
    if "disruption" in step:
        spec["disruptionMode"] = _disruption(step["disruption"], release)
    if "priority" in step and release.has_pod_groups:
        spec["priorityClassName"] = class_name(step)
    if step.get("never"):
        spec["preemptionPolicy"] = "Never"
    if "parent" in step:
        spec["parentCompositePodGroupName"] = step["parent"]
        spec["workloadRef"] = {"workloadName": "w", "templateName": "t"}
    return spec


def _disruption(word: str, release: Release) -> object:
    if release.number == 36:
        return {"single": "Pod", "all": "PodGroup"}[word]
    return {word: {}}


def pods(step: JsonObject, release: Release) -> Iterable[JsonObject]:
    """Yield the pods of a ``pods`` step, in order."""
    for name in step["pods"]:
        yield {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "labels": step.get("labels", {})},
            "spec": _pod_spec(step, release),
        }


def _pod_spec(step: JsonObject, release: Release) -> JsonObject:
    requests = {"cpu": str(step["cpu"])} if step.get("cpu") else {}
    if "memory" in step:
        requests["memory"] = step["memory"]
    container: JsonObject = {
        "name": "c",
        "image": "registry.k8s.io/pause:3.10",
        "resources": {"requests": {**requests, **step.get("extra", {})}},
    }
    if "extra" in step:
        container["resources"]["limits"] = step["extra"]
    if "port" in step:
        container["ports"] = [{"containerPort": step["port"], "hostPort": step["port"]}]
    spec: JsonObject = {
        "terminationGracePeriodSeconds": step.get("grace", 0),
        "containers": [container],
        **copy.deepcopy(step.get("spec", {})),
    }
    if "priority" in step:
        spec["priorityClassName"] = class_name(step)
    if step.get("gated"):
        spec["schedulingGates"] = [{"name": "example.com/wait"}]
    if "on" in step:
        spec["nodeName"] = step["on"]
    if "group" in step:
        spec.update(_membership(step, release))
    if "claims" in step:
        spec["resourceClaims"] = _named_claims(step)
        container["resources"]["claims"] = [{"name": name} for name in step["claims"]]
    return spec


def _named_claims(step: JsonObject) -> list[JsonObject]:
    return [{"name": name, "resourceClaimName": name} for name in step["claims"]]


def _membership(step: JsonObject, release: Release) -> JsonObject:
    name = step["group"]
    if release.has_pod_groups:
        return {"schedulingGroup": {"podGroupName": name}}
    reference = {"name": name, "podGroup": name}
    if "replica" in step:
        reference["podGroupReplicaKey"] = step["replica"]
    return {"workloadRef": reference}


def budget(step: JsonObject) -> JsonObject:
    """Return the PodDisruptionBudget of a ``budget`` step."""
    return {
        "apiVersion": PODDISRUPTIONBUDGETS.api_version,
        "kind": "PodDisruptionBudget",
        "metadata": {"name": step["budget"]},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": step["match"]}},
    }


def budget_status(step: JsonObject) -> JsonObject:
    """Return the status that a controller would keep for a ``budget`` step."""
    return {
        "observedGeneration": 1,
        "disruptionsAllowed": step["allowed"],
        "currentHealthy": 1,
        "desiredHealthy": 1,
        "expectedPods": 1,
    }


def class_name(step: JsonObject) -> str:
    """Return the name of the PriorityClass that a step means."""
    value = step["priority"]
    return f"p{value}-never" if step.get("never") else f"p{value}"


def priority_classes(steps: Iterable[JsonObject]) -> Iterable[JsonObject]:
    """Yield the PriorityClasses that steps name, each once."""
    named = {class_name(step): step for step in steps if "priority" in step}
    for name, step in sorted(named.items()):
        body: JsonObject = {
            "apiVersion": PRIORITYCLASSES.api_version,
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": step["priority"],
        }
        if step.get("never"):
            body["preemptionPolicy"] = "Never"
        yield body
