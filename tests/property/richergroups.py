"""Random pending groups with much about them: trees, devices by count, constraints, priorities."""

from __future__ import annotations

import random
from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.clustersource import Source
from kubegang.scheduler.framework.pods import PodGroupKey
from tests.component.toolscenes import RACK, gang, node, pod, source

_ME = {"me": "x"}
_NO_SIBLING_HERE = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": _ME}}
        ]
    }
}
_EVENLY = [
    {
        "maxSkew": 1,
        "topologyKey": RACK,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": _ME},
    }
]
_SPECS: tuple[dict[str, Any], ...] = (
    {"nodeSelector": {"disk": "ssd"}},
    {"affinity": _NO_SIBLING_HERE},
    {"topologySpreadConstraints": _EVENLY},
    {"tolerations": [{"key": "team", "operator": "Exists"}]},
    {"schedulingGates": [{"name": "wait"}]},
    {"schedulerName": "kubegang"},
    {"preemptionPolicy": "Never"},
)


def richer_source(rng: random.Random) -> tuple[Source, PodGroupKey]:
    """Return a small cluster and a group or tree of groups in it that may not fit."""
    objects = [made for index in range(rng.randint(1, 4)) for made in _node(rng, index)]
    priority = rng.choice((0, 0, 0, 3))
    key = RACK if rng.random() < 0.3 else ""
    names = ["g0"]
    root = PodGroupKey("default", "g0")
    if rng.random() < 0.3:
        names = [f"g{number}" for number in range(rng.randint(1, 3))]
        root = PodGroupKey("default", "root", "CompositePodGroup")
        objects.append(_composite(rng, len(names), priority, key))
    for name in names:
        objects += _group(rng, name, priority=priority, key=key if len(names) == 1 else "")
        if root.name == "root":
            objects[-1]["spec"]["parentCompositePodGroupName"] = "root"
            objects[-1]["apiVersion"] = "scheduling.k8s.io/v1alpha3"
    return source(*objects, *_budgets(rng), version="1.37"), root


def _node(rng: random.Random, index: int) -> list[JsonObject]:
    cpu = rng.randint(1, 4)
    devices = {"gpu": str(rng.choice((1, 2)))} if rng.random() < 0.4 else {}
    labels = {RACK: rng.choice("ab"), "disk": rng.choice(("ssd", "hdd"))}
    made = node(f"n{index}", labels=labels, cpu=str(cpu), **devices)
    taint = {"key": "team", "value": "x", "effect": "NoSchedule"}
    if rng.random() < 0.2:
        more = [{"key": "b", "effect": "NoExecute"}] if rng.random() < 0.4 else []
        made["spec"] = {"taints": [taint, *more]}
    elif rng.random() < 0.1:
        made["spec"] = {"unschedulable": True}
    held: list[JsonObject] = []
    while cpu and rng.random() < 0.6:
        size = rng.randint(1, cpu)
        cpu -= size
        labels = {"app": rng.choice("ab")}
        rank = rng.choice((0, 0, 5, -5))
        name = f"held-{index}-{cpu}"
        held.append(pod(name, on=f"n{index}", cpu=str(size), priority=rank, labels=labels))
    return [made, *held]


def _composite(rng: random.Random, children: int, priority: int, key: str) -> JsonObject:
    minimum = rng.randint(1, children + (rng.random() < 0.2))
    policy = {"gang": {"minGroupCount": minimum}}
    spec: JsonObject = {"schedulingPolicy": policy, "priority": priority}
    if key:
        spec["schedulingConstraints"] = {"topology": [{"key": key}]}
    kind = {"apiVersion": "scheduling.k8s.io/v1alpha3", "kind": "CompositePodGroup"}
    return {**kind, "metadata": {"name": "root"}, "spec": spec}


def _group(rng: random.Random, name: str, *, priority: int, key: str) -> list[JsonObject]:
    """Return pods and, last, their group."""
    size = rng.randint(1, 4)
    minimum = rng.randint(1, size + (rng.random() < 0.15))
    cpu = str(rng.randint(1, 3))
    special = rng.choice(_SPECS) if rng.random() < 0.5 else {}
    pods = []
    for index in range(size):
        asked: dict[str, Any] = {"cpu": cpu if rng.random() < 0.9 else str(rng.randint(1, 3))}
        if rng.random() < 0.15:
            asked["gpu"] = "1"
        spec = special if rng.random() < 0.6 else {}
        rank = priority if rng.random() < 0.97 else 9
        made = pod(f"{name}-p{index}", group=name, labels=_ME, spec=spec, priority=rank, **asked)
        pods.append(made)
    return [*pods, gang(name, minimum, key=key, priority=priority)]


def _budgets(rng: random.Random) -> list[JsonObject]:
    if rng.random() >= 0.2:
        return []
    selector = {"matchLabels": {"app": "a"}}
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b", "namespace": "default"},
        "spec": {"minAvailable": 1, "selector": selector},
        "status": {"disruptionsAllowed": rng.choice((0, 1))},
    }
    return [budget]
