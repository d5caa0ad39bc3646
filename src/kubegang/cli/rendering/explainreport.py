"""The report of ``kubegang explain`` for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from rich.console import Group, RenderableType
from rich.text import Text

from kubegang.cli.rendering.tables import table
from kubegang.tools.explaining.report import (
    Amount,
    Change,
    ExplainReport,
    Explanation,
    State,
)

HEADLINES: Final[dict[State, tuple[str, str]]] = {
    "scheduled": ("runs", "green"),
    "would-start": ("starts with the next attempt", "green"),
    "makes-room": ("waits; room is made by the next attempt", "yellow"),
    "unschedulable": ("waits: no room", "red"),
    "waiting": ("waits and is not tried", "yellow"),
    "error": ("waits: a rule is broken", "red"),
}
ItemT = TypeVar("ItemT")

FEW: Final = 8
"""So many rows of a long table are shown unless all are asked for."""


def explain_parts(report: ExplainReport, *, wide: bool) -> list[RenderableType]:
    """Return the parts of the report.

    Args:
        report: what to show.
        wide: show every row, and kube-scheduler's own words.
    """
    parts: list[RenderableType] = []
    for explanation in report.parts:
        parts += _explanation(explanation, wide=wide)
    if report.notes:
        parts.append(Text("\n".join(report.notes)))
    if report.unseen:
        parts.append(_titled("Not seen", Text("\n".join(report.unseen), style="yellow")))
    return parts


def _explanation(found: Explanation, *, wide: bool) -> Iterator[RenderableType]:
    headline, style = HEADLINES[found.state]
    yield Group(
        Text(f"{found.subject} {headline}", style=f"bold {style}"), _facts(found, wide=wide)
    )
    if found.domains and (len(found.domains) > 1 or found.domains[0].domain):
        yield _titled("By topology domain", _domains(found, wide=wide))
    if found.node_classes:
        yield _titled("Nodes that were refused, by shape", _classes(found, wide=wide))
    if found.near:
        rows = ((near.node, _amounts(near.lacks)) for near in found.near)
        yield _titled("Nodes that come closest", table(("NODE", "LACKS"), rows))
    if found.holders:
        yield _titled("Who holds what is lacking", _holders(found, wide=wide))
    if found.changes:
        yield _titled("What would let it start", _changes(found.changes))
    if found.bound and (wide or found.state == "scheduled"):
        yield _titled("Where its pods are", _bound(found, wide=wide))


def _facts(found: Explanation, *, wide: bool) -> RenderableType:
    rows = [("why", found.message)]
    if wide and found.upstream_message:
        rows.append(("kube-scheduler says", found.upstream_message))
    if found.quorum is not None:
        rows.append(("members", found.quorum.message))
    rows += [
        (
            f"in all, {total.resource}",
            f"{total.needed} needed, {total.exists} exist, {total.free} free",
        )
        for total in found.totals
    ]
    rows += [("warning", warning) for warning in found.warnings]
    if found.room is not None:
        rows.append(("preemption", found.room.message))
    if found.retry is not None:
        rows.append(("next attempt", found.retry.message))
        if wide and found.retry.events:
            rows.append(("is woken when", "; ".join(found.retry.events)))
    body = table(("", ""), rows)
    body.show_header = False
    return body


def _domains(found: Explanation, *, wide: bool) -> RenderableType:
    rows = (
        (
            domain.domain or "(all)",
            str(domain.nodes),
            str(domain.placed),
            str(domain.missing),
            _amounts(domain.free),
            ", ".join(domain.reasons) or "-",
        )
        for domain in _some(found.domains, wide=wide)
    )
    columns = ("DOMAIN", "NODES", "FIND ROOM", "MISSING", "FREE", "REFUSED")
    return _with_rest(table(columns, rows), found.domains, wide=wide)


def _classes(found: Explanation, *, wide: bool) -> RenderableType:
    rows = (
        (str(one.nodes), one.example, ", ".join(one.reasons), one.shape)
        for one in _some(found.node_classes, wide=wide)
    )
    made = table(("NODES", "SUCH AS", "REFUSED", "SHAPE"), rows)
    return _with_rest(made, found.node_classes, wide=wide)


def _holders(found: Explanation, *, wide: bool) -> RenderableType:
    rows = (
        (
            f"{one.kind} {one.namespace}/{one.name}",
            str(one.pods),
            str(one.nodes),
            str(one.priority),
            "yes" if one.weaker else "no",
            _amounts(one.holds),
        )
        for one in _some(found.holders, wide=wide)
    )
    columns = ("WHO", "PODS", "NODES", "PRIORITY", "WEAKER", "HOLDS")
    return _with_rest(table(columns, rows), found.holders, wide=wide)


def _changes(changes: Sequence[Change]) -> RenderableType:
    rows = (
        (change.kind, str(change.size), "yes" if change.smallest else "not proven", change.message)
        for change in changes
    )
    return table(("CHANGE", "SIZE", "SMALLEST", "WHAT TO DO"), rows)


def _bound(found: Explanation, *, wide: bool) -> RenderableType:
    rows = ((pod.name, pod.node, pod.domain or "-") for pod in _some(found.bound, wide=wide))
    return _with_rest(table(("POD", "NODE", "DOMAIN"), rows), found.bound, wide=wide)


def _some(items: Sequence[ItemT], *, wide: bool) -> Sequence[ItemT]:
    return items if wide else items[:FEW]


def _with_rest(body: RenderableType, items: Sequence[object], *, wide: bool) -> RenderableType:
    left = 0 if wide else len(items) - FEW
    return Group(body, Text(f"and {left} more (-o wide)")) if left > 0 else body


def _amounts(amounts: Sequence[Amount]) -> str:
    return ", ".join(f"{one.amount} {one.resource}" for one in amounts) or "-"


def _titled(title: str, body: RenderableType) -> RenderableType:
    return Group(Text(title, style="bold"), body)
