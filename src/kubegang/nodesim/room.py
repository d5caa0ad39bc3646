"""How much of each node its pods take, and whether there is room for one more. Pure.

A pod can arrive where there is no room: somebody bound it by hand, or two schedulers did not
know of each other. Texts and order are the kubelet's (1.35 to 1.37). What a node does not list
is not looked at: of extended resources that is a kubelet's rule, since devices may stand behind
them; of others it is ours, as a node made without a size is as large as one likes.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from kubegang.api.core.types import Amount
from kubegang.api.quotas.podtotals import pod_total
from kubegang.apimachinery.quantity import Quantity
from kubegang.nodesim.forms import Container, SimulatedNode, SimulatedPod

Units = Mapping[str, int]
"""By resource: thousandths of CPU, else whole units."""

PODS: Final = "pods"

_FIRST: Final = ("cpu", "memory", "ephemeral-storage")


class Shortage(NamedTuple):
    """What a node has too little of for one more pod."""

    resource: str
    requested: int
    used: int
    capacity: int

    @property
    def reason(self) -> str:
        """The reason of the pod's failure."""
        return f"OutOf{self.resource}"

    @property
    def message(self) -> str:
        """What people are told."""
        return (
            f"Node didn't have enough resource: {self.resource}, requested: {self.requested}, "
            f"used: {self.used}, capacity: {self.capacity}"
        )


class Room:
    """The pods that were let in, by node; each is counted once until it is dropped."""

    def __init__(self) -> None:
        self._pods: dict[str, tuple[str, Units]] = {}
        self._count: Counter[str] = Counter()
        self._used: dict[str, Counter[str]] = {}

    def has(self, uid: str) -> bool:
        """Return whether a pod was let in."""
        return uid in self._pods

    def take(self, pod: SimulatedPod) -> None:
        """Count a pod on its node, whether or not there is room."""
        uid, node = pod.metadata.uid, pod.spec.node_name
        if uid in self._pods:
            return
        units = _units(_totals(pod))
        self._pods[uid] = (node, units)
        self._count[node] += 1
        self._used.setdefault(node, Counter()).update(units)

    def drop(self, uid: str) -> None:
        """Forget a pod that has ended or is gone."""
        node, units = self._pods.pop(uid, ("", {}))
        if node:
            self._count[node] -= 1
            self._used[node].subtract(units)

    def shortage(self, pod: SimulatedPod, node: SimulatedNode) -> Shortage | None:
        """Return what a node has too little of for a pod that was not let in yet."""
        name = node.metadata.name
        has = _units(node.status.allocatable)
        if PODS in has and self._count[name] + 1 > has[PODS]:
            return Shortage(PODS, 1, self._count[name], has[PODS])
        wanted = _units(_totals(_without_devices(pod)))
        used: Mapping[str, int] = self._used.get(name, {})
        for resource in sorted(wanted, key=_report_order):
            amount, taken = wanted[resource], used.get(resource, 0)
            if resource in has and 0 < amount > has[resource] - taken:
                return Shortage(resource, amount, taken, has[resource])
        return None


def _without_devices(pod: SimulatedPod) -> SimulatedPod:
    """Return a pod without the requests that a claim for extended resources fulfils."""
    extended = pod.status.extended_resource_claim_status
    if extended is None:
        return pod
    mapped = {(m.container_name, m.resource_name) for m in extended.request_mappings}

    def without(container: Container) -> Container:
        asked = container.resources.requests
        left = {name: asked[name] for name in asked if (container.name, name) not in mapped}
        resources = msgspec.structs.replace(container.resources, requests=left)
        return msgspec.structs.replace(container, resources=resources)

    spec = msgspec.structs.replace(
        pod.spec,
        init_containers=tuple(without(container) for container in pod.spec.init_containers),
        containers=tuple(without(container) for container in pod.spec.containers),
    )
    return msgspec.structs.replace(pod, spec=spec)


def _totals(pod: SimulatedPod) -> Mapping[str, Amount]:
    spec = pod.spec
    # Most pods are copies of each other, names aside.
    shape = (
        [(c.resources.requests, c.restart_policy) for c in spec.init_containers],
        [c.resources.requests for c in spec.containers],
        spec.resources.requests if spec.resources is not None else {},
        spec.overhead,
    )
    return _totals_of(msgspec.json.encode(shape))


@functools.lru_cache(maxsize=4096)
def _totals_of(shape: bytes) -> Mapping[str, Amount]:
    starting, running, whole, overhead = msgspec.json.decode(shape)
    init = [{"resources": {"requests": r}, "restartPolicy": policy} for r, policy in starting]
    spec = {
        "initContainers": init,
        "containers": [{"resources": {"requests": requests}} for requests in running],
        "resources": {"requests": whole},
        "overhead": overhead,
    }
    totals = pod_total({"spec": spec}, "requests")
    return {name: str(quantity) for name, quantity in totals.items()}


def _units(amounts: Mapping[str, Amount]) -> Units:
    return {name: _in_units(name, str(amount)) for name, amount in amounts.items()}


@functools.lru_cache(maxsize=4096)
def _in_units(resource: str, amount: str) -> int:
    quantity = Quantity.parse(amount)
    return quantity.milli_value() if resource == "cpu" else quantity.value()


def _report_order(resource: str) -> tuple[int, str]:
    return (_FIRST.index(resource) if resource in _FIRST else len(_FIRST), resource)
