"""Running scores: weights, normalisation, ranges, and the cache of local scores."""

from __future__ import annotations

import numpy as np
import pytest

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.errors import InvariantError, PluginConfigError
from kubegang.scheduler.framework.interface import Plugin
from kubegang.scheduler.framework.nodetable import IntArray
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.scores import scale_to_best, scale_to_fewest
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.runtime.scorecache import ScoreCache
from kubegang.scheduler.runtime.scoring import run_score_plugins
from kubegang.testing.builders import make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from tests.unit.scheduler.runtime.plugins import ByPodCount, Forbid, Sort

POD = make_pod().info()


class Normalised(ByPodCount):
    NAME = "Normalised"

    def normalize_score(self, state: CycleState, pod: PodInfo, *, scores: IntArray) -> IntArray:
        return scale_to_best(scores)


def core() -> DecidingCore:
    return DecidingCore(
        make_node().times(3), make_pod("a").on("n-1"), [p.on("n-2") for p in make_pod("b").times(2)]
    )


def totals(*plugins: Plugin, weights: dict[str, int] | None = None) -> list[int]:
    machinery = Framework([Sort(), *plugins], weights=weights or {})
    rows = np.arange(3, dtype=np.intp)
    total = run_score_plugins(machinery, CycleState(), pod=POD, cluster=core().snapshot, rows=rows)
    return [int(score) for score in total]


def test_scores_are_weighed_and_added() -> None:
    assert totals(ByPodCount(), Normalised(), weights={"ByPodCount": 3}) == [0, 3 + 50, 6 + 100]


def test_a_score_out_of_range_is_a_bug_of_the_plugin() -> None:
    with pytest.raises(InvariantError, match="ByPodCount scores from 0 to 200"):
        totals(ByPodCount(100))


def test_skipped_scores_count_nothing() -> None:
    state = CycleState()
    state.skip_score.add("ByPodCount")
    machinery = Framework([Sort(), ByPodCount()], weights={})
    rows = np.arange(3, dtype=np.intp)
    total = run_score_plugins(machinery, state, pod=POD, cluster=core().snapshot, rows=rows)
    assert total.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("raw", "want_best", "want_fewest"),
    [
        pytest.param([], [], [], id="nothing"),
        pytest.param([0, 0], [0, 0], [100, 100], id="all-zero"),
        pytest.param([1, 2, 3], [33, 66, 100], [67, 34, 0], id="cut-to-whole-numbers"),
    ],
)
def test_scores_scale_to_the_best_or_the_fewest(
    raw: list[int], want_best: list[int], want_fewest: list[int]
) -> None:
    scores = np.array(raw, dtype=np.int64)
    assert scale_to_best(scores).tolist() == want_best
    assert scale_to_fewest(scores).tolist() == want_fewest


def test_local_scores_are_asked_again_for_changed_nodes_only() -> None:
    built = DecidingCore(make_node().times(20))
    plugin, cache, rows = ByPodCount(), ScoreCache(), np.arange(20, dtype=np.intp)

    def ask() -> list[int]:
        scores = cache.scores(plugin, CycleState(), pod=POD, cluster=built.snapshot, rows=rows)
        return [int(score) for score in scores]

    assert ask() == [0] * 20
    assert plugin.rows_scored == 20
    built.add(make_pod("a").on("n-7"))
    assert ask()[7] == 1
    assert plugin.rows_scored == 21
    ask()
    assert plugin.rows_scored == 21
    built.add([make_pod(f"b{i}").on(f"n-{i}") for i in range(6)])
    assert ask()[:8] == [1] * 6 + [0, 1]
    assert plugin.rows_scored == 41, "beyond a quarter of the nodes all are scored again"
    built.add(make_node("n-20"))
    rows = np.arange(21, dtype=np.intp)
    assert ask()[20] == 0


def test_exactly_one_plugin_sorts_the_queue() -> None:
    with pytest.raises(PluginConfigError, match="only one queue sort plugin required"):
        Framework([Forbid()], weights={})
    with pytest.raises(PluginConfigError, match="listed twice: Sort"):
        Framework([Sort(), Sort()], weights={})
