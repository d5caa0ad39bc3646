"""The extension points of group cycles: placements, their feasibility and score. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kubegang.scheduler.framework.cluster import (
    ClusterView,
    Placement,
    PlacementAssignments,
    PlacementProgress,
)
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import PodGroupInfo
from kubegang.scheduler.framework.status import SUCCESS, Code, Status, failure, unschedulable
from kubegang.scheduler.runtime.framework import Framework, WeighedPlacementScore
from kubegang.scheduler.runtime.metering import measured


class PlacementScores(NamedTuple):
    """Total scores of placements, in their order; empty unless the status is success."""

    status: Status
    totals: tuple[int, ...] = ()


@measured("PlacementGenerate")
def run_placement_generate_plugins(
    framework: Framework,
    state: CycleState,
    *,
    group: PodGroupInfo,
    cluster: ClusterView,
    parent: Placement,
) -> tuple[Status, Sequence[Placement]]:
    """Return candidate placements; the parent alone if no plugin generates any.

    Only the first plugin is asked, as kube-scheduler 1.37 does.
    """
    if not framework.placement_generate_plugins:
        return SUCCESS, (parent,)
    plugin = framework.placement_generate_plugins[0]
    status, placements = plugin.generate_placements(state, group, cluster=cluster, parent=parent)
    if not status.is_success:
        return status.by(plugin.NAME), ()
    if not placements:
        return unschedulable("no feasible placements found").by(plugin.NAME), ()
    return SUCCESS, placements


@measured("PlacementFeasible")
def run_placement_feasible_plugins(
    framework: Framework,
    state: CycleState,
    *,
    group: PodGroupInfo,
    progress: PlacementProgress,
) -> Status:
    """Return success if all are content, the first refusal, or that something is missing."""
    outcome = SUCCESS
    for plugin in framework.placement_feasible_plugins:
        status = plugin.placement_feasible(state, group, progress=progress)
        if status.is_success:
            continue
        if status.is_wait:
            outcome = status.by(plugin.NAME)
        elif status.code is Code.UNSCHEDULABLE:
            return status.by(plugin.NAME)
        else:
            text = f"running PlacementFeasible plugin: {status.as_error}"
            return failure(text).by(plugin.NAME)
    return outcome


@measured("PlacementScore")
def run_placement_score_plugins(
    framework: Framework,
    state: CycleState,
    *,
    group: PodGroupInfo,
    cluster: ClusterView,
    proposals: Sequence[PlacementAssignments],
) -> PlacementScores:
    """Return the weighed sum of all plugins' scores per proposal."""
    totals = [0] * len(proposals)
    for score in framework.placement_scores:
        status, scores = _scores_of(score, state, group=group, cluster=cluster, proposals=proposals)
        if not status.is_success:
            return PlacementScores(status)
        for index, value in enumerate(scores):
            totals[index] += value * score.weight
    return PlacementScores(SUCCESS, tuple(totals))


def _scores_of(
    score: WeighedPlacementScore,
    state: CycleState,
    *,
    group: PodGroupInfo,
    cluster: ClusterView,
    proposals: Sequence[PlacementAssignments],
) -> tuple[Status, Sequence[int]]:
    name = score.plugin.NAME
    raw: list[int] = []
    for proposal in proposals:
        status, value = score.plugin.score_placement(
            state, group, cluster=cluster, proposal=proposal
        )
        if not status.is_success:
            text = f'running PlacementScore plugins: plugin "{name}" failed with: {status.as_error}'
            return failure(text), ()
        raw.append(value)
    if score.normalizer is None:
        return SUCCESS, raw
    status, normalised = score.normalizer.normalize_placement_scores(state, group, scores=raw)
    if not status.is_success:
        text = (
            "running NormalizePlacementScore on PlacementScore plugins:"
            f' plugin "{name}" failed with: {status.as_error}'
        )
        return failure(text), ()
    return SUCCESS, normalised
