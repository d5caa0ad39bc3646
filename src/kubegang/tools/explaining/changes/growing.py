"""How many nodes of which shape would have to be added. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from kubegang.scheduler.cycle.shortfall import format_amount
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.tools.cluster.edits import SetNode
from kubegang.tools.explaining.changes.searching import Found, Search, least
from kubegang.tools.explaining.report import Change
from kubegang.tools.explaining.shortfalls import shape_text
from kubegang.tools.workunits import count_of

HOSTNAME: Final = "kubernetes.io/hostname"
MOST_SHAPES: Final = 8
MOST_DOMAINS: Final = 8
FEW_DOMAINS: Final = 2
LARGE_CLUSTER: Final = 500
"""With more nodes than that an attempt takes so long that fewer domains are tried."""

_ROOMY_PODS: Final = 110


class _Shape(NamedTuple):
    """What new nodes would look like, and where they would be."""

    node: NodeInfo
    where: str


def add_nodes(search: Search) -> Iterator[Found]:
    """Yield the fewest nodes of a shape that exists; if none helps, of one made to measure."""
    best: tuple[int, _Shape] | None = None
    most = max(len(search.case.waiting), 1)
    for shape in _shapes(search):
        limit = most if best is None else best[0] - 1
        number = _fewest(search, shape, limit)
        if number is not None:
            best = number, shape
    if best is None:
        shape = _Shape(_made_to_measure(search), "")
        number = _fewest(search, shape, most)
        if number is None:
            return
        best = number, shape
    number, shape = best
    noun = count_of(number, "node")
    change = Change(
        kind="add-nodes",
        size=number,
        smallest=search.is_complete,
        message=f"add {noun} with {shape_text(shape.node)}{shape.where}",
    )
    yield search.found(change, _new_nodes(shape, number))


def _fewest(search: Search, shape: _Shape, most: int) -> int | None:
    return least(most, lambda number: search.helps(_new_nodes(shape, number)))


def _new_nodes(shape: _Shape, number: int) -> list[SetNode]:
    return [SetNode(_named(shape.node, f"new-{index}")) for index in range(number)]


def _named(node: NodeInfo, name: str) -> NodeInfo:
    labels = {**node.labels, HOSTNAME: name}
    return msgspec.structs.replace(node, name=NodeName(name), uid=f"new/{name}", labels=labels)


def _shapes(search: Search) -> Iterator[_Shape]:
    """Yield the shapes that nodes have, the most frequent first; per domain where it matters."""
    case = search.case
    key = case.group.topology_key if case.group is not None else ""
    table = case.stage.snapshot.nodes
    selected = sorted(_selected_labels(case.waiting))
    examples: dict[tuple[object, ...], list[NodeInfo]] = {}
    for node in table.infos:
        labels = tuple(node.labels.get(name) for name in selected)
        shape = (node.allocatable, node.allowed_pods, node.taints, labels)
        examples.setdefault(shape, []).append(node)
    ordered = sorted(examples.values(), key=len, reverse=True)
    search.is_complete &= len(ordered) <= MOST_SHAPES
    for nodes in ordered[:MOST_SHAPES]:
        plain = msgspec.structs.replace(nodes[0], unschedulable=False, images=())
        if key:
            yield from _in_domains(plain, key, _domains(search))
            continue
        yield _Shape(plain, "")
        for spread in sorted(_spread_keys(case.waiting)):
            yield from _in_domains(plain, spread, _values(search, spread))


def _in_domains(plain: NodeInfo, key: str, domains: Iterable[str]) -> Iterator[_Shape]:
    for domain in domains:
        yield _Shape(_labelled(plain, {key: domain}), f" in {key}={domain}")
    yield _Shape(_labelled(plain, {key: "new"}), f" in a new domain of {key}")


def _selected_labels(pods: Sequence[PodInfo]) -> set[str]:
    """Return the labels by which members choose nodes."""
    found: set[str] = set()
    for pod in pods:
        found |= {name for name, _ in pod.affinity.selector}
        for term in pod.affinity.required or ():
            found |= {one.key for one in term.expressions}
    return found


def _spread_keys(pods: Sequence[PodInfo]) -> set[str]:
    """Return the labels over whose values members must be spread; each node has its own name."""
    keys = {one.topology_key for pod in pods for one in pod.spread if one.hard}
    return keys - {HOSTNAME}


def _values(search: Search, key: str) -> list[str]:
    """Return the values of a label, the most frequent first."""
    counts = Counter(
        node.labels[key] for node in search.case.stage.snapshot.nodes.infos if key in node.labels
    )
    search.is_complete &= len(counts) <= FEW_DOMAINS
    return [value for value, _ in counts.most_common(FEW_DOMAINS)]


def _domains(search: Search) -> list[str]:
    """Return the domains in which most members found room."""
    case = search.case
    tried = [one for one in case.findings.tried if one.group == case.key and one.placement.name]
    ordered = sorted(tried, key=lambda one: -len(one.placed))
    large = case.stage.snapshot.nodes.size > LARGE_CLUSTER
    most = FEW_DOMAINS if large else MOST_DOMAINS
    search.is_complete &= len(ordered) <= most
    return [one.placement.name for one in ordered[:most]]


def _labelled(node: NodeInfo, labels: Mapping[str, str]) -> NodeInfo:
    return msgspec.structs.replace(node, labels={**node.labels, **labels})


def _made_to_measure(search: Search) -> NodeInfo:
    """Return a node on which each of the pods would have room."""
    pods = search.case.waiting
    largest: dict[str, int] = {}
    for pod in pods:
        for resource, amount in pod.requests.items:
            largest[resource] = max(amount, largest.get(resource, 0))
    group = search.case.group
    labels = {group.topology_key: "new"} if group is not None and group.topology_key else {}
    return NodeInfo(
        name=NodeName("new"),
        uid="",
        resource_version="",
        labels={**labels, **_wanted_labels(pods[0] if pods else None)},
        taints=(),
        unschedulable=False,
        allocatable=tuple(sorted(largest.items())),
        allowed_pods=_ROOMY_PODS,
    )


def _wanted_labels(pod: PodInfo | None) -> dict[str, str]:
    if pod is None:
        return {}
    labels = dict(pod.affinity.selector)
    for term in (pod.affinity.required or ())[:1]:
        labels |= {r.key: r.values[0] for r in term.expressions if r.operator == "In" and r.values}
    return labels


def described(node: NodeInfo) -> str:
    """Return what a node has, for a plan."""
    return ", ".join(f"{format_amount(name, amount)} {name}" for name, amount in node.allocatable)
