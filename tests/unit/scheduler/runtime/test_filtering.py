"""Running filters: masks, narrowing, and who refused what."""

from __future__ import annotations

import numpy as np
import pytest

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import Plugin
from kubegang.scheduler.framework.nodetable import ALL_ROWS
from kubegang.scheduler.framework.status import (
    SKIP,
    SUCCESS,
    Code,
    failure,
    unresolvable,
    unschedulable,
)
from kubegang.scheduler.runtime.filtering import (
    explain_refusals,
    run_filter_plugins,
    run_pre_filter_plugins,
)
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.testing.builders import make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from tests.unit.scheduler.runtime.plugins import Forbid, Narrow, NodeByNode, Sort

POD = make_pod().info()


@pytest.fixture
def snapshot() -> Snapshot:
    return DecidingCore(make_node().times(4)).snapshot


def framework(*plugins: Plugin) -> Framework:
    return Framework([Sort(), *plugins], weights={})


def passing(snapshot: Snapshot, *plugins: Plugin) -> list[str]:
    mask = run_filter_plugins(
        framework(*plugins), CycleState(), pod=POD, cluster=snapshot, rows=ALL_ROWS
    )
    return [snapshot.nodes.names[row] for row in np.flatnonzero(mask)]


def test_without_filters_all_nodes_pass(snapshot: Snapshot) -> None:
    assert passing(snapshot) == ["n-0", "n-1", "n-2", "n-3"]


def test_a_node_must_pass_every_filter(snapshot: Snapshot) -> None:
    assert passing(snapshot, Forbid("n-0"), NodeByNode("n-3")) == ["n-1", "n-2"]


def test_a_filter_without_a_key_is_not_asked(snapshot: Snapshot) -> None:
    plugin = Forbid("n-0", key=None)
    assert len(passing(snapshot, plugin)) == 4
    assert plugin.asked == 0


def test_node_by_node_filters_see_only_what_is_left(snapshot: Snapshot) -> None:
    plugin = NodeByNode()
    passing(snapshot, Forbid("n-0", "n-2"), plugin)
    assert plugin.asked == ["n-1", "n-3"]


def test_some_rows_are_answered_in_their_order(snapshot: Snapshot) -> None:
    rows = np.array([3, 0, 1], dtype=np.intp)
    mask = run_filter_plugins(
        framework(Forbid("n-0"), NodeByNode("n-1")),
        CycleState(),
        pod=POD,
        cluster=snapshot,
        rows=rows,
    )
    assert mask.tolist() == [True, False, False]


def test_a_static_mask_is_made_once_until_a_node_changes(snapshot: Snapshot) -> None:
    plugin = Forbid("n-0")
    machinery = framework(plugin)
    for _ in range(3):
        run_filter_plugins(machinery, CycleState(), pod=POD, cluster=snapshot, rows=ALL_ROWS)
    assert plugin.asked == 1
    snapshot.add_pod(POD, snapshot.nodes.names[1])
    run_filter_plugins(machinery, CycleState(), pod=POD, cluster=snapshot, rows=ALL_ROWS)
    assert plugin.asked == 1, "a pod changes no Node object"
    snapshot.set_node(make_node("n-1").rack("r").info())
    run_filter_plugins(machinery, CycleState(), pod=POD, cluster=snapshot, rows=ALL_ROWS)
    assert plugin.asked == 2


def test_another_snapshot_gets_masks_of_its_own(snapshot: Snapshot) -> None:
    machinery = framework(Forbid("n-0"))
    other = DecidingCore(make_node("x").times(4)).snapshot
    assert other.nodes.version == snapshot.nodes.version
    for cluster, want in ((snapshot, 3), (other, 4), (snapshot, 3)):
        mask = run_filter_plugins(machinery, CycleState(), pod=POD, cluster=cluster, rows=ALL_ROWS)
        assert int(mask.sum()) == want


def test_the_first_plugin_that_refuses_a_node_says_why(snapshot: Snapshot) -> None:
    refusals = explain_refusals(
        framework(NodeByNode("n-0", "n-1"), Forbid("n-1", "n-2")),
        CycleState(),
        pod=POD,
        cluster=snapshot,
        rows=np.arange(4, dtype=np.intp),
    )
    said = {
        (snapshot.nodes.names[row], refusal.status.plugin, refusal.status.message)
        for refusal in refusals
        for row in refusal.rows
    }
    assert said == {
        ("n-0", "NodeByNode", "not n-0"),
        ("n-1", "NodeByNode", "not n-1"),
        ("n-2", "Forbid", "forbidden"),
    }


@pytest.mark.parametrize(
    ("plugins", "code", "text", "names"),
    [
        pytest.param([], Code.SUCCESS, "", None, id="nobody-says-anything"),
        pytest.param([Narrow("A", SUCCESS, "x", "y")], Code.SUCCESS, "", {"x", "y"}, id="narrowed"),
        pytest.param(
            [Narrow("A", SUCCESS, "x", "y"), Narrow("B", SUCCESS, "y", "z")],
            Code.SUCCESS, "", {"y"}, id="narrowed-by-two",
        ),
        pytest.param(
            [Narrow("B", SUCCESS, "x"), Narrow("A", SUCCESS, "y")],
            Code.UNRESOLVABLE, "node(s) didn't satisfy plugin(s) [A B] simultaneously", set(),
            id="nothing-left-by-two",
        ),
        pytest.param(
            [Narrow("A", narrows=True)],
            Code.UNRESOLVABLE, "node(s) didn't satisfy plugin A", set(), id="nothing-left-by-one",
        ),
        pytest.param(
            [Narrow("A", unresolvable("no"))],
            Code.UNRESOLVABLE, "no", None, id="refused",
        ),
        pytest.param(
            [Narrow("A", failure("broken"))],
            Code.ERROR, 'running PreFilter plugin "A": broken', None, id="error",
        ),
    ],
)  # fmt: skip
def test_pre_filters_narrow_or_refuse(
    snapshot: Snapshot, plugins: list[Narrow], code: Code, text: str, names: set[str] | None
) -> None:
    outcome = run_pre_filter_plugins(framework(*plugins), CycleState(), pod=POD, cluster=snapshot)
    assert (outcome.status.code, outcome.status.message) == (code, text)
    assert outcome.node_names == names


def test_a_refusal_that_preemption_may_cure_does_not_end_the_round(snapshot: Snapshot) -> None:
    state = CycleState()
    outcome = run_pre_filter_plugins(
        framework(Narrow("A", unschedulable("later")), Narrow("B", SKIP)),
        state,
        pod=POD,
        cluster=snapshot,
    )
    assert outcome.status == unschedulable("later").by("A")
    assert state.skip_filter == {"B"}
