"""Under which names people know pods and groups, from their objects alone. Pure."""

from __future__ import annotations

from kubegang.api.scheduling.types import CompositePodGroup, PodGroup
from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo
from kubegang.scheduler.framework.workloadgroups import group_name
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.explaining.targets import entity_of
from kubegang.tools.rehearsal.stage import Stage
from kubegang.tools.workunits import WorkUnit

_TOLD_BY = frozenset({"Job"})
"""Pods outside of groups are told under an owner of these kinds."""


class Units:
    """Knows the names of a cluster's pods and groups."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._state = stage.state
        self._groups = _owners_of_groups(stage.state)

    def of_pod(self, pod: PodInfo) -> WorkUnit:
        """Return the name of what a pod belongs to."""
        key = entity_of(self._stage, pod)
        if isinstance(key, PodGroupKey):
            return self.of_group(key)
        owner = self._state.owners.get(pod.uid)
        if owner is not None and owner.kind in _TOLD_BY:
            return WorkUnit(owner.kind, owner.namespace, owner.name)
        return WorkUnit("Pod", pod.namespace, pod.name)

    def of_group(self, key: PodGroupKey) -> WorkUnit:
        """Return the name of a group: its Job's, or its own."""
        found = self._groups.get(key)
        if found is not None:
            return found
        name = group_name(key)
        if name is not None:
            return WorkUnit("Workload", key.namespace, name.workload)
        return WorkUnit(key.kind, key.namespace, key.name)

    def of_entity(self, key: EntityKey, pods: list[PodInfo]) -> WorkUnit:
        """Return the name of what is decided about together."""
        return self.of_group(key) if isinstance(key, PodGroupKey) else self.of_pod(pods[0])


def _owners_of_groups(state: ClusterState) -> dict[PodGroupKey, WorkUnit]:
    owned: list[tuple[PodGroupKey, PodGroup | CompositePodGroup]] = [
        *((PodGroupKey(g.metadata.namespace, g.metadata.name), g) for g in state.groups),
        *(
            (PodGroupKey(g.metadata.namespace, g.metadata.name, "CompositePodGroup"), g)
            for g in state.composites
        ),
    ]
    return {
        key: WorkUnit(owner.kind, key.namespace, owner.name)
        for key, group in owned
        if (owner := group.metadata.controller) is not None
    }
