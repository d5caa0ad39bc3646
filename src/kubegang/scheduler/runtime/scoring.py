"""How good each feasible node is: raw scores, normalised, weighed and added. Pure."""

from __future__ import annotations

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.interface import MAX_NODE_SCORE
from kubegang.scheduler.framework.nodetable import IntArray, RowArray
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import SUCCESS, Status, failure
from kubegang.scheduler.runtime.framework import Framework, WeighedScore


def run_pre_score_plugins(
    framework: Framework,
    state: CycleState,
    *,
    pod: PodInfo,
    cluster: ClusterView,
    rows: RowArray,
) -> Status:
    """Let plugins prepare for the feasible nodes, or leave their score out."""
    for score in framework.scores:
        if score.pre_score is None:
            continue
        status = score.pre_score.pre_score(state, pod, cluster=cluster, rows=rows)
        if status.is_skip:
            state.skip_score.add(score.plugin.NAME)
        elif not status.is_success:
            name = score.plugin.NAME
            return failure(f'running PreScore plugin "{name}": {status.as_error}').by(name)
    return SUCCESS


def run_score_plugins(
    framework: Framework,
    state: CycleState,
    *,
    pod: PodInfo,
    cluster: ClusterView,
    rows: RowArray,
) -> IntArray:
    """Return the total score of each feasible node, in the order of ``rows``.

    Raises:
        InvariantError: a plugin's score is not between 0 and 100 after normalisation.
    """
    total = np.zeros(len(rows), dtype=np.int64)
    for score in framework.scores:
        if score.plugin.NAME in state.skip_score:
            continue
        raw = _raw_scores(framework, score, state=state, pod=pod, cluster=cluster, rows=rows)
        if score.normalizer is not None:
            raw = score.normalizer.normalize_score(state, pod, scores=raw)
        _require_range(score.plugin.NAME, raw)
        total += raw if score.weight == 1 else raw * score.weight
    return total


def _raw_scores(
    framework: Framework,
    score: WeighedScore,
    *,
    state: CycleState,
    pod: PodInfo,
    cluster: ClusterView,
    rows: RowArray,
) -> IntArray:
    if score.local is not None and len(rows) >= framework.keep_scores_from:
        return framework.local_scores.scores(
            score.local, state, pod=pod, cluster=cluster, rows=rows
        )
    return score.plugin.score(state, pod, cluster=cluster, rows=rows)


def _require_range(name: str, scores: IntArray) -> None:
    # Read without a sign, numbers below zero are huge: one pass finds both kinds.
    if len(scores) and int(scores.view(np.uint64).max()) > MAX_NODE_SCORE:
        raise InvariantError(
            f"plugin {name} scores from {scores.min()} to {scores.max()} after normalisation;"
            f" 0 to {MAX_NODE_SCORE} is allowed"
        )
