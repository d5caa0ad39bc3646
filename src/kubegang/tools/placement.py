"""Where pods ran: per topology domain, and in it per node. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from kubegang.tools.history import History
from kubegang.tools.records import PodRecord, PodState
from kubegang.tools.workunits import WorkUnit, natural_order

TOPOLOGY_PREFIX = "topology."
"""Labels of these prefixes name domains: topology.kubernetes.io/zone and its like."""

NO_VALUE = "-"
"""What stands for the domain of a node that lacks a label."""


class PlacedPod(msgspec.Struct, frozen=True, rename="camel"):
    """A pod on its node."""

    namespace: str
    name: str
    unit: WorkUnit
    state: PodState


class NodePlacement(msgspec.Struct, frozen=True, rename="camel"):
    """A node with the pods that ran or run on it."""

    name: str
    pods: tuple[PlacedPod, ...] = ()


class UnitShare(msgspec.Struct, frozen=True, rename="camel"):
    """How many of a unit's pods are in a domain.

    Attributes:
        live: those among them that have not ended.
    """

    unit: WorkUnit
    pods: int
    live: int


class DomainPlacement(msgspec.Struct, frozen=True, rename="camel"):
    """One topology domain.

    Attributes:
        topology: the value of each key of the placement.
    """

    topology: Mapping[str, str]
    nodes: tuple[NodePlacement, ...]
    units: tuple[UnitShare, ...]


class Placement(msgspec.Struct, frozen=True, rename="camel"):
    """All domains.

    Attributes:
        keys: the labels that make domains, outermost first; none makes one domain of all.
    """

    keys: tuple[str, ...]
    domains: tuple[DomainPlacement, ...]


def placement_of(history: History) -> Placement:
    """Return where the pods ran that ended by themselves, and where the others run.

    Pods that were evicted or deleted while they ran are left out, and so are those that were
    bound to a node that does not exist.
    """
    keys = topology_keys(
        history.nodes.values(), wanted=[group.topology_key for group in history.groups.values()]
    )
    by_node = _pods_by_node(history)
    domains: dict[tuple[str, ...], list[str]] = {}
    for node in sorted(history.nodes.keys() | by_node.keys(), key=natural_order):
        labels = history.nodes.get(node, {})
        domains.setdefault(tuple(labels.get(key) or NO_VALUE for key in keys), []).append(node)
    return Placement(
        keys=keys,
        domains=tuple(
            _domain(history, dict(zip(keys, values, strict=True)), nodes, by_node)
            for values, nodes in sorted(domains.items(), key=lambda item: _order(item[0]))
        ),
    )


def topology_keys(
    nodes: Iterable[Mapping[str, str]], *, wanted: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the labels that name domains, outermost first.

    Those are the labels whose prefix begins with ``topology.``, and those that groups want;
    the fewer values a label has, the further out it is.
    """
    values: dict[str, set[str]] = {}
    asked = frozenset(wanted)
    for labels in nodes:
        for key, value in labels.items():
            if key in asked or (key.startswith(TOPOLOGY_PREFIX) and "/" in key):
                values.setdefault(key, set()).add(value)
    return tuple(sorted(values, key=lambda key: (len(values[key]), key)))


def _pods_by_node(history: History) -> dict[str, list[PodRecord]]:
    by_node: dict[str, list[PodRecord]] = {}
    for pod in history.pods.values():
        nowhere = pod.state == "bound" and pod.node not in history.nodes
        if pod.node and not nowhere and (pod.holds_node or pod.state in ("succeeded", "failed")):
            by_node.setdefault(pod.node, []).append(pod)
    return by_node


def _domain(
    history: History,
    topology: Mapping[str, str],
    nodes: list[str],
    by_node: Mapping[str, list[PodRecord]],
) -> DomainPlacement:
    pods = [pod for node in nodes for pod in by_node.get(node, ())]
    total = Counter(history.unit_of(pod) for pod in pods)
    live = Counter(history.unit_of(pod) for pod in pods if pod.holds_node)
    return DomainPlacement(
        topology=topology,
        nodes=tuple(NodePlacement(node, _placed(history, by_node.get(node, ()))) for node in nodes),
        units=tuple(
            UnitShare(unit, total[unit], live[unit]) for unit in sorted(total, key=_unit_order)
        ),
    )


def _placed(history: History, pods: Iterable[PodRecord]) -> tuple[PlacedPod, ...]:
    return tuple(
        PlacedPod(pod.namespace, pod.name, history.unit_of(pod), pod.state)
        for pod in sorted(pods, key=lambda pod: (pod.namespace, natural_order(pod.name)))
    )


def _order(values: tuple[str, ...]) -> tuple[object, ...]:
    return tuple(natural_order(value) for value in values)


def _unit_order(unit: WorkUnit) -> tuple[object, ...]:
    return (unit.namespace, natural_order(unit.name), unit.kind)
