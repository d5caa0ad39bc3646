"""The report of ``kubegang check`` for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from kubegang.cli.rendering.tables import table
from kubegang.tools.checking.report import CheckReport, Finding, NeededGates, Verdict
from kubegang.tools.workunits import count_of

_STYLES: Final = {"error": "red", "warning": "yellow", "info": "dim"}
_WORDS: Final = {True: "yes", False: "no", None: "-"}


def check_parts(report: CheckReport, *, wide: bool) -> list[RenderableType]:
    """Return the parts of the report.

    Args:
        report: what to show.
        wide: show findings that only inform, and each condition.
    """
    parts: list[RenderableType] = []
    if report.verdicts:
        parts.append(_verdicts(report.verdicts))
    conditions = list(_conditions(report.verdicts, wide=wide))
    if conditions:
        parts.append(
            _titled("Conditions", table(("OBJECT", "VERSION", "HOLDS", "NEEDS", "AT"), conditions))
        )
    if report.gates:
        parts.append(_titled("Feature gates that are needed", _gates(report.gates)))
    shown = [one for one in report.findings if wide or one.severity != "info"]
    if shown:
        parts.append(_titled("Findings", _findings(shown)))
    if report.skipped:
        parts.append(Text(f"not looked at: {', '.join(report.skipped)}"))
    if report.unseen:
        parts.append(_titled("Not seen", Text("\n".join(report.unseen), style="yellow")))
    parts.append(Text(_summary(report)))
    return parts


def _summary(report: CheckReport) -> str:
    counts = (
        count_of(report.count("error"), "error"),
        count_of(report.count("warning"), "warning"),
        f"{report.count('info')} for information",
    )
    objects = count_of(report.objects, "object")
    return f"{objects}, Kubernetes {', '.join(report.versions)}: {', '.join(counts)}"


def _verdicts(verdicts: Iterable[Verdict]) -> RenderableType:
    rows = [
        (
            one.object,
            one.version,
            Text(f"{one.minimum} together", style="green") if one.gang else Text("no"),
            _WORDS[one.homogeneous],
            _WORDS[one.batching],
            one.why,
        )
        for one in verdicts
    ]
    return table(("OBJECT", "VERSION", "GANG", "HOMOGENEOUS", "BATCHING", "WHY"), rows)


def _conditions(verdicts: Sequence[Verdict], *, wide: bool) -> Iterator[Sequence[str]]:
    for verdict in verdicts:
        for one in verdict.conditions:
            if wide or not one.holds:
                yield verdict.object, verdict.version, _WORDS[one.holds], one.need, one.place


def _gates(gates: Iterable[NeededGates]) -> RenderableType:
    rows = [
        (one.version, one.component, ", ".join(one.gates), ", ".join(one.missing) or "-")
        for one in gates
    ]
    return table(("VERSION", "COMPONENT", "GATES", "OFF"), rows)


def _findings(findings: Iterable[Finding]) -> RenderableType:
    rows = [
        (
            Text(one.severity, style=_STYLES[one.severity]),
            one.rule,
            ",".join(one.versions),
            one.place or one.object,
            one.message,
        )
        for one in findings
    ]
    return table(("SEVERITY", "RULE", "VERSIONS", "WHERE", "WHAT"), rows)


def _titled(title: str, part: RenderableType) -> RenderableType:
    return Group(Text(title, style="bold"), part)
