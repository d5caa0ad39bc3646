"""Pods that must not be tried although the queue handed them out. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.decision import Decision, Diagnosis, SkipPod
from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo
from kubegang.scheduler.snapshot.snapshot import Snapshot


def skip_pod(pod: PodInfo, snapshot: Snapshot) -> SkipPod | None:
    """Return how to drop a pod that is being deleted or has a node already, else ``None``.

    A pod has a node already if it was updated while an earlier cycle assumed it.
    """
    if pod.terminating:
        return SkipPod(pod, f"skip schedule deleting pod: {pod.key}")
    return SkipPod(pod) if snapshot.pod(pod.uid) is not None else None


def divide_members(
    pods: Iterable[PodInfo], snapshot: Snapshot
) -> tuple[list[PodInfo], list[SkipPod]]:
    """Return members to be tried, and how to drop the others."""
    tried: list[PodInfo] = []
    dropped: list[SkipPod] = []
    for pod in pods:
        skip = skip_pod(pod, snapshot)
        if skip is None:
            tried.append(pod)
        else:
            dropped.append(skip)
    return tried, dropped


def decide_nobody_waits(cycle: Cycle, key: PodGroupKey, *, dropped: Sequence[SkipPod]) -> Decision:
    """Decide about a group of which no member is to be tried."""
    return Decision(
        instructions=tuple(dropped),
        diagnosis=Diagnosis(outcome="waiting", message="no member waits for a node", group=key),
        status="skipped",
        scan_start=cycle.search.scan_start,
    )
