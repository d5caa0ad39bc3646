"""All or nothing: holds a gang until its quorum exists, and ends a trial that cannot reach it.

The 1.37 rules: the whole group is in the queue at once, so what is asked here is whether
enough members exist (``pre_enqueue``) and, while they are placed one by one, whether enough
can still find a place (``placement_feasible``). A basic group asks for one member. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from kubegang.scheduler.framework.cluster import PlacementProgress
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.events import (
    Action,
    ClusterEvent,
    ClusterObject,
    HintRegistration,
)
from kubegang.scheduler.framework.interface import PluginContext
from kubegang.scheduler.framework.podgroups import PodGroupStates, has_quorum
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo
from kubegang.scheduler.framework.status import (
    SUCCESS,
    Status,
    unresolvable,
    unschedulable,
    waiting,
)


class GangScheduling:
    """Enforces spec.schedulingPolicy of PodGroups and CompositePodGroups."""

    NAME: ClassVar[str] = "GangScheduling"

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments from ``context``."""

    def queueing_hints(self) -> Sequence[HintRegistration]:
        """Ask again when a sibling or a group comes, or the group asks for fewer."""
        return (
            *hints_of_arrivals(),
            HintRegistration(
                ClusterEvent("PodGroup", Action.UPDATE_POD_GROUP_MIN_COUNT),
                is_schedulable_after_group_updated,
            ),
            HintRegistration(
                ClusterEvent("CompositePodGroup", Action.ADD), is_schedulable_after_composite_added
            ),
        )

    def pre_enqueue(self, pod: PodInfo, groups: PodGroupStates) -> Status:
        """Hold a member until its group's object and enough members exist.

        In a tree this is about the whole tree: a group without enough members does not hold
        it as long as enough others are complete. Members that have a node already count; the
        texts are seen in ``explain`` only, as upstream writes no condition for pods it holds.
        """
        if pod.pod_group is None:
            return SUCCESS
        root = groups.root_of(pod.pod_group)
        if root is None:
            name = pod.pod_group.name
            return unresolvable(
                f'waiting for pods\'s pod group "{name}" to appear in scheduling queue'
            )
        if has_quorum(groups, root):
            return SUCCESS
        if root.is_composite:
            return unresolvable(
                f'waiting for composite pod group "{root.key.name}" tree to meet quorum'
            )
        return unresolvable("waiting for minCount pods from a gang to appear in scheduling queue")

    def placement_feasible(
        self, state: CycleState, group: PodGroupInfo, *, progress: PlacementProgress
    ) -> Status:
        """Say whether the minimum is reached, can be reached, or is out of reach."""
        needed, scheduled, remaining = group.quorum, progress.scheduled, progress.remaining
        so_far = f"{scheduled} scheduled, {remaining} remaining"
        if scheduled + remaining < needed:
            return unschedulable(f"minCount ({needed}) cannot be satisfied: {so_far}")
        if scheduled < needed:
            return waiting(f"minCount ({needed}) is not yet satisfied: {so_far}")
        return SUCCESS


def hints_of_arrivals() -> tuple[HintRegistration, ...]:
    """Return the hints for what may complete a gang: siblings, and the group itself."""
    after_pod = is_schedulable_after_pod_added
    return (
        HintRegistration(ClusterEvent("UnscheduledPod", Action.ADD), after_pod),
        HintRegistration(ClusterEvent("AssignedPod", Action.ADD), after_pod),
        HintRegistration(ClusterEvent("PodGroup", Action.ADD), is_schedulable_after_group_added),
    )


def is_schedulable_after_pod_added(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the new pod belongs to the same group."""
    return pod.pod_group is not None and isinstance(new, PodInfo) and new.pod_group == pod.pod_group


def is_schedulable_after_group_added(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the pod's group has come."""
    return isinstance(new, PodGroupInfo) and new.key == pod.pod_group


def is_schedulable_after_composite_added(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the composite may be above the pod's group."""
    return (
        pod.pod_group is not None
        and isinstance(new, PodGroupInfo)
        and new.key.namespace == pod.namespace
    )


def is_schedulable_after_group_updated(
    pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None
) -> bool:
    """Return whether the pod's gang asks for fewer members than before."""
    if not isinstance(old, PodGroupInfo) or not isinstance(new, PodGroupInfo):
        return False
    if new.key != pod.pod_group or new.min_count is None or old.min_count is None:
        return False
    return new.min_count < old.min_count
