"""How good each feasible node is: raw scores, normalised, weighed and added. Pure."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.interface import MAX_NODE_SCORE
from kubegang.scheduler.framework.nodetable import IntArray, RowArray
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import SUCCESS, Status, failure
from kubegang.scheduler.runtime.framework import Framework, WeighedScore
from kubegang.scheduler.runtime.metering import measured


@measured("PreScore")
def run_pre_score_plugins(
    framework: Framework,
    state: CycleState,
    *,
    pod: PodInfo,
    cluster: ClusterView,
    rows: RowArray,
) -> Status:
    """Let plugins prepare for the feasible nodes, or leave their score out."""
    state.skip_score.clear()
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


class ScoreParts(NamedTuple):
    """Scores of nodes before they are compared with each other.

    Attributes:
        plain: the sum of what plugins say that do not compare nodes, weighed.
        compared: what each of the others says, not weighed.
    """

    plain: IntArray
    compared: dict[str, IntArray]


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
    parts = score_feasible_nodes(framework, state, pod=pod, cluster=cluster, rows=rows)
    return add_scores(framework, state, pod=pod, parts=parts)


def score_separately(
    framework: Framework,
    state: CycleState,
    *,
    pod: PodInfo,
    cluster: ClusterView,
    rows: RowArray,
) -> ScoreParts:
    """Return what plugins say about each of ``rows``, in their order.

    Raises:
        InvariantError: a score that is not normalised is not between 0 and 100.
    """
    plain = np.zeros(len(rows), dtype=np.int64)
    compared: dict[str, IntArray] = {}
    for score in framework.scores:
        if score.plugin.NAME in state.skip_score:
            continue
        raw = _raw_scores(framework, score, state=state, pod=pod, cluster=cluster, rows=rows)
        if score.normalizer is not None:
            compared[score.plugin.NAME] = raw
            continue
        require_range(score.plugin.NAME, raw)
        plain += raw if score.weight == 1 else raw * score.weight
    return ScoreParts(plain, compared)


score_feasible_nodes: Final = measured("Score")(score_separately)
"""The same for all feasible nodes, and the meter is told."""


def add_scores(
    framework: Framework, state: CycleState, *, pod: PodInfo, parts: ScoreParts
) -> IntArray:
    """Return the total scores of nodes that are compared with each other.

    Raises:
        InvariantError: a plugin's score is not between 0 and 100 after normalisation.
    """
    total = parts.plain
    for score in framework.scores:
        raw = parts.compared.get(score.plugin.NAME)
        if score.normalizer is None or raw is None:
            continue
        scaled = score.normalizer.normalize_score(state, pod, scores=raw)
        require_range(score.plugin.NAME, scaled)
        total = total + (scaled if score.weight == 1 else scaled * score.weight)
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


def require_range(name: str, scores: IntArray) -> None:
    """Refuse scores outside of the range.

    Raises:
        InvariantError: a score is not between 0 and 100.
    """
    # Read without a sign, numbers below zero are huge: one pass finds both kinds.
    if len(scores) and int(scores.view(np.uint64).max()) > MAX_NODE_SCORE:
        raise InvariantError(
            f"plugin {name} scores from {scores.min()} to {scores.max()} after normalisation;"
            f" 0 to {MAX_NODE_SCORE} is allowed"
        )
