"""Room on nodes: who fits, what is missing, and how nodes rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kubegang.api.scheduling_rules import SchedulingRules
from kubegang.base.feature_gates import FeatureGates
from kubegang.scheduler.framework.cluster import (
    Assignment,
    Placement,
    PlacementAssignments,
)
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.interface import PluginContext
from kubegang.scheduler.plugins.noderesources import fit
from kubegang.scheduler.plugins.noderesources.balancedallocation import (
    NodeResourcesBalancedAllocation,
)
from kubegang.scheduler.plugins.noderesources.fit import NodeResourcesFit
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod, make_podgroup
from kubegang.testing.deciding import DecidingCore
from tests.unit.scheduler.plugins.asking import context, refused, scored


def cluster(*objects: NodeBuilder | PodBuilder) -> Snapshot:
    return DecidingCore(*objects).snapshot


@pytest.mark.parametrize(
    ("node", "pod", "want"),
    [
        pytest.param(make_node(), make_pod().req(cpu="1"), "", id="fits"),
        pytest.param(make_node(), make_pod().req(cpu="1", memory="30Gi"), "", id="fits-exactly"),
        pytest.param(make_node(), make_pod().req(cpu="1001m"), "Insufficient cpu", id="taken"),
        pytest.param(make_node(), make_pod().req(cpu="5"), "!Insufficient cpu", id="too-small"),
        pytest.param(
            make_node(),
            make_pod().req(cpu="2", memory="31Gi"),
            "Insufficient cpu, Insufficient memory",
            id="two",
        ),
        pytest.param(
            make_node(),
            make_pod().req(cpu="2", memory="33Gi"),
            "!Insufficient cpu, Insufficient memory",
            id="one-of-two-hopeless",
        ),
        pytest.param(
            make_node(), make_pod().req(gpu="1"), "!Insufficient nvidia.com/gpu", id="has-none"
        ),
        pytest.param(make_node().capacity(pods="1"), make_pod(), "Too many pods", id="no-slot"),
        pytest.param(
            make_node().capacity(pods="1", gpu="2"),
            make_pod().req(cpu="2", gpu="1", memory="31Gi"),
            "Too many pods, Insufficient cpu, Insufficient memory",
            id="in-a-fixed-order",
        ),
        pytest.param(
            make_node().capacity(pods="0"), make_pod(), "Too many pods", id="no-slots-at-all"
        ),
    ],
)
def test_a_node_says_all_that_it_lacks(node: NodeBuilder, pod: PodBuilder, want: str) -> None:
    snapshot = cluster(node.named("n"), make_pod("there").req(cpu="3", memory="2Gi").on("n"))
    said = refused(NodeResourcesFit(context()), snapshot, pod)
    assert said == ({"n": want} if want else {})


def test_nodes_that_lack_the_same_are_put_together() -> None:
    snapshot = cluster(*make_node().times(3), make_node("small").capacity(cpu="1"))
    said = refused(NodeResourcesFit(context()), snapshot, make_pod().req(cpu="2", gpu="1"))
    assert said["n-0"] == "!Insufficient nvidia.com/gpu"
    assert said["small"] == "!Insufficient cpu, Insufficient nvidia.com/gpu"


@pytest.mark.parametrize(
    "args", [{"ignoredResources": ["nvidia.com/gpu"]}, {"ignoredResourceGroups": ["nvidia.com"]}]
)
def test_ignored_resources_are_not_looked_at(args: dict[str, Any]) -> None:
    snapshot = cluster(make_node("n"))
    plugin = NodeResourcesFit(context(args))
    assert refused(plugin, snapshot, make_pod().req(cpu="1", gpu="1")) == {}
    assert refused(plugin, snapshot, make_pod().req(cpu="5", gpu="1")) == {"n": "!Insufficient cpu"}


# Free share per node: cpu (4-1-1)/4 = 50 %, memory (32-8-8)/32 = 50 %; then 25 % and 75 %.
LOADED = (
    make_node("even"),
    make_node("skewed"),
    make_node("empty"),
    make_pod("a").req(cpu="1", memory="8Gi").on("even"),
    make_pod("b").req(cpu="2").on("skewed"),
)
POD = make_pod().req(cpu="1", memory="8Gi")


def strategy(name: str, **more: object) -> dict[str, Any]:
    return {"scoringStrategy": {"type": name, **more}}


def ratio(*points: tuple[int, int]) -> dict[str, Any]:
    shape = [{"utilization": utilization, "score": score} for utilization, score in points]
    return strategy("RequestedToCapacityRatio", requestedToCapacityRatio={"shape": shape})


def least(**weights: int) -> dict[str, Any]:
    resources = [{"name": name, "weight": weight} for name, weight in weights.items()]
    return strategy("LeastAllocated", resources=resources)


@pytest.mark.parametrize(
    ("args", "want"),
    [
        pytest.param({}, [50, 49, 75], id="least-allocated-is-the-default"),
        pytest.param(strategy("MostAllocated"), [50, 50, 25], id="most-allocated"),
        pytest.param(
            least(cpu=3, memory=1),
            [50, 37, 75],
            id="weights",
        ),
        pytest.param(
            ratio((0, 0), (100, 10)),
            [50, 50, 25],
            id="ratio-rising",
        ),
        pytest.param(
            ratio((0, 10), (100, 0)),
            [50, 50, 75],
            id="ratio-falling-rounds-to-nearest",
        ),
    ],
)
def test_nodes_rank_by_the_room_they_have(args: dict[str, Any], want: list[int]) -> None:
    # "skewed" also counts 200 MiB for the container that asks for no memory: 74 % is free.
    assert scored(NodeResourcesFit(context(args)), cluster(*LOADED), POD) == want


def test_an_extended_resource_counts_for_pods_that_want_it_only() -> None:
    resources = [{"name": "cpu", "weight": 1}, {"name": "nvidia.com/gpu", "weight": 1}]
    plugin = NodeResourcesFit(context(strategy("LeastAllocated", resources=resources)))
    snapshot = cluster(
        make_node("gpus").capacity(gpu="8"),
        make_node("none"),
        make_pod("a").req(gpu="4").on("gpus"),
    )
    assert scored(plugin, snapshot, make_pod().req(cpu="1")) == [72, 75]
    assert scored(plugin, snapshot, make_pod().req(cpu="1", gpu="1")) == [(72 + 37) // 2, 75]


def test_a_node_without_any_scored_resource_scores_nothing() -> None:
    snapshot = cluster(make_node("n").capacity(cpu="0", memory="0"), make_node("m"))
    assert scored(NodeResourcesFit(context()), snapshot, make_pod()) == [0, 98]


def test_a_node_that_is_over_its_limit_scores_nothing() -> None:
    snapshot = cluster(make_node("n"), make_pod("a").req(cpu="9", memory="64Gi").on("n"))
    assert scored(NodeResourcesFit(context()), snapshot, make_pod()) == [0]
    plugin = NodeResourcesFit(context(strategy("MostAllocated")))
    assert scored(plugin, snapshot, make_pod()) == [100]


@pytest.mark.parametrize(
    ("args", "want"),
    [
        pytest.param({"scoringStrategy": {"type": "Best"}}, "Invalid enum value 'Best'", id="type"),
        pytest.param(least(cpu=101), "weight of resource cpu is 101", id="weight"),
        pytest.param(strategy("RequestedToCapacityRatio"), "at least one point", id="no-shape"),
        pytest.param(
            ratio((101, 1)),
            "utilization 101",
            id="utilization",
        ),
        pytest.param(
            ratio((1, 11)),
            "score 11",
            id="score",
        ),
        pytest.param(
            ratio((5, 1), (5, 2)),
            "must rise",
            id="order",
        ),
    ],
)
def test_arguments_are_checked(args: dict[str, Any], want: str) -> None:
    with pytest.raises(PluginConfigError, match=want):
        NodeResourcesFit(context(args))


@pytest.mark.parametrize(
    ("pod", "want"),
    [
        # Nothing changes the balance of an empty node by an even pod: 75.
        pytest.param(make_pod().req(cpu="1", memory="8Gi"), [75, 75, 75], id="even-pod"),
        # cpu only: 25 % against 0 % spoils an even node by 12 points of 100, half of it counts.
        pytest.param(make_pod().req(cpu="1"), [68, 68, 68], id="spoils"),
        # "skewed" has 50 % cpu and no memory: 16 GiB make it even, which is 25 points better.
        pytest.param(make_pod().req(memory="16Gi"), [62, 87, 62], id="improves"),
        pytest.param(make_pod(), None, id="asks-for-nothing"),
    ],
)
def test_balance_ranks_by_improvement(pod: PodBuilder, want: list[int] | None) -> None:
    assert scored(NodeResourcesBalancedAllocation(context()), cluster(*LOADED), pod) == want


def test_balance_over_three_resources_is_a_standard_deviation() -> None:
    resources = [{"name": name} for name in ("cpu", "memory", "nvidia.com/gpu")]
    plugin = NodeResourcesBalancedAllocation(context({"resources": resources}))
    snapshot = cluster(make_node("gpus").capacity(gpu="4"), make_node("none"))
    pod = make_pod().req(cpu="2", gpu="4")
    # Shares 0.5, 0 and 1: deviation 0.408, so 59 of 100 against 100 before.
    # Without GPUs 0.5 and 0: deviation 0.25, so 75 of 100 against 100 before.
    assert scored(plugin, snapshot, pod) == [50 + (50 + 59 - 100) // 2, 50 + (50 + 75 - 100) // 2]


def test_before_1_36_the_balance_with_the_pod_counts_alone() -> None:
    rules = SchedulingRules(balance_is_compared=False)
    plugin = NodeResourcesBalancedAllocation(PluginContext(FeatureGates({}), rules=rules))
    used = make_pod("a").req(cpu="2").on("used")
    snapshot = cluster(
        make_node("used").capacity(cpu="8", memory="32Gi"),
        make_node("free").capacity(cpu="4", memory="32Gi"),
        used,
    )
    # Half of the CPU of either is used with the pod: the deviation is 0.25.
    assert scored(plugin, snapshot, make_pod().req(cpu="2")) == [75, 75]


def test_a_share_beyond_all_counts_as_all() -> None:
    snapshot = cluster(make_node("n"), make_pod("a").req(cpu="9", memory="64Gi").on("n"))
    plugin = NodeResourcesBalancedAllocation(context())
    assert scored(plugin, snapshot, make_pod().req(cpu="1")) == [75]


@pytest.mark.parametrize(
    ("members", "rows", "want"),
    [
        pytest.param(3, [0], 75, id="three-of-four"),
        pytest.param(3, [1, 2], 37, id="two-nodes"),
        pytest.param(3, None, 30, id="whole-cluster-with-what-runs-there"),
    ],
)
def test_a_placement_scores_by_how_full_it_gets(
    members: int, rows: list[int] | None, want: int
) -> None:
    resources = [{"name": "cpu", "weight": 1}]
    plugin = NodeResourcesFit(context(strategy("LeastAllocated", resources=resources)))
    snapshot = cluster(*make_node().times(5), make_pod("there").req(cpu="3").on("n-4"))
    pods = [pod.info() for pod in make_pod("m").req(cpu="1").times(members)]
    proposal = PlacementAssignments(
        Placement("d", None if rows is None else np.array(rows, dtype=np.intp)),
        tuple(Assignment(pod, 0) for pod in pods),
    )
    group = make_podgroup().info()
    status, score = plugin.score_placement(CycleState(), group, cluster=snapshot, proposal=proposal)
    assert status.is_success
    assert score == want


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        pytest.param(None, make_node(), True, id="new"),
        pytest.param(None, make_node().capacity(cpu="1"), False, id="new-but-too-small"),
        pytest.param(make_node().capacity(cpu="1"), make_node(), True, id="grew"),
        pytest.param(make_node(), make_node().rack("r"), False, id="did-not-grow"),
        pytest.param(make_node().capacity(pods="1"), make_node(), True, id="more-pods"),
        pytest.param(make_node(), make_node().capacity(gpu="8"), False, id="grew-elsewhere"),
        pytest.param(None, make_node().capacity(pods="0"), False, id="no-pods-at-all"),
    ],
)
def test_a_node_that_grows_is_worth_another_attempt(
    old: NodeBuilder | None, new: NodeBuilder, want: bool
) -> None:
    hint = NodeResourcesFit(context()).queueing_hints()[1].is_schedulable_after
    assert hint is not None
    assert hint(make_pod().req(cpu="2").info(), old.info() if old else None, new.info()) is want


def test_a_pod_that_goes_or_shrinks_is_worth_another_attempt() -> None:
    waiting = make_pod().req(cpu="2").info()
    big, small = (
        make_pod("x").req(cpu="2").on("n").info(),
        make_pod("x").req(cpu="1").on("n").info(),
    )
    assert fit.is_schedulable_after_pod_deleted(waiting, big, None)
    assert not fit.is_schedulable_after_pod_deleted(waiting, make_pod("x").info(), None)
    assert fit.is_schedulable_after_pod_shrunk(waiting, big, small)
    assert not fit.is_schedulable_after_pod_shrunk(waiting, small, big)
