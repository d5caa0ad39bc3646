"""What ``kubegang check`` answers: plain values for every form of output. Pure."""

from __future__ import annotations

from typing import Literal

import msgspec

Severity = Literal["error", "warning", "info"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""Worst first."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that applies to a field of an object.

    Attributes:
        rule: its name; ``rules`` has its severity and its documentation.
        versions: the Kubernetes versions in which it applies.
        object: ``Job train``.
        field: the path in the object; empty for the object itself.
        source: the file, or empty for an object of a live cluster.
    """

    rule: str
    severity: Severity
    versions: tuple[str, ...]
    object: str
    field: str
    message: str
    source: str = ""
    line: int = 0
    column: int = 0

    @property
    def place(self) -> str:
        """``jobs.yaml:12:3``, or empty."""
        return f"{self.source}:{self.line}:{self.column}" if self.source else ""


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that must hold for pods to become a gang.

    Attributes:
        place: where the field stands that decides; empty if it holds or is nowhere.
    """

    field: str
    need: str
    holds: bool
    place: str = ""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of a group, or of a Job, in one Kubernetes version.

    Attributes:
        gang: whether its pods start together or not at all.
        minimum: how many of them at least; 0 if it is no gang.
        why: in one sentence.
        conditions: what was asked, rule by rule.
        homogeneous: whether all pods ask for the same; ``None`` if no pod is known.
        batching: whether the ranking made for one pod is used for the next.
        batching_why: why not.
    """

    object: str
    version: str
    gang: bool
    minimum: int = 0
    why: str
    conditions: tuple[Condition, ...] = ()
    homogeneous: bool | None = None
    batching: bool | None = None
    batching_why: str = ""


class NeededGates(msgspec.Struct, frozen=True, kw_only=True):
    """The feature gates that the objects need in one component."""

    version: str
    component: str
    gates: tuple[str, ...]
    missing: tuple[str, ...] = ()


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was found.

    Attributes:
        objects: how many were read.
        skipped: kinds that were passed over, as they were asked to be.
        unseen: what of a live cluster could not be read.
    """

    versions: tuple[str, ...]
    objects: int
    verdicts: tuple[Verdict, ...] = ()
    gates: tuple[NeededGates, ...] = ()
    findings: tuple[Finding, ...] = ()
    skipped: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()

    def count(self, severity: Severity) -> int:
        """Return how many findings have a severity."""
        return sum(one.severity == severity for one in self.findings)

    def fails(self, at: Severity | Literal["never"]) -> bool:
        """Return whether there is a finding of that severity or a worse one."""
        if at == "never":
            return False
        worse = SEVERITIES[: SEVERITIES.index(at) + 1]
        return any(one.severity in worse for one in self.findings)
