"""The report of one run: what happened, where everything is, and what still waits and why.

Pure: put together from the history once it is complete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Literal

import msgspec

from kubegang.tools.history import History
from kubegang.tools.pending import Explain, PendingUnit, pending_of
from kubegang.tools.placement import Placement, placement_of
from kubegang.tools.timeline import TimelineEntry, timeline_of

Stopped = Literal["settled", "until"]


class RunReport(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What ``kubegang run`` prints.

    Attributes:
        kubernetes_version: whose behaviour was simulated.
        seed: of everything that chance decided.
        duration: seconds from the start to the last change.
        stopped: ``settled``: nothing changes any more. ``until``: the time was up.
        nodes: how many nodes there are.
        jobs, pods: how many are in which state.
        warnings: what of the input could not be taken as it was meant.
    """

    kubernetes_version: str
    seed: int
    duration: float
    stopped: Stopped
    nodes: int
    jobs: Mapping[str, int]
    pods: Mapping[str, int]
    timeline: tuple[TimelineEntry, ...]
    placement: Placement
    pending: tuple[PendingUnit, ...]
    warnings: tuple[str, ...] = ()


class RunFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the history does not know about a run; the members are those of the report."""

    kubernetes_version: str
    seed: int
    duration: float
    stopped: Stopped
    warnings: tuple[str, ...] = ()


def report_of(
    history: History, facts: RunFacts, *, explain: Explain, scheduler_names: Collection[str]
) -> RunReport:
    """Return the report of a run that has ended.

    Args:
        history: all that happened.
        facts: about the run itself.
        explain: asks the scheduler why an entity is pending.
        scheduler_names: the scheduler names that were served.
    """
    return RunReport(
        kubernetes_version=facts.kubernetes_version,
        seed=facts.seed,
        duration=round(facts.duration, 3),
        stopped=facts.stopped,
        nodes=len(history.nodes),
        jobs=_counted(job.state for job in history.jobs.values()),
        pods=_counted(pod.state for pod in history.pods.values()),
        timeline=timeline_of(history),
        placement=placement_of(history),
        pending=pending_of(history, explain, scheduler_names=scheduler_names),
        warnings=facts.warnings,
    )


def _counted(states: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(states).items()))
