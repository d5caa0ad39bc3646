"""Makes a scenario of a seed: the same seed makes the same one for ever."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final

from tests.differential import acts, devices, trees
from tests.differential.acts import Act
from tests.differential.objects import RELEASES
from tests.differential.scenario import GROUPS, Scenario
from tests.differential.story import Story

Weighted = Mapping[Act, int]

_CHANGES: Final[Weighted] = {
    acts.more_nodes: 2,
    acts.fewer_nodes: 1,
    acts.changed_node: 3,
    acts.lost_pods: 3,
    acts.born_again: 2,
    acts.late_members: 2,
    acts.group_again: 1,
    acts.other_minimum: 2,
    acts.open_gates: 2,
    acts.finished: 1,
}

THEMES: Final[Mapping[str, Weighted]] = {
    "pack": {acts.some_gang: 4, acts.plain_pods: 2, acts.basic_group: 1, acts.interleaved: 1},
    "churn": {acts.some_gang: 6, acts.plain_pods: 2, acts.basic_group: 1, **_CHANGES},
    "preempt": {
        acts.some_gang: 3,
        acts.plain_pods: 2,
        acts.strong_gang: 4,
        acts.strong_pods: 3,
        acts.budget: 2,
        acts.lost_pods: 1,
        acts.more_nodes: 1,
    },
    "slow": {acts.slow_victims: 4, acts.strong_gang: 1, acts.plain_pods: 1, acts.changed_node: 1},
    "topology": {
        acts.topology_gang: 5,
        acts.plain_pods: 2,
        acts.some_gang: 1,
        acts.changed_node: 2,
        acts.lost_pods: 1,
        acts.late_members: 1,
    },
    "topology-preempt": {
        acts.plain_pods: 3,
        acts.some_gang: 2,
        acts.topology_gang: 4,
        acts.strong_pods: 1,
        acts.strong_gang: 1,
        acts.budget: 1,
    },
    "everything": {
        acts.some_gang: 4,
        acts.plain_pods: 2,
        acts.basic_group: 1,
        acts.interleaved: 1,
        acts.strong_gang: 2,
        acts.strong_pods: 2,
        acts.topology_gang: 2,
        acts.slow_victims: 1,
        acts.budget: 1,
        acts.mismatch: 1,
        **_CHANGES,
    },
}

TREES: Final[Mapping[str, Weighted]] = {
    "tree": {trees.some_tree: 4, acts.plain_pods: 2, acts.some_gang: 1, acts.more_nodes: 1},
    "tree-preempt": {
        acts.plain_pods: 3,
        acts.some_gang: 2,
        trees.some_tree: 3,
        trees.strong_tree: 4,
        acts.strong_pods: 1,
        acts.budget: 1,
    },
    "tree-churn": {
        trees.some_tree: 5,
        trees.late_branch: 3,
        trees.other_group_minimum: 3,
        trees.composite_again: 1,
        acts.late_members: 2,
        acts.lost_pods: 2,
        acts.group_again: 1,
        acts.more_nodes: 2,
        acts.changed_node: 2,
        acts.other_minimum: 1,
    },
}
"""Trees of groups."""

DEVICES: Final[Mapping[str, Weighted]] = {
    "claims": {
        devices.some_devices: 3,
        devices.claiming_pods: 3,
        devices.claiming_gang: 3,
        devices.gang_of_claims: 2,
        acts.plain_pods: 1,
    },
    "claims-churn": {
        devices.some_devices: 3,
        devices.claiming_pods: 2,
        devices.claiming_gang: 3,
        devices.gang_of_claims: 2,
        devices.late_claim: 1,
        devices.devices_gone: 1,
        devices.strong_claiming_pod: 2,
        acts.lost_pods: 3,
        acts.late_members: 1,
        acts.more_nodes: 1,
        acts.finished: 1,
    },
}
"""Devices and the claims of pods and groups."""

FAMILIES: Final[Mapping[str, Mapping[str, Weighted]]] = {
    GROUPS: THEMES,
    "trees": TREES,
    "devices": DEVICES,
}

_OLDEST_WITH_TOPOLOGY: Final = 36
_FULL: Final = frozenset({"preempt", "slow", "tree-preempt"})


def scenario(release: int, seed: int, family: str = GROUPS) -> Scenario:
    """Return a random scenario."""
    rng = random.Random(f"{release}/{seed}" if family == GROUPS else f"{family}/{release}/{seed}")
    known = FAMILIES[family]
    themes = [
        name
        for name in known
        if release >= _OLDEST_WITH_TOPOLOGY or not name.startswith("topology")
    ]
    theme = themes[seed % len(themes)]
    story = Story(rng, RELEASES[release])
    if theme.startswith("topology"):
        story.racks = rng.randint(2, 4)
    # Evictions need a full cluster.
    for _ in range(rng.randint(1, 3) if theme in _FULL else rng.randint(2, 6)):
        story.node()
    if family == "devices":
        devices.some_devices(story)
    _act(story, _possible(known[theme], release))
    story.settle()
    steps = story.steps[:-1] if "run" in story.steps[-1] else story.steps
    return Scenario(seed=seed, release=release, theme=theme, steps=tuple(steps), family=family)


def _possible(weighted: Weighted, release: int) -> Weighted:
    if release >= _OLDEST_WITH_TOPOLOGY:
        return weighted
    return {act: weight for act, weight in weighted.items() if act is not acts.topology_gang}


def _act(story: Story, weighted: Weighted) -> None:
    choices: Sequence[Act] = tuple(weighted)
    weights = tuple(weighted.values())
    for _ in range(story.rng.randint(2, 6)):
        story.rng.choices(choices, weights)[0](story)
        if story.chance(0.6):
            story.settle()
