"""Answers of several versions as one report: the same finding is told once. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from kubegang.tools.checking.check import Answer, Draft
from kubegang.tools.checking.model import Found, Written
from kubegang.tools.checking.report import (
    SEVERITIES,
    CheckReport,
    Condition,
    Finding,
    Verdict,
)
from kubegang.tools.checking.rules import RULES


class Place(NamedTuple):
    """Where a field stands; the source is empty for what was in no file."""

    source: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.source else ""


Locate = Callable[[Written, str], Place]


def joined(
    answers: Sequence[Answer],
    locate: Locate,
    *,
    objects: int,
    skipped: Iterable[str] = (),
    unseen: Iterable[str] = (),
) -> CheckReport:
    """Return one report.

    Args:
        answers: one for each version.
        locate: says where a field stands.
        objects: how many were read.
        skipped: kinds that were passed over.
        unseen: what could not be read.
    """
    return CheckReport(
        versions=tuple(answer.version for answer in answers),
        objects=objects,
        verdicts=_verdicts(answers, locate),
        gates=tuple(one for answer in answers for one in answer.gates),
        findings=_findings(answers, locate),
        skipped=tuple(skipped),
        unseen=tuple(unseen),
    )


def _findings(answers: Sequence[Answer], locate: Locate) -> tuple[Finding, ...]:
    versions: dict[tuple[str, int, str, str], list[str]] = {}
    first: dict[tuple[str, int, str, str], Found] = {}
    for answer in answers:
        for one in answer.found:
            message = one.message.replace(answer.version, "{version}")
            key = (one.rule, one.written.index, one.field, message)
            first.setdefault(key, one)
            if answer.version not in versions.setdefault(key, []):
                versions[key].append(answer.version)
    found = [_finding(one, versions[key], locate) for key, one in first.items()]
    return tuple(sorted(found, key=_order))


def _finding(found: Found, versions: Sequence[str], locate: Locate) -> Finding:
    place = locate(found.written, found.field)
    return Finding(
        rule=found.rule,
        severity=RULES[found.rule].severity,
        versions=tuple(versions),
        object=found.written.label,
        field=found.field,
        message=_over(found.message, versions),
        source=place.source,
        line=place.line,
        column=place.column,
    )


def _over(message: str, versions: Sequence[str]) -> str:
    return message.replace(versions[0], ", ".join(versions))


def _order(finding: Finding) -> tuple[int, str, int, int, str]:
    worst = SEVERITIES.index(finding.severity)
    return (worst, finding.source, finding.line, finding.column, finding.rule)


def _verdicts(answers: Sequence[Answer], locate: Locate) -> tuple[Verdict, ...]:
    verdicts = [
        _verdict(draft, answer.version, locate) for answer in answers for draft in answer.drafts
    ]
    order = {label: position for position, label in enumerate(v.object for v in verdicts)}
    return tuple(sorted(verdicts, key=lambda verdict: order[verdict.object]))


def _verdict(draft: Draft, version: str, locate: Locate) -> Verdict:
    conditions = tuple(
        Condition(
            field=one.field,
            need=one.need,
            holds=one.holds,
            place=""
            if one.holds or draft.written is None
            else str(locate(draft.written, one.field)),
        )
        for one in draft.conditions
    )
    return Verdict(
        object=draft.object,
        version=version,
        gang=draft.gang,
        minimum=draft.minimum,
        why=draft.why,
        conditions=conditions,
        homogeneous=draft.homogeneous,
        batching=draft.batching,
        batching_why=draft.batching_why,
    )
