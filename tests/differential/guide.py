"""A plugin that lets equal scores be broken the way the other scheduler broke them.

Where several nodes score alike, each scheduler takes one by chance, and everything after it
depends on that. Our scheduler is therefore told where the other one put each pod; it counts
only where all else is equal, since every other plugin weighs a thousand times as much. So a
node that differs nonetheless was not among our best.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Final

import msgspec
import numpy as np

from kubegang.api.profile import PluginWeight, SchedulerProfile
from kubegang.scheduler.framework.cluster import ClusterView, PlacementAssignments
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import PluginContext
from kubegang.scheduler.framework.nodetable import IntArray, RowArray
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo
from kubegang.scheduler.framework.status import SUCCESS, Status
from kubegang.scheduler.plugins.registry import PLUGINS, PluginFactory
from tests.differential.scenario import Picture

OUTWEIGHED: Final = 1000


class Guide:
    """Prefers the nodes that it is told.

    Attributes:
        places: node names by pod name; who plays the scenario changes them as it goes on.
        refused: names of pods that found no place; likewise.
    """

    NAME: ClassVar[str] = "Guide"

    def __init__(self) -> None:
        self.places: Mapping[str, str] = {}
        self.refused: Collection[str] = ()

    def look_at(self, picture: Picture) -> None:
        """Prefer from now on what the other scheduler had come to at some rest."""
        self.places = picture.places
        self.refused = {name for name, pod in picture.pods.items() if pod.scheduled}

    def turn_of(self, pod: PodInfo) -> int:
        """Return which of equal members the other scheduler may have tried sooner."""
        if pod.name in self.places:
            return 0
        return 2 if pod.name in self.refused else 1

    def __call__(self, context: PluginContext) -> Guide:
        """Return itself where a profile's plugins are made."""
        return self

    def score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> IntArray:
        """Return 1 for the node that the pod is to have, 0 for others."""
        row = cluster.nodes.row(NodeName(self.places.get(pod.name, "")))
        met: IntArray = (rows == (-1 if row is None else row)).astype(np.int64)
        return met

    def sign_pod(self, pod: PodInfo) -> str:
        """Return the same for all pods, so that rankings are kept as without the guide."""
        return ""

    def score_placement(
        self,
        state: CycleState,
        group: PodGroupInfo,
        *,
        cluster: ClusterView,
        proposal: PlacementAssignments,
    ) -> tuple[Status, int]:
        """Return how many members would be where they are to be."""
        names = cluster.nodes.names
        met = [names[one.row] == self.places.get(one.pod.name) for one in proposal.assignments]
        return SUCCESS, sum(met)

    def plugins(self) -> Mapping[str, PluginFactory]:
        """Return all plugins and this one."""
        return {**PLUGINS, self.NAME: self}


def guided(profile: SchedulerProfile) -> SchedulerProfile:
    """Return a profile that looks at the guide where all else is equal."""
    heavier: Sequence[PluginWeight] = [
        msgspec.structs.replace(plugin, weight=(plugin.weight or 1) * OUTWEIGHED)
        for plugin in profile.plugins
    ]
    return msgspec.structs.replace(profile, plugins=(*heavier, PluginWeight(Guide.NAME, 1)))
