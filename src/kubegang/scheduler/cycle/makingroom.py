"""From what post filters found to what is to be done about victims. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.decision import (
    ChangeObject,
    EvictPod,
    NominateNode,
    SearchForRoom,
)
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo
from kubegang.scheduler.framework.postfilter import (
    Eviction,
    PodGroupPostFilterResult,
    PostFilterResult,
)


def evictions_for_pod(pod: PodInfo, node: NodeName, eviction: Eviction) -> list[EvictPod]:
    """Return how to evict the victims of an ordinary pod."""
    return [
        EvictPod(
            victim,
            f"Preempted by pod {pod.uid} on node {node}",
            f"{pod.scheduler_name}: preempting to accommodate a higher priority pod",
            preemptor=pod.uid,
        )
        for victim in _still_there(eviction)
    ]


def evictions_for_group(
    group: PodGroupInfo, scheduler_name: str, eviction: Eviction
) -> list[EvictPod]:
    """Return how to evict the victims of a group."""
    kind = group.key.kind.lower()
    return [
        EvictPod(
            victim,
            # Upstream prints the name of its only domain where a node's would be.
            f"Preempted by {kind} {group.uid} on node cluster",
            f"{scheduler_name}: preempting to accommodate a higher priority {kind}",
        )
        for victim in _still_there(eviction)
    ]


def nominations(cycle: Cycle, nodes: Iterable[tuple[PodInfo, NodeName]]) -> list[NominateNode]:
    """Return what is to be written of which node is promised to whom; empty is none.

    What the API showed last and what was decided since may differ; both must be right.
    """
    decided = cycle.snapshot.nominations
    return [
        NominateNode(pod, node)
        for pod, node in nodes
        if node != pod.nominated_node_name or node != (decided.node_of(pod.uid) or "")
    ]


def clear_promises(cycle: Cycle, pods: Iterable[PodInfo]) -> list[NominateNode]:
    """Return how no node is promised to pods any more."""
    return nominations(cycle, [(pod, NodeName("")) for pod in pods])


def other_changes(
    room: PostFilterResult | PodGroupPostFilterResult | None,
) -> list[ChangeObject]:
    """Return what post filters want written beside evictions and promises."""
    return [] if room is None else [ChangeObject(change) for change in room.changes]


def search_report(
    room: PostFilterResult | PodGroupPostFilterResult | None,
) -> SearchForRoom | None:
    """Return what post filters came to, in numbers; ``None`` if nobody was asked."""
    if room is None:
        return None
    eviction = room.eviction
    return SearchForRoom(
        room.status.code.value,
        len(eviction.victims),
        eviction.group_units,
        eviction.budget_violations,
    )


def _still_there(eviction: Eviction) -> list[PodInfo]:
    # Who is terminating already need not be told again.
    return [victim for victim in eviction.victims if not victim.terminating]
