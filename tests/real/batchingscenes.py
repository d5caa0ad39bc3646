"""Streams of pods for comparing how schedulers reuse rankings, drawn by a seed.

A pod's place in the stream is its priority, so that every scheduler takes the pods in the
same order. All nodes are alike and there are more than pods, so that it does not matter for
the counters which of equally good nodes a pod gets.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from kubegang.apimachinery.objects import JsonObject

PLACES: Final = 40
"""The longest stream."""


class Scene(msgspec.Struct, frozen=True):
    """A cluster and what waits for it.

    Attributes:
        nodes: how many there are.
        groups: gangs, by name how many members each needs.
        pods: in the order in which they are to be taken.
        nominated: where pods hope to run, by name.
    """

    nodes: int
    groups: Mapping[str, int]
    pods: tuple[JsonObject, ...]
    nominated: Mapping[str, str]


def priority_class(place: int) -> JsonObject:
    """Return the priority class of a place in the stream."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": f"place-{place}"},
        "value": 1000 - place,
    }


def node(name: str) -> JsonObject:
    """Return a node of four cores."""
    amounts = {"cpu": "4", "memory": "32Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {
            "capacity": amounts,
            "allocatable": amounts,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pod_group(name: str, minimum: int, *, version: str, place: int) -> JsonObject:
    """Return a gang; in 1.37 it has its members' priority."""
    spec: JsonObject = {"schedulingPolicy": {"gang": {"minCount": minimum}}}
    if version == "v1beta1":
        spec["priorityClassName"] = f"place-{place}"
    return {
        "apiVersion": f"scheduling.k8s.io/{version}",
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": spec,
    }


def pod(name: str, place: int, **spec: Any) -> JsonObject:
    """Return a pod that fills a node, unless the spec says otherwise."""
    labels = spec.pop("labels", {})
    cpu, ports = spec.pop("cpu", "3"), spec.pop("ports", ())
    container = {
        "name": "c",
        "image": spec.pop("image", "example.com/app:1"),
        "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}},
        "ports": [{"containerPort": port, "hostPort": port} for port in ports],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [container], "priorityClassName": f"place-{place}", **spec},
    }


def _affinity() -> JsonObject:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"x": "y"}}}
    return {
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "podAffinityTerm": term}
            ]
        }
    }


def _constraint() -> JsonObject:
    return {
        "maxSkew": 5,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": {"x": "y"}},
    }


def _too_big() -> dict[str, Any]:
    return {"cpu": "99"}


SHAPES: Final[tuple[Callable[[], dict[str, Any]], ...]] = (
    dict,
    lambda: {"cpu": "500m"},
    lambda: {"cpu": "500m", "ports": [8080]},
    lambda: {"labels": {"app": "web"}},
    lambda: {"tolerations": [{"key": "k", "operator": "Exists"}]},
    lambda: {"volumes": [{"name": "v", "configMap": {"name": "c", "optional": True}}]},
    lambda: {"volumes": [{"name": "v", "emptyDir": {}}]},
    lambda: {"affinity": _affinity()},
    lambda: {"topologySpreadConstraints": [_constraint()]},
    _too_big,
    lambda: {"image": "example.com/other:1"},
)


def draw_scene(seed: int, *, version: str) -> Scene:
    """Return a stream of runs of equal pods, with gangs and nominated pods among them.

    Without gangs in 1.35, which has no objects for them. 1.36 tries gangs that do not fit
    again and again, so there all fit.
    """
    rng = random.Random(seed)
    pods: list[JsonObject] = []
    groups: dict[str, int] = {}
    nominated: dict[str, str] = {}
    few = rng.sample(SHAPES, 3)
    for run in range(rng.randint(3, 7)):
        shape, size = rng.choice(few), rng.randint(1, 5)
        place = len(pods)
        if rng.random() < 0.3 and _may_be_gang(shape, version):
            name = f"gang-{run}"
            groups[name] = rng.randint(1, size)
            pods += [
                pod(f"p{place + i:02}", place, schedulingGroup={"podGroupName": name}, **shape())
                for i in range(size)
            ]
            continue
        pods += [pod(f"p{place + i:02}", place + i, **shape()) for i in range(size)]
        if rng.random() < 0.3 and shape is not _too_big:
            # A node that is not there: whether one that is can still be had is chance. And
            # taking a promise back, when nothing fits, has others tried again.
            nominated[pods[-1]["metadata"]["name"]] = "gone"
    return Scene(len(pods) + rng.randint(1, 3), groups, tuple(pods), nominated)


def _may_be_gang(shape: Callable[[], dict[str, Any]], version: str) -> bool:
    return version == "37" or (version == "36" and shape is not _too_big)
