"""What single pods ask for beyond CPU: nodes, neighbours, ports."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.objects import JsonObject
from tests.differential.objects import HOSTNAME
from tests.differential.story import DEVICE, RACK, ZONE, Story

APPS = ("a", "b", "c")


def wishes(story: Story, *, often: float) -> dict[str, Any]:
    """Return members of a ``pods`` step; most often none."""
    rng = story.rng
    members: dict[str, Any] = {}
    spec: JsonObject = {}
    affinity: JsonObject = {}
    if story.chance(0.5):
        members["labels"] = {"app": rng.choice(APPS)}
    if story.chance(often):
        spec["nodeSelector"] = rng.choice(
            [{RACK: f"r{rng.randrange(3)}"}, {ZONE: f"z{rng.randrange(2)}"}, {"disk": "ssd"}]
        )
    if story.chance(often):
        affinity["nodeAffinity"] = _node_affinity(story)
    if story.chance(often * 0.7):
        affinity["podAffinity"] = _pod_affinity(story)
    if story.chance(often):
        affinity["podAntiAffinity"] = _pod_affinity(story)
    if story.chance(often):
        spec["topologySpreadConstraints"] = [_spread(story)]
    if story.chance(often):
        spec["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
    if story.chance(often * 0.5):
        members["port"] = rng.choice([8080, 9090])
    if story.chance(often * 0.7):
        members["memory"] = rng.choice(["1Gi", "2Gi", "3Gi"])
    if story.chance(often * 0.5):
        members["extra"] = {DEVICE: rng.choice(["1", "2"])}
    if affinity:
        spec["affinity"] = affinity
    if spec:
        members["spec"] = spec
    return members


def _node_affinity(story: Story) -> JsonObject:
    rng = story.rng
    expression = rng.choice(
        [
            {"key": RACK, "operator": "In", "values": ["r0", "r1"]},
            {"key": RACK, "operator": "NotIn", "values": [f"r{rng.randrange(3)}"]},
            {"key": "disk", "operator": "Exists"},
            {"key": "disk", "operator": "DoesNotExist"},
            {"key": ZONE, "operator": "In", "values": [f"z{rng.randrange(2)}"]},
        ]
    )
    term = {"matchExpressions": [expression]}
    if story.chance(0.5):
        preferred = {"weight": rng.choice([1, 30, 100]), "preference": term}
        return {"preferredDuringSchedulingIgnoredDuringExecution": [preferred]}
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}


def _pod_affinity(story: Story) -> JsonObject:
    rng = story.rng
    term = {
        "topologyKey": rng.choice([HOSTNAME, HOSTNAME, RACK, ZONE]),
        "labelSelector": {"matchLabels": {"app": rng.choice(APPS)}},
    }
    if story.chance(0.35):
        weighted = {"weight": rng.choice([10, 100]), "podAffinityTerm": term}
        return {"preferredDuringSchedulingIgnoredDuringExecution": [weighted]}
    return {"requiredDuringSchedulingIgnoredDuringExecution": [term]}


def _spread(story: Story) -> JsonObject:
    rng = story.rng
    constraint = {
        "topologyKey": rng.choice([HOSTNAME, RACK, ZONE]),
        "maxSkew": rng.randint(1, 2),
        "whenUnsatisfiable": rng.choice(["DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"]),
        "labelSelector": {"matchLabels": {"app": rng.choice(APPS)}},
    }
    if constraint["whenUnsatisfiable"] == "DoNotSchedule" and story.chance(0.3):
        constraint["minDomains"] = rng.randint(1, 3)
    return constraint
