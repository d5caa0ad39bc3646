"""How many nodes are looked at, and which of the best is taken."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from kubegang.scheduler.cycle.handle import CycleHandle
from kubegang.scheduler.cycle.nodesearch import NodeSearch
from kubegang.scheduler.cycle.sampling import nodes_to_find, select_host, take_sample
from kubegang.scheduler.cycle.searchresult import FoundNode
from kubegang.scheduler.framework.cluster import Placement
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.testing.builders import make_node, make_pod
from kubegang.testing.deciding import DecidingCore, bindings, default_profile


@pytest.mark.parametrize(
    ("nodes", "percentage", "want"),
    [
        pytest.param(10, 0, 10, id="few-nodes-all"),
        pytest.param(99, 30, 99, id="few-nodes-whatever-the-percentage"),
        pytest.param(100, 0, 100, id="at-least-a-hundred"),
        pytest.param(1000, 0, 420, id="shrinking-percentage"),
        pytest.param(5000, 0, 500, id="ten-percent"),
        pytest.param(6000, 0, 300, id="five-percent-at-least"),
        pytest.param(5000, 100, 5000, id="all-on-demand"),
        pytest.param(5000, 1, 100, id="a-hundred-on-demand"),
    ],
)
def test_nodes_to_find(nodes: int, percentage: int, want: int) -> None:
    assert nodes_to_find(nodes, percentage=percentage) == want


@pytest.mark.parametrize(
    ("feasible", "start", "enough", "want", "want_examined"),
    [
        pytest.param([0, 1, 2], 0, 5, [0, 1, 2], 10, id="all-looked-at"),
        pytest.param([0, 1, 2], 0, 3, [0, 1, 2], 10, id="just-enough-is-noticed-at-the-end"),
        pytest.param([0, 3, 6, 9], 0, 2, [0, 3], 6, id="stops-at-one-more"),
        pytest.param([0, 3, 6, 9], 4, 2, [6, 9], 6, id="goes-round"),
        pytest.param([0, 3, 6, 9], 8, 3, [9, 0, 3], 8, id="goes-round-further"),
        pytest.param([], 4, 2, [], 10, id="nothing-feasible"),
    ],
)
def test_a_search_stops_when_it_has_enough(
    feasible: list[int], start: int, enough: int, want: list[int], want_examined: int
) -> None:
    sample = take_sample(np.array(feasible, dtype=np.intp), nodes=10, start=start, enough=enough)
    assert (sample.positions.tolist(), sample.examined) == (want, want_examined)


class Scripted:
    """Draws what it was told to."""

    def __init__(self, *draws: int) -> None:
        self.draws = list(draws)
        self.asked: list[int] = []

    def randrange(self, stop: int, /) -> int:
        self.asked.append(stop)
        return self.draws.pop(0)


def test_ties_are_drawn_and_clear_winners_are_not() -> None:
    rng = Scripted(1)
    assert select_host(np.array([3, 9, 1], dtype=np.int64), rng) == 1
    assert rng.asked == []
    assert select_host(np.array([3, 9, 1, 9], dtype=np.int64), rng) == 3
    assert rng.asked == [2]


def test_the_next_search_goes_on_where_the_last_one_stopped() -> None:
    core = DecidingCore(make_node().times(200), make_pod("p").times(3))
    starts = []
    for name in ("p-0", "p-1", "p-2"):
        decision = core.decide_pod(name)
        core.carry_out(decision)
        starts.append(decision.scan_start)
    assert starts == [100, 0, 100]


def test_a_large_cluster_is_sampled_from_all_zones() -> None:
    zones = [make_node(f"n{i}").zone("ab"[i < 150]) for i in range(300)]
    core = DecidingCore(zones, make_pod())
    core.builder.set_scan_start(0)
    drawn = {bindings(core.decide_pod())["p"] for _ in range(50)}
    assert drawn <= {f"n{i}" for i in (*range(72), *range(150, 222))}, "48 % of 300 are looked at"


def test_a_stretch_gives_what_filtering_all_nodes_gives() -> None:
    nodes = [node if i % 3 else node.cordoned() for i, node in enumerate(make_node().times(900))]
    core = DecidingCore(nodes, make_pod(), profile=default_profile())
    profile = msgspec.structs.replace(default_profile(), percentage_of_nodes_to_score=5)
    for start in (0, 5, 333, 700, 899):
        rng = Scripted(*[0] * 9)
        search = NodeSearch(CycleHandle(core.snapshot, framework=core.framework, rng=rng), profile)
        search.scan_start = start
        found = search.find(CycleState(), core.waiting["p"], placement=Placement(""))
        feasible = np.flatnonzero(np.arange(900) % 3)
        sample = take_sample(feasible, nodes=900, start=start, enough=100)
        # All score alike, so the first draw takes the first of the sample.
        assert isinstance(found, FoundNode)
        assert found.row == sample.positions[0]
        assert search.scan_start == (start + sample.examined) % 900
