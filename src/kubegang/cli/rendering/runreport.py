"""The report of ``kubegang run`` for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from kubegang.cli.rendering.elapsed import elapsed_text
from kubegang.cli.rendering.tables import table
from kubegang.tools.pending import PendingUnit
from kubegang.tools.placement import DomainPlacement, Placement
from kubegang.tools.runreport import RunReport
from kubegang.tools.timeline import TimelineEntry
from kubegang.tools.unitprogress import EntryKind
from kubegang.tools.workunits import WorkUnit, count_of

NAMED_UNITS = 3
"""So many of several pods are named; the others are counted."""

STYLES: Mapping[EntryKind, str] = {
    "started": "green",
    "succeeded": "green",
    "partly-started": "yellow",
    "waits": "yellow",
    "restarted": "yellow",
    "evicted": "red",
    "pods-failed": "red",
    "failed": "red",
}


def run_parts(report: RunReport, *, wide: bool) -> list[RenderableType]:
    """Return the parts of the report: time line, placement, what is pending, the sum.

    Args:
        report: what to show.
        wide: show every node, and kube-scheduler's own words.
    """
    parts = [_time_line(report.timeline)] if report.timeline else []
    if report.placement.domains:
        parts.append(_placement(report.placement, wide=wide))
    if report.pending:
        parts.append(_pending(report.pending, wide=wide))
    if report.warnings:
        parts.append(_titled("Warnings", Text("\n".join(report.warnings), style="yellow")))
    parts.append(_sum(report))
    return parts


def _titled(title: str, body: RenderableType) -> RenderableType:
    return Group(Text(title, style="bold"), body)


def _time_line(entries: Sequence[TimelineEntry]) -> RenderableType:
    rows = ((elapsed_text(entry.at), _names(entry.subjects), _said(entry)) for entry in entries)
    return table(("TIME", "WHAT", "HAPPENED"), rows)


def _said(entry: TimelineEntry) -> Text:
    text = entry.message
    if entry.kind == "waits":
        # Some reasons begin with the very word.
        rest = text.removeprefix("waiting")
        text = f"waits{rest}" if rest != text else f"waits: {text}"
    return Text(text, style=STYLES.get(entry.kind, ""))


def _names(units: Sequence[WorkUnit]) -> str:
    named = ", ".join(str(unit) for unit in units[:NAMED_UNITS])
    left = len(units) - NAMED_UNITS
    return f"{named} and {left} more" if left > 0 else named


def _placement(placement: Placement, *, wide: bool) -> RenderableType:
    keys = placement.keys
    title = f"Placement by {' and '.join(keys)}" if keys else "Placement"
    columns = [key.rpartition("/")[2].upper() for key in keys]
    if wide:
        rows = (row for domain in placement.domains for row in _node_rows(domain, keys))
        return _titled(title, table((*columns, "NODE", "PODS"), rows))
    rows = (_domain_row(domain, keys) for domain in placement.domains)
    return _titled(title, table((*columns, "NODES", "PODS", "OF"), rows))


def _domain_row(domain: DomainPlacement, keys: Sequence[str]) -> tuple[str, ...]:
    shares = ", ".join(f"{share.unit} {share.pods}" for share in domain.units)
    total = sum(share.pods for share in domain.units)
    values = tuple(domain.topology[key] for key in keys)
    return (*values, str(len(domain.nodes)), str(total), shares)


def _node_rows(domain: DomainPlacement, keys: Sequence[str]) -> Iterator[tuple[str, ...]]:
    values = tuple(domain.topology[key] for key in keys)
    for node in domain.nodes:
        pods = ", ".join(f"{pod.name} ({pod.state})" for pod in node.pods)
        yield (*values, node.name, pods)


def _pending(pending: Sequence[PendingUnit], *, wide: bool) -> RenderableType:
    columns = ["WHAT", "PODS", "NEEDED", "SCHEDULED", "WHY"]
    if wide:
        columns.append("KUBE-SCHEDULER SAYS")
    return _titled("Pending", table(columns, (_pending_row(unit, wide=wide) for unit in pending)))


def _pending_row(unit: PendingUnit, *, wide: bool) -> tuple[str, ...]:
    needed, scheduled = (str(unit.needed), str(unit.scheduled)) if unit.needed else ("-", "-")
    row = (str(unit.subject), str(unit.pods), needed, scheduled, unit.message)
    return (*row, unit.upstream_message or "-") if wide else row


def _sum(report: RunReport) -> RenderableType:
    end = elapsed_text(report.duration)
    stopped = (
        f"Nothing changes any more after {end}"
        if report.stopped == "settled"
        else f"Stopped at {end}"
    )
    counts = [_counts(report.jobs, "job"), _counts(report.pods, "pod")]
    told = "; ".join(count for count in counts if count) or "nothing was submitted"
    left = len(report.pending)
    verdict = f"{left} still pending." if left else "Nothing is pending."
    style = "yellow" if left else "green"
    return Text(f"{stopped}: {told}. {verdict}", style=style)


def _counts(states: Mapping[str, int], noun: str) -> str:
    if not states:
        return ""
    told = ", ".join(f"{number} {state}" for state, number in states.items())
    return f"{count_of(sum(states.values()), noun)} ({told})"
