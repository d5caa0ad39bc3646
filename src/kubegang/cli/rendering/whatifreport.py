"""The report of ``kubegang what-if`` for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from kubegang.cli.rendering.elapsed import elapsed_text
from kubegang.cli.rendering.tables import table
from kubegang.tools.whatif.report import (
    Plan,
    PlannedBind,
    PlannedEviction,
    PlannedMove,
    StillPending,
    WhatIfReport,
)
from kubegang.tools.workunits import count_of


def what_if_parts(report: WhatIfReport, *, wide: bool) -> list[RenderableType]:
    """Return the parts of the report.

    Args:
        report: what to show.
        wide: show every pod, and kube-scheduler's own words.
    """
    parts: list[RenderableType] = []
    if report.suppositions:
        parts.append(Text(f"Supposed: {'; '.join(report.suppositions)}", style="bold"))
    if len(report.plans) > 1:
        parts.append(_side_by_side(report.plans))
    for plan in report.plans:
        parts += _plan(plan, wide=wide)
    if report.answer:
        parts.append(Text(report.answer, style="bold"))
    if report.unseen:
        parts.append(_titled("Not seen", Text("\n".join(report.unseen), style="yellow")))
    return parts


def _side_by_side(plans: Sequence[Plan]) -> RenderableType:
    units = dict.fromkeys(
        unit for plan in plans for unit in (*_started(plan), *(one.unit for one in plan.pending))
    )
    rows = ((unit, *(_fate(plan, unit) for plan in plans)) for unit in units)
    columns = ("WHAT", *(f"AS {plan.kubernetes_version}" for plan in plans))
    return _titled("Side by side", table(columns, rows))


def _started(plan: Plan) -> dict[str, list[PlannedBind]]:
    found: dict[str, list[PlannedBind]] = {}
    for bind in plan.binds:
        found.setdefault(bind.unit, []).append(bind)
    return found


def _fate(plan: Plan, unit: str) -> str:
    binds = _started(plan).get(unit)
    pending = next((one for one in plan.pending if one.unit == unit), None)
    started = f"{count_of(len(binds), 'pod')} start" if binds else ""
    waits = f"{count_of(pending.pods, 'pod')} pending" if pending is not None else ""
    return ", ".join(text for text in (started, waits) if text) or "-"


def _plan(plan: Plan, *, wide: bool) -> Iterator[RenderableType]:
    title = f"Kubernetes {plan.kubernetes_version}"
    if plan.refused:
        yield _titled(f"{title}: not taken", Text("\n".join(plan.refused), style="red"))
    if plan.moves:
        yield _titled(f"{title}: would have to move", _moves(plan.moves))
    if plan.evictions:
        yield _titled(f"{title}: would have to go", _evictions(plan.evictions))
    if plan.binds:
        body = _binds(plan.binds) if wide else _starts(plan)
        yield _titled(f"{title}: would start", body)
    if plan.pending:
        yield _titled(f"{title}: would stay pending", _pending(plan.pending, wide=wide))
    if plan.notes:
        yield _titled(f"{title}: notes", Text("\n".join(plan.notes), style="yellow"))
    yield _sum(plan)


def _binds(binds: Sequence[PlannedBind]) -> RenderableType:
    rows = (
        (elapsed_text(one.at), one.pod, one.unit, one.node, "yes" if one.anyway else "no")
        for one in binds
    )
    return table(("TIME", "POD", "OF", "NODE", "ANYWAY"), rows)


def _starts(plan: Plan) -> RenderableType:
    rows = (
        (
            unit,
            str(len(binds)),
            str(len({one.node for one in binds})),
            elapsed_text(binds[0].at),
            "yes" if all(one.anyway for one in binds) else "no",
        )
        for unit, binds in _started(plan).items()
    )
    return table(("WHAT", "PODS", "NODES", "TIME", "ANYWAY"), rows)


def _moves(moves: Sequence[PlannedMove]) -> RenderableType:
    rows = ((one.pod, one.unit, one.origin, one.node, one.beneficiary) for one in moves)
    return table(("POD", "OF", "FROM", "TO", "FOR"), rows)


def _evictions(evictions: Sequence[PlannedEviction]) -> RenderableType:
    rows = (
        (
            one.pod,
            one.unit,
            one.node,
            one.reason if not one.preemptor else f"{one.reason} for {one.preemptor}",
            "waits again" if one.returns else "gone",
            "yes" if one.anyway else "no",
        )
        for one in evictions
    )
    return table(("POD", "OF", "NODE", "WHY", "THEN", "ANYWAY"), rows)


def _pending(pending: Sequence[StillPending], *, wide: bool) -> RenderableType:
    columns = ["WHAT", "PODS", "NEEDED", "SCHEDULED", "WHY"]
    if wide:
        columns.append("KUBE-SCHEDULER SAYS")
    return table(columns, (_pending_row(one, wide=wide) for one in pending))


def _pending_row(one: StillPending, *, wide: bool) -> tuple[str, ...]:
    needed, scheduled = (str(one.needed), str(one.scheduled)) if one.needed else ("-", "-")
    note = "; it would start without the change" if one.started_without else ""
    row = (one.unit, str(one.pods), needed, scheduled, f"{one.message}{note}")
    return (*row, one.upstream_message or "-") if wide else row


def _sum(plan: Plan) -> RenderableType:
    text = (
        f"As {plan.kubernetes_version}: {count_of(len(plan.binds), 'pod')} would start, "
        f"{count_of(len(plan.evictions), 'eviction')}, "
        f"{count_of(sum(one.pods for one in plan.pending), 'pod')} would stay pending."
    )
    if plan.moves:
        text = f"{text} {count_of(len(plan.moves), 'pod')} would have to move first."
    if not plan.settled:
        text = f"{text} Stopped after an hour of virtual time, with something still changing."
    return Text(text, style="green" if plan.is_fine else "yellow")


def _titled(title: str, body: RenderableType) -> RenderableType:
    return Group(Text(title, style="bold"), body)
