"""The report of ``kubegang replay`` for people."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from kubegang.cli.rendering.elapsed import elapsed_text
from kubegang.cli.rendering.tables import table
from kubegang.tools.replaying.report import ReplayReport, SizeClass, Waits
from kubegang.tools.workunits import count_of

FEW = 5
"""So many of the jobs that never began are named unless all are asked for."""


def replay_parts(report: ReplayReport, *, wide: bool) -> list[RenderableType]:
    """Return the parts of the report; ``wide`` names all jobs that never began."""
    parts: list[RenderableType] = [_facts(report), _waits(report)]
    if report.never_began:
        parts.append(_never_began(report, wide=wide))
    return parts


def _facts(report: ReplayReport) -> RenderableType:
    rows = [
        ("jobs", f"{report.jobs}, {report.gangs} of them gangs; {report.ended} ended"),
        ("cluster", f"{count_of(report.nodes, 'node')}, Kubernetes {report.kubernetes_version}"),
        ("makespan", elapsed_text(report.makespan)),
        ("utilisation", f"{report.utilisation:.1%} of {report.resource} on average"),
        ("free while jobs waited", f"{report.idle_while_waiting:.1%} on average"),
        ("fragmentation", f"{report.fragmentation:.1%} of what was free, on average"),
        ("longest queue", count_of(report.largest_queue, "job")),
    ]
    if report.evictions:
        rows.append(("evictions", f"{report.evictions}; those jobs began anew"))
    facts = table(("", ""), rows)
    facts.show_header = False
    return facts


def _waits(report: ReplayReport) -> RenderableType:
    columns = (report.resource.upper(), "JOBS", "BEGAN", "MEAN", "P50", "P90", "P95", "P99", "MAX")
    every = SizeClass(
        size="all",
        jobs=report.jobs,
        began=sum(one.began for one in report.sizes),
        waits=report.waits,
    )
    rows = [
        (one.size, str(one.jobs), str(one.began), *_texts(one.waits))
        for one in (*report.sizes, every)
    ]
    waits = table(columns, rows)
    waits.title, waits.title_justify, waits.title_style = "Waits until jobs began", "left", "bold"
    return waits


def _texts(waits: Waits) -> list[str]:
    values = (waits.mean, waits.p50, waits.p90, waits.p95, waits.p99, waits.max)
    return [elapsed_text(round(value)) for value in values]


def _never_began(report: ReplayReport, *, wide: bool) -> RenderableType:
    shown = report.never_began if wide else report.never_began[:FEW]
    never = table(
        ("JOB", "SUBMITTED", "WHY"),
        [(one.job, elapsed_text(one.submitted), Text(one.message)) for one in shown],
    )
    left = report.jobs - report.ended
    never.title = f"{count_of(left, 'job')} never began" + (
        f", the first {len(shown)}" if left > len(shown) else ""
    )
    never.title_justify, never.title_style = "left", "bold"
    return never
