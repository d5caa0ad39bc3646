"""Nodes by topology domain, with what is used. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from kubegang.scheduler.cycle.shortfall import format_amount
from kubegang.scheduler.framework.nodes import NodeInfo, Taint
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.tools.overview.report import Domain, NodePod, NodeView, Use
from kubegang.tools.overview.units import Units
from kubegang.tools.placement import NO_VALUE
from kubegang.tools.rehearsal.stage import Stage
from kubegang.tools.workunits import natural_order

PODS: Final = "pods"
_FIRST: Final = ("cpu", "memory")
"""Resources that every node has come first, then the others by name, then the pods."""

_Amounts = Mapping[str, tuple[int, int]]


def domains_of(stage: Stage, keys: Sequence[str], units: Units) -> tuple[Domain, ...]:
    """Return all nodes by the values of their topology keys."""
    by_path: dict[tuple[str, ...], list[tuple[NodeView, _Amounts]]] = {}
    table = stage.snapshot.nodes
    for row, info in enumerate(table.infos):
        pods = list(stage.snapshot.pods_on(row))
        found = _amounts(stage, row, info, pods)
        by_path.setdefault(path_of(info, keys), []).append((_node(info, found, pods, units), found))
    return tuple(
        _domain(path, by_path[path])
        for path in sorted(by_path, key=lambda path: [natural_order(value) for value in path])
    )


def path_of(node: NodeInfo, keys: Sequence[str]) -> tuple[str, ...]:
    """Return the domain that a node is in."""
    return tuple(node.labels.get(key) or NO_VALUE for key in keys)


def _domain(path: tuple[str, ...], nodes: Sequence[tuple[NodeView, _Amounts]]) -> Domain:
    used: Counter[str] = Counter()
    exists: Counter[str] = Counter()
    for _, found in nodes:
        for resource, (taken, whole) in found.items():
            used[resource] += taken
            exists[resource] += whole
    together = {resource: (used[resource], exists[resource]) for resource in exists}
    return Domain(
        path=path,
        uses=_uses(together),
        nodes=tuple(sorted((node for node, _ in nodes), key=lambda node: natural_order(node.name))),
    )


def _node(info: NodeInfo, found: _Amounts, pods: Sequence[PodInfo], units: Units) -> NodeView:
    return NodeView(
        name=info.name,
        unschedulable=info.unschedulable,
        taints=tuple(_shown(taint) for taint in info.taints),
        uses=_uses(found),
        pods=tuple(
            NodePod(pod.namespace, pod.name, units.of_pod(pod), pod.started is not None)
            for pod in sorted(pods, key=lambda pod: (pod.namespace, natural_order(pod.name)))
        ),
    )


def _amounts(stage: Stage, row: int, info: NodeInfo, pods: Sequence[PodInfo]) -> _Amounts:
    table = stage.snapshot.nodes
    found = {
        resource: (int(table.requested(resource)[row]), amount)
        for resource, amount in info.allocatable
        if amount
    }
    return {**found, PODS: (len(pods), info.allowed_pods)}


def _uses(found: _Amounts) -> tuple[Use, ...]:
    return tuple(
        Use(
            resource=resource,
            used=format_amount(resource, found[resource][0]),
            allocatable=format_amount(resource, found[resource][1]),
            share=_share(*found[resource]),
        )
        for resource in sorted(found, key=_order)
    )


def _share(used: int, exists: int) -> float:
    return round(used / exists, 4) if exists else 0.0


def _order(resource: str) -> tuple[int, str]:
    if resource in _FIRST:
        return _FIRST.index(resource), resource
    return (len(_FIRST) + (resource == PODS)), resource


def _shown(taint: Taint) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"
