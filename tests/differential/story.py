"""A scenario in the making: what exists so far, and the next step."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from kubegang.apimachinery.objects import JsonObject
from tests.differential.objects import Release

RACK = "rack"
ZONE = "zone"
DEVICE = "example.com/gpu"


class Story:
    """Collects steps; remembers what later steps may be about.

    Attributes:
        rng: all chance of the scenario.
        nodes: names of nodes that exist.
        groups: the ``group`` steps by name.
        pods: the groups of pods that exist, by name; empty for a plain pod.
        gated: pods that still have a gate.
        composites: the ``composite`` steps by name.
        claims: names of claims that exist.
        equipped: names of nodes with devices.
    """

    def __init__(self, rng: random.Random, release: Release) -> None:
        self.rng = rng
        self.release = release
        self.steps: list[JsonObject] = []
        self.nodes: list[str] = []
        self.groups: dict[str, JsonObject] = {}
        self.pods: dict[str, str] = {}
        self.gated: list[str] = []
        self.composites: dict[str, JsonObject] = {}
        self.claims: list[str] = []
        self.equipped: list[str] = []
        self.racks = rng.randint(1, 3)
        self._kubelets = rng.random() < 0.5
        self._counts = dict.fromkeys("ngsbtc", 0)

    def add(self, **step: Any) -> JsonObject:
        """Append a step; the first key is its verb."""
        self.steps.append(step)
        return step

    def settle(self) -> None:
        """Let everybody see what came of it, unless that was done just now."""
        if self.steps and self.steps[-1].keys().isdisjoint({"settle", "run"}):
            self.add(settle=True)
            if self._kubelets:
                self.add(run=True)

    def fresh(self, letter: str) -> str:
        """Return a name that was not used yet."""
        self._counts[letter] += 1
        return f"{letter}{self._counts[letter]}"

    def chance(self, probability: float) -> bool:
        """Return whether something that happens so often happens now."""
        return self.rng.random() < probability

    def node(self, **members: Any) -> str:
        """Make a node in some rack."""
        rng, name = self.rng, self.fresh("n")
        rack = rng.randrange(self.racks)
        labels = {RACK: f"r{rack}", ZONE: f"z{rack % 2}"}
        if self.chance(0.1):
            del labels[RACK]
        if self.chance(0.3):
            labels["disk"] = rng.choice(["ssd", "hdd"])
        step: dict[str, Any] = {"cpu": rng.choice([2, 3, 4, 6]), "labels": labels}
        if self.chance(0.15):
            step["taints"] = [rng.choice(["dedicated=x:NoSchedule", "busy=:PreferNoSchedule"])]
        if self.chance(0.07):
            step["cordoned"] = True
        if self.chance(0.07):
            step["pods"] = rng.randint(1, 3)
        if self.chance(0.3):
            step["memory"] = rng.choice(["4Gi", "8Gi"])
        if self.chance(0.15):
            step["extra"] = {DEVICE: str(rng.randint(1, 4))}
        self.add(node=name, **step, **members)
        self.nodes.append(name)
        return name

    def group(self, **members: Any) -> str:
        """Make a group."""
        name = self.fresh("g")
        self.groups[name] = {"group": name, **members}
        return name

    def composite(self, **members: Any) -> str:
        """Make a group of groups."""
        name = self.fresh("t")
        self.composites[name] = {"composite": name, **members}
        return name

    def members(self, group: str, names: Sequence[str], **members: Any) -> None:
        """Make pods of a group."""
        about = self.groups[group]
        if "priority" in about and "priority" not in members:
            members["priority"] = about["priority"]
        if about.get("never"):
            members["never"] = True
        self.add(pods=list(names), group=group, **members)
        self.pods.update(dict.fromkeys(names, group))

    def plain(self, count: int = 1, **members: Any) -> list[str]:
        """Make pods without a group."""
        names = [self.fresh("s") for _ in range(count)]
        self.add(pods=names, **members)
        self.pods.update(dict.fromkeys(names, ""))
        return names
