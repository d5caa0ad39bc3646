"""The rules that all members of a group must keep before any of them is tried.

The order and the texts are those of kube-scheduler 1.37; values are printed pod first, group
second. Members that already have a node are checked too. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo

_SAME = "all pods in a single pod group should have the same"


def broken_rule(
    group: PodGroupInfo,
    waiting: Sequence[PodInfo],
    *,
    scheduled: Sequence[PodInfo],
    group_has_policy: bool,
) -> str:
    """Return what is wrong with the group's members, or empty.

    Args:
        group: as it is in the snapshot.
        waiting: members to be tried, in order.
        scheduled: members that have a node.
        group_has_policy: the gate PodGroupPreemptionPolicy: members must have the group's
            preemption policy, not only the same.
    """
    if not waiting:
        return ""
    first = waiting[0]
    policy = group.preemption_policy if group_has_policy else first.preemption_policy
    than = " as the pod group's preemption policy" if group_has_policy else ""
    for pod in (*waiting, *scheduled):
        if pod.scheduler_name != first.scheduler_name:
            names = f'"{pod.scheduler_name}" and "{first.scheduler_name}"'
            return f"{_SAME} .spec.schedulerName set, got: {names}"
        if pod.priority != group.priority:
            values = f"{pod.priority} and {group.priority}"
            return f"{_SAME} priority as the pod group's priority, got {values}"
        if pod.preemption_policy != policy:
            return f"{_SAME} preemption policy{than}, got {pod.preemption_policy} and {policy}"
    return ""
