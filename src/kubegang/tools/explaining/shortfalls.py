"""What is lacking where: in all, per topology domain, per kind of node, on the nearest nodes.

All of it is what the cycle saw; the sums are over the table that it decided on. Pure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from kubegang.scheduler.cycle.findings import RefusedMember, TriedPlacement
from kubegang.scheduler.cycle.shortfall import Lack, format_amount, is_about_room, lacks_on
from kubegang.scheduler.framework.fiterror import count_reasons
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.framework.nodetable import ALL_ROWS, NodeTable, RowArray, Rows
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.tools.explaining.amounts import amounts, free_on, requested_by
from kubegang.tools.explaining.case import Case
from kubegang.tools.explaining.devices import DeviceStock
from kubegang.tools.explaining.report import (
    Amount,
    DomainFinding,
    NearNode,
    NodeClassFinding,
    ResourceTotal,
)

MOST_NEAR: Final = 5
"""So many of the nodes that come closest are named."""

_Shape = tuple[tuple[tuple[str, int], ...], tuple[object, ...], bool]


def totals_of(case: Case) -> tuple[ResourceTotal, ...]:
    """Return what the minimum asks for, against what the nodes have that it may use.

    Devices that stand behind a resource count. The nodes are those of the largest placement
    that was tried; one of a gang's minimum, the smallest pods count.
    """
    table = case.stage.snapshot.nodes
    needed = requested_by(_cheapest(case))
    if not needed or not table.size:
        return ()
    rows = [_rows_of(tried) for tried in case.findings.tried] or [ALL_ROWS]
    stock = DeviceStock(case.stage.snapshot.devices)
    return tuple(
        _total(table, rows, resource, needed=needed[resource], stock=stock)
        for resource in sorted(needed)
    )


def _cheapest(case: Case) -> list[PodInfo]:
    """Return as many waiting pods as are still needed, those that ask for least."""
    if case.group is not None and case.group.is_composite:
        return list(case.waiting)
    needed = max(case.quorum - len(case.placed), 1)
    return sorted(case.waiting, key=lambda pod: [amount for _, amount in pod.requests.items])[
        :needed
    ]


def _total(
    table: NodeTable,
    candidates: Sequence[Rows],
    resource: str,
    *,
    needed: int,
    stock: DeviceStock,
) -> ResourceTotal:
    exists = max(
        int(table.allocatable(resource)[rows].sum()) + stock.exist(table, rows, resource)
        for rows in candidates
    )
    free = max(_free(table, rows, resource, stock) for rows in candidates)
    return ResourceTotal(
        resource=resource,
        needed=format_amount(resource, needed),
        exists=format_amount(resource, exists),
        free=format_amount(resource, free),
        suffices=needed <= exists,
    )


def _free(table: NodeTable, rows: Rows, resource: str, stock: DeviceStock) -> int:
    return free_on(table, rows, resource) + stock.free(table, rows, resource)


def domains_of(case: Case) -> tuple[DomainFinding, ...]:
    """Return what became of the group on each placement, in the order of trying."""
    table = case.stage.snapshot.nodes
    resources = sorted(requested_by(case.waiting))
    stock = DeviceStock(case.stage.snapshot.devices)
    refused = {_place(member): member for member in reversed(case.refused)}
    found = []
    for tried in case.findings.tried:
        if tried.group != case.key:
            continue
        rows = _rows_of(tried)
        free = {resource: _free(table, rows, resource, stock) for resource in resources}
        first = refused.get((tried.placement.name, tried.placement.rows is None))
        found.append(
            DomainFinding(
                domain=tried.placement.name,
                nodes=table.size if isinstance(rows, slice) else len(rows),
                placed=len(tried.placed),
                missing=max(case.quorum - len(case.placed) - len(tried.placed), 0),
                free=amounts(free),
                reasons=() if first is None else _reasons(first),
            )
        )
    return tuple(found)


def _place(member: RefusedMember) -> tuple[str, bool]:
    return member.placement.name, member.placement.rows is None


def _rows_of(tried: TriedPlacement) -> Rows:
    return ALL_ROWS if tried.placement.rows is None else tried.placement.rows


def _reasons(member: RefusedMember) -> tuple[str, ...]:
    counts = count_reasons(member.failure.refusals)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(f"{nodes} {reason}" for reason, nodes in ordered)


# --- kinds of nodes ----------------------------------------------------------------------


def node_classes_of(case: Case) -> tuple[NodeClassFinding, ...]:
    """Return why nodes of each shape were refused, the most nodes first.

    Of each placement the first member that found no room tells.
    """
    table = case.stage.snapshot.nodes
    rows: dict[_Shape, list[int]] = defaultdict(list)
    reasons: dict[_Shape, Counter[str]] = defaultdict(Counter)
    shapes = [_shape(info) for info in table.infos] if case.refused else []
    for member in case.refused:
        for refusal in member.failure.refusals:
            for row in refusal.rows.tolist():
                rows[shapes[row]].append(row)
                reasons[shapes[row]].update(refusal.status.reasons)
    ordered = sorted(rows.items(), key=lambda item: (-len(item[1]), min(item[1])))
    return tuple(
        NodeClassFinding(
            shape=shape_text(table.infos[members[0]]),
            nodes=len(set(members)),
            example=table.names[min(members)],
            reasons=tuple(f"{nodes} {reason}" for reason, nodes in reasons[shape].most_common()),
        )
        for shape, members in ordered
    )


def _shape(node: NodeInfo) -> _Shape:
    return node.allocatable, node.taints, node.unschedulable


def shape_text(node: NodeInfo) -> str:
    """Return what a node has, and what keeps pods away from it."""
    parts = [f"{format_amount(name, amount)} {name}" for name, amount in node.allocatable]
    parts += [_taint_text(*taint) for taint in node.taints]
    return ", ".join([*parts, "cordoned"] if node.unschedulable else parts)


def _taint_text(key: str, value: str, effect: str) -> str:
    return f"taint {key}={value}:{effect}" if value else f"taint {key}:{effect}"


# --- the nearest nodes -------------------------------------------------------------------


def near_nodes_of(case: Case) -> tuple[NearNode, ...]:
    """Return the nodes that lack least, among those that lack nothing but room.

    They are as they are before any member is placed. Node by node, what a member takes from
    the next one is told per domain.
    """
    table = case.stage.snapshot.nodes
    found = [
        (share, position, NearNode(table.names[row], _amounts(lacks)))
        for member in case.refused
        for position, row in enumerate(_short_of_room(member))
        if (lacks := lacks_on(table, member.pod, row))
        for share in [max(lack.missing / max(lack.wanted, 1) for lack in lacks)]
    ]
    ordered = sorted(found, key=lambda item: item[:2])
    return tuple(near for _, _, near in ordered[:MOST_NEAR])


def _short_of_room(member: RefusedMember) -> Iterator[int]:
    rows = [refusal.rows for refusal in member.failure.refusals if is_about_room(refusal)]
    joined: RowArray = np.concatenate(rows) if rows else np.empty(0, dtype=np.intp)
    yield from joined.tolist()


def _amounts(lacks: Sequence[Lack]) -> tuple[Amount, ...]:
    return amounts({lack.resource: lack.missing for lack in lacks})
