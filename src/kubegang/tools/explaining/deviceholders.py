"""Who has the devices that are lacking behind extended resources. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from kubegang.api.resource.types import ResourceClaim
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.explaining.amounts import amounts, requested_by
from kubegang.tools.explaining.case import Case
from kubegang.tools.explaining.devices import DeviceStock
from kubegang.tools.explaining.report import Holder, Subject

_LACKING = "cannot allocate all claims"
_Placed = tuple[PodInfo, NodeName]


class _Share(NamedTuple):
    """What claims of one owner hold, and the pods that use them."""

    held: Counter[str]
    pods: dict[str, _Placed]


def device_holders(case: Case) -> list[Holder]:
    """Return who has devices that a member was refused for, the largest share first."""
    stock = DeviceStock(case.stage.snapshot.devices)
    placed = _Users(case)
    shares: dict[Subject, _Share] = defaultdict(lambda: _Share(Counter(), {}))
    for resource in _lacking(case, stock):
        for claim, held in stock.holding(resource):
            users = list(placed.of(claim))
            unit = _unit(case.stage.state, claim, users)
            shares[unit].held[resource] += held
            shares[unit].pods.update({pod.uid: (pod, node) for pod, node in users})
    ordered = sorted(shares.items(), key=lambda item: (-item[1].held.total(), str(item[0])))
    return [_holder(case, unit, share) for unit, share in ordered]


def _lacking(case: Case, stock: DeviceStock) -> list[str]:
    """Return the resources whose devices some refused member asks for."""
    pods = [
        member.pod
        for member in case.findings.refused
        if any(_LACKING in refusal.status.reasons for refusal in member.failure.refusals)
    ]
    return [name for name in sorted(requested_by(pods)) if stock.stands_behind(name)]


class _Users:
    """The pods with a node, by uid and by group."""

    def __init__(self, case: Case) -> None:
        self._by_uid: dict[str, _Placed] = {}
        self._by_group: dict[tuple[str, str], list[_Placed]] = defaultdict(list)
        for entry in case.stage.snapshot.placed_pods():
            pod = entry.pod
            self._by_uid[pod.uid] = (pod, entry.node)
            if pod.pod_group is not None:
                self._by_group[pod.namespace, pod.pod_group.name].append((pod, entry.node))

    def of(self, claim: ResourceClaim) -> Iterator[_Placed]:
        """Yield those for which, or for whose group, a claim is reserved."""
        for entry in claim.status.reserved_for:
            if entry.resource == "pods" and entry.uid in self._by_uid:
                yield self._by_uid[entry.uid]
            elif entry.resource == "podgroups":
                yield from self._by_group.get((claim.metadata.namespace, entry.name), ())


def _unit(state: ClusterState, claim: ResourceClaim, users: list[_Placed]) -> Subject:
    """Return under which name people know the user of a claim; without one, the claim."""
    if not users:
        return Subject("ResourceClaim", claim.metadata.namespace, claim.metadata.name)
    pod = users[0][0]
    owner = state.owners.get(pod.uid)
    if owner is not None:
        return Subject(owner.kind, pod.namespace, owner.name)
    if pod.pod_group is not None:
        return Subject("PodGroup", pod.namespace, pod.pod_group.name)
    return Subject("Pod", pod.namespace, pod.name)


def _holder(case: Case, unit: Subject, share: _Share) -> Holder:
    priorities = [case.stage.snapshot.priority_of(pod) for pod, _ in share.pods.values()]
    priority = max(priorities, default=0)
    return Holder(
        kind=unit.kind,
        namespace=unit.namespace,
        name=unit.name,
        pods=len(share.pods),
        nodes=len({node for _, node in share.pods.values()}),
        priority=priority,
        weaker=bool(priorities) and priority < case.priority,
        holds=amounts(share.held),
    )
