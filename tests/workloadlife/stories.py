"""Random stories: an object, and what users, kubelets and nodes do afterwards."""

from __future__ import annotations

import random
from typing import Any

import msgspec

from kubegang.apimachinery.objects import JsonObject

BAD = "registry.example/app:bad"
"""An image of which no pod ever gets ready."""

STEPS = 9

KINDS = ("Deployment", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")

_COMMON = ("run", "run", "run", "run", "finish", "finish", "break", "heal", "delete_pod", "fail")
_OF_KIND = {
    "Deployment": (
        *("image", "image", "scale", "scale", "pause", "resume", "restart", "annotate"),
        *("strategy", "orphan", "relabel_pod", "history"),
    ),
    "ReplicaSet": ("scale", "scale", "orphan", "relabel_pod", "image", "cost"),
    "StatefulSet": (
        *("image", "image", "scale", "scale", "partition", "orphan", "retention", "relabel_pod"),
        "restart",
    ),
    "DaemonSet": (
        *("image", "image", "add_node", "taint", "untaint", "label_node"),
        *("restart", "orphan"),
    ),
}


class Step(msgspec.Struct, frozen=True):
    """One thing that happens; what the number and the text mean depends on what it is."""

    what: str
    number: int = 0
    text: str = ""


class Story(msgspec.Struct, frozen=True):
    """An object to begin with, and what happens then."""

    seed: int
    object: JsonObject
    steps: tuple[Step, ...]

    @property
    def kind(self) -> str:
        """The object's kind."""
        return str(self.object["kind"])


def make_story(seed: int) -> Story:
    """Return the story of a seed."""
    rng = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    choices = (*_COMMON, *_OF_KIND[kind], *_OF_KIND[kind])
    steps = [Step("run", number=rng.randrange(1, 6))]
    steps += [_step(rng, rng.choice(choices)) for _ in range(STEPS)]
    steps += [Step("heal"), Step("run", number=20), Step("finish"), Step("run", number=20)]
    return Story(seed, _object(rng, kind, seed), tuple(steps))


def _step(rng: random.Random, what: str) -> Step:
    texts = {
        "image": (BAD, "registry.example/app:2", "registry.example/app:3"),
        "strategy": ("25%/25%", "1/0", "0/1", "50%/0", "3/2", "Recreate"),
        "taint": ("NoSchedule", "NoExecute", "PreferNoSchedule"),
        "retention": ("Retain/Delete", "Delete/Retain", "Delete/Delete", "Retain/Retain"),
        "history": ("0", "1"),
    }
    text = rng.choice(texts[what]) if what in texts else ""
    return Step(what, number=rng.randrange(0, 7), text=text)


def _object(rng: random.Random, kind: str, seed: int) -> JsonObject:
    labels = {"app": "web"}
    spec: JsonObject = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": _pod_spec(rng, kind, seed)},
    }
    if kind != "DaemonSet":
        spec["replicas"] = rng.randrange(1, 6)
    spec |= _SPECIAL[kind](rng)
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"}, "spec": spec}


def _pod_spec(rng: random.Random, kind: str, seed: int) -> JsonObject:
    container: JsonObject = {"name": "c", "image": "registry.example/app:1"}
    if rng.random() < 0.5:
        container["resources"] = {"requests": {"cpu": "250m", "memory": "64Mi"}}
    if rng.random() < 0.3:
        container["env"] = [{"name": "GREETING", "value": 'a<b> & "c"'}]
    spec: JsonObject = {"containers": [container]}
    if rng.random() < 0.3:
        spec["volumes"] = [{"name": "scratch", "emptyDir": {"sizeLimit": "1Gi"}}]
    if kind == "DaemonSet":
        # Nodes belong to the whole cluster: each story has its own.
        spec["nodeSelector"] = {"story": str(seed)}
        if rng.random() < 0.3:
            spec["tolerations"] = [{"key": "tested", "operator": "Exists"}]
    return spec


def _of_deployment(rng: random.Random) -> JsonObject:
    if rng.random() < 0.2:
        return {"strategy": {"type": "Recreate"}}
    surge, unavailable = rng.choice([("25%", "25%"), (1, 0), (0, 1), ("50%", 1), (3, 2)])
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    return {"strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}


def _of_stateful_set(rng: random.Random) -> JsonObject:
    spec: JsonObject = {"serviceName": "web"}
    if rng.random() < 0.4:
        spec["podManagementPolicy"] = "Parallel"
    strategy: Any = rng.choice(
        [
            {"type": "RollingUpdate"},
            {"type": "OnDelete"},
            {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}},
            {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}},
        ]
    )
    spec["updateStrategy"] = strategy
    if rng.random() < 0.4:
        spec["volumeClaimTemplates"] = [_claim()]
    if rng.random() < 0.3:
        spec["ordinals"] = {"start": 3}
    return spec


def _of_daemon_set(rng: random.Random) -> JsonObject:
    if rng.random() < 0.2:
        return {"updateStrategy": {"type": "OnDelete"}}
    # All nodes at once: of some, the real controller takes any.
    rolling = rng.choice([{"maxUnavailable": "100%"}, {"maxSurge": "100%", "maxUnavailable": 0}])
    return {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}


def _claim() -> JsonObject:
    return {
        "metadata": {"name": "data", "labels": {"kind": "data"}},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "none-such",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }


_SPECIAL = {
    "Deployment": _of_deployment,
    "ReplicaSet": lambda _: {},
    "StatefulSet": _of_stateful_set,
    "DaemonSet": _of_daemon_set,
}
