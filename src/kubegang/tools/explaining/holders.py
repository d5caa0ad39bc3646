"""Who has the resources that are lacking. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from kubegang.scheduler.cycle.shortfall import is_about_room
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.explaining.amounts import amounts
from kubegang.tools.explaining.case import Case
from kubegang.tools.explaining.deviceholders import device_holders
from kubegang.tools.explaining.report import Holder, Subject

MOST_HOLDERS: Final = 10


def holders_of(case: Case) -> tuple[Holder, ...]:
    """Return who holds what is lacking on the nodes that lack only room, the largest first.

    After them, who holds the devices behind resources that are lacking.
    """
    lacking = lacking_resources(case)
    pods: dict[Subject, list[PodInfo]] = defaultdict(list)
    nodes: dict[Subject, set[NodeName]] = defaultdict(set)
    for node, pod in _on_full_nodes(case):
        if lacking & dict(pod.requests.items).keys():
            unit = unit_of(case.stage.state, pod)
            pods[unit].append(pod)
            nodes[unit].add(node)
    found = [
        _holder(case, unit, members, nodes=len(nodes[unit]), lacking=lacking)
        for unit, members in pods.items()
    ]
    first = min(lacking, default="")
    ordered = sorted(found, key=lambda pair: (-pair[0][first], str(pair[1].name)))
    holders = [*(holder for _, holder in ordered), *device_holders(case)]
    return tuple(holders[:MOST_HOLDERS])


def _holder(
    case: Case, unit: Subject, members: list[PodInfo], *, nodes: int, lacking: frozenset[str]
) -> tuple[Counter[str], Holder]:
    held: Counter[str] = Counter()
    for pod in members:
        held.update({name: amount for name, amount in pod.requests.items if name in lacking})
    priority = case.stage.snapshot.priority_of(members[0])
    return held, Holder(
        kind=unit.kind,
        namespace=unit.namespace,
        name=unit.name,
        pods=len(members),
        nodes=nodes,
        priority=priority,
        weaker=priority < case.priority,
        holds=amounts(held),
    )


def lacking_resources(case: Case) -> frozenset[str]:
    """Return the resources of which some node has too little."""
    return frozenset(
        reason.removeprefix("Insufficient ")
        for member in case.findings.refused
        for refusal in member.failure.refusals
        for reason in refusal.status.reasons
        if reason.startswith("Insufficient ")
    )


def unit_of(state: ClusterState, pod: PodInfo) -> Subject:
    """Return under which name people know a pod: its owner, its group, or itself."""
    owner = state.owners.get(pod.uid)
    if owner is not None:
        return Subject(owner.kind, pod.namespace, owner.name)
    if pod.pod_group is not None:
        return Subject("PodGroup", pod.namespace, pod.pod_group.name)
    return Subject("Pod", pod.namespace, pod.name)


def _on_full_nodes(case: Case) -> Iterator[tuple[NodeName, PodInfo]]:
    snapshot = case.stage.snapshot
    full = {
        snapshot.nodes.names[row]
        for member in case.findings.refused
        for refusal in member.failure.refusals
        if is_about_room(refusal)
        for row in refusal.rows.tolist()
    }
    own = {pod.uid for pod in case.placed}
    for entry in snapshot.placed_pods():
        if entry.node in full and entry.pod.uid not in own:
            yield entry.node, entry.pod
