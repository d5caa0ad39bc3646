"""Nodes that belong to teams.

A pod with the label ``team`` goes on nodes with the same label, or on nodes without one;
nodes of its own team come first. What is written down about it is an annotation on the pod.

The label's name is an argument:

    pluginConfig:
    - name: TeamNodes
      args: {label: example.com/team}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec
import numpy as np

from kubegang.apimachinery.objects import GroupVersion
from kubegang.scheduler.framework.arguments import decode_arguments
from kubegang.scheduler.framework.binding import ApiWrite, PreBindPlan
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.events import Action, ClusterEvent, HintRegistration
from kubegang.scheduler.framework.interface import MAX_NODE_SCORE, PluginContext
from kubegang.scheduler.framework.nodetable import IntArray, RowArray
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import SUCCESS, Status, unresolvable


class TeamNodesArgs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The plugin's arguments.

    Attributes:
        label: of pods and nodes.
    """

    label: str = "team"


class TeamNodes:
    """Keeps teams apart, and prefers a team's own nodes."""

    NAME: ClassVar[str] = "TeamNodes"

    def __init__(self, context: PluginContext) -> None:
        """Read the arguments.

        Raises:
            PluginConfigError: they cannot be used.
        """
        self._label = decode_arguments(self.NAME, context.args, TeamNodesArgs).label

    def filter_node(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, row: int
    ) -> Status:
        """Refuse nodes of other teams; evicting pods would not help."""
        team = cluster.nodes.infos[row].labels.get(self._label, "")
        if team in {"", pod.labels.get(self._label, "")}:
            return SUCCESS
        return unresolvable(f"node belongs to team {team}")

    def score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> IntArray:
        """Give nodes of the pod's team everything, others nothing."""
        team = pod.labels.get(self._label)
        own = [
            team is not None and cluster.nodes.infos[row].labels.get(self._label) == team
            for row in rows
        ]
        return np.array(own, dtype=np.int64) * MAX_NODE_SCORE

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Try a pod again when a node comes, or gets another label."""
        return (HintRegistration(ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_LABEL)),)

    def pre_bind(
        self, state: CycleState, pod: PodInfo, *, node: NodeName, cluster: ClusterView
    ) -> PreBindPlan:
        """Note in the pod for which team its node was taken."""
        team = pod.labels.get(self._label)
        if team is None:
            return PreBindPlan()
        note = {"metadata": {"annotations": {"example.com/node-of-team": team}}}
        write = ApiWrite(
            verb="patch",
            version=GroupVersion("", "v1"),
            plural="pods",
            kind="Pod",
            namespace=pod.namespace,
            name=pod.name,
            body=note,
            patch_type="merge",
        )
        return PreBindPlan(writes=(write,))
