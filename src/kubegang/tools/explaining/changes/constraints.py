"""Changes of what pods ask of nodes and of pods around them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from kubegang.scheduler.framework.nodes import NodeInfo, Taint
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.terms import NodeAffinityTerms, Toleration
from kubegang.tools.cluster.edits import Edit, SetGroup, SetNode, SetPod
from kubegang.tools.explaining.changes.searching import Found, Search, smallest_subset
from kubegang.tools.explaining.report import Change, ChangeKind
from kubegang.tools.workunits import count_of

_UNSCHEDULABLE_TAINT = "node.kubernetes.io/unschedulable"
_NAMED = 3
_KEEPS_AWAY = ("NoSchedule", "NoExecute")


class _Relaxation(NamedTuple):
    """A requirement of pods that could be dropped.

    Attributes:
        has: whether a pod has it.
        without: the pod without it.
    """

    text: str
    has: Callable[[PodInfo], bool]
    without: Callable[[PodInfo], PodInfo]


def _without_node_affinity(pod: PodInfo) -> PodInfo:
    terms = NodeAffinityTerms((), None, pod.affinity.preferred)
    return msgspec.structs.replace(pod, affinity=terms)


def _without_near(pod: PodInfo) -> PodInfo:
    terms = pod.pod_affinity
    kept = None if terms is None else terms._replace(required=())
    return msgspec.structs.replace(pod, pod_affinity=kept)


def _without_apart(pod: PodInfo) -> PodInfo:
    terms = pod.pod_affinity
    kept = None if terms is None else terms._replace(required_anti=())
    return msgspec.structs.replace(pod, pod_affinity=kept)


def _without_spread(pod: PodInfo) -> PodInfo:
    return msgspec.structs.replace(pod, spread=tuple(c for c in pod.spread if not c.hard))


_RELAXATIONS = (
    _Relaxation(
        "drop nodeSelector and required node affinity",
        lambda pod: bool(pod.affinity.selector) or pod.affinity.required is not None,
        _without_node_affinity,
    ),
    _Relaxation(
        "drop the required pod affinity",
        lambda pod: pod.pod_affinity is not None and bool(pod.pod_affinity.required),
        _without_near,
    ),
    _Relaxation(
        "drop the required pod anti-affinity",
        lambda pod: pod.pod_affinity is not None and bool(pod.pod_affinity.required_anti),
        _without_apart,
    ),
    _Relaxation(
        "let topology spread constraints only score (ScheduleAnyway)",
        lambda pod: any(constraint.hard for constraint in pod.spread),
        _without_spread,
    ),
)


def relax(search: Search) -> Iterator[Found]:
    """Yield each requirement without which it would start."""
    group = search.case.group
    if group is not None and group.topology_key:
        edit = SetGroup(msgspec.structs.replace(group, topology_key=""))
        if search.helps([edit]):
            text = f"drop the topology constraint {group.topology_key}"
            yield search.found(Change(kind="relax", size=1, message=text), [edit])
    for relaxation in _RELAXATIONS:
        pods = [pod for pod in search.case.waiting if relaxation.has(pod)]
        edits = [SetPod(relaxation.without(pod)) for pod in pods]
        if pods and search.helps(edits):
            change = Change(kind="relax", size=1, message=relaxation.text)
            yield search.found(change, edits)


# --- what keeps pods away from nodes -----------------------------------------------------


def uncordon(search: Search) -> Iterator[Found]:
    """Yield the fewest nodes to uncordon."""
    nodes = [node for node in _refusing_nodes(search) if node.unschedulable]
    edits = {node.name: SetNode(_uncordoned(node)) for node in nodes}
    yield from _fewest_nodes(search, edits, kind="uncordon", text="uncordon {}")


def remove_taint(search: Search) -> Iterator[Found]:
    """Yield for each taint the fewest nodes to remove it from."""
    nodes = _refusing_nodes(search)
    for taint in _taints_of(nodes):
        edits = {
            node.name: SetNode(_without_taint(node, taint))
            for node in nodes
            if taint in node.taints and not node.unschedulable
        }
        text = f"remove the taint {_shown(taint)} from {{}}"
        yield from _fewest_nodes(search, edits, kind="remove-taint", text=text)


def tolerate_taint(search: Search) -> Iterator[Found]:
    """Yield each taint that the pods would have to tolerate."""
    for taint in _taints_of(_refusing_nodes(search)):
        toleration = Toleration(taint.key, "Equal", taint.value, taint.effect)
        edits = [
            SetPod(msgspec.structs.replace(pod, tolerations=(*pod.tolerations, toleration)))
            for pod in search.case.waiting
        ]
        if search.helps(edits):
            text = f"let the pods tolerate the taint {_shown(taint)}"
            yield search.found(Change(kind="tolerate-taint", size=1, message=text), edits)


def _fewest_nodes(
    search: Search, edits: Mapping[NodeName, SetNode], *, kind: ChangeKind, text: str
) -> Iterator[Found]:
    def helps(names: Sequence[NodeName]) -> bool:
        return search.helps([edits[name] for name in names])

    subset = smallest_subset(sorted(edits), helps)
    if subset is None:
        return
    names, proven = subset
    chosen: list[Edit] = [edits[name] for name in names]
    change = Change(
        kind=kind,
        size=len(names),
        smallest=proven and search.is_complete,
        message=text.format(_nodes(names)),
    )
    yield search.found(change, chosen)


def _nodes(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"node {names[0]}"
    more = ", …" if len(names) > _NAMED else ""
    return f"{count_of(len(names), 'node')} ({', '.join(names[:_NAMED])}{more})"


def _refusing_nodes(search: Search) -> list[NodeInfo]:
    """Return the nodes that refused some member for a taint or a cordon."""
    table = search.case.stage.snapshot.nodes
    rows = {
        row
        for member in search.case.findings.refused
        for refusal in member.failure.refusals
        if refusal.status.plugin in ("TaintToleration", "NodeUnschedulable")
        for row in refusal.rows.tolist()
    }
    return [table.infos[row] for row in sorted(rows)]


def _taints_of(nodes: list[NodeInfo]) -> list[Taint]:
    found = (taint for node in nodes for taint in node.taints)
    return [
        taint
        for taint in dict.fromkeys(found)
        if taint.effect in _KEEPS_AWAY and taint.key != _UNSCHEDULABLE_TAINT
    ]


def _uncordoned(node: NodeInfo) -> NodeInfo:
    taints = tuple(taint for taint in node.taints if taint.key != _UNSCHEDULABLE_TAINT)
    return msgspec.structs.replace(node, unschedulable=False, taints=taints)


def _without_taint(node: NodeInfo, taint: Taint) -> NodeInfo:
    taints = tuple(other for other in node.taints if other != taint)
    return msgspec.structs.replace(node, taints=taints)


def _shown(taint: Taint) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"
