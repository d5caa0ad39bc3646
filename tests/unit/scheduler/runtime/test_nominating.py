"""Filtering beside pods to which a node is promised."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import PodUid
from kubegang.scheduler.runtime.filtering import run_pre_filter_plugins
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.runtime.nominating import (
    explain_beside_nominated,
    filter_beside_nominated,
)
from kubegang.scheduler.snapshot.validation import validate_snapshot
from kubegang.testing.builders import PodBuilder, make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from tests.unit.scheduler.runtime.plugins import Forbid, NodeByNode, Sort

NODE = make_node("n").capacity(cpu="2")
PROMISED = make_pod("promised").req(cpu="2").priority(10).nominated("n-1")
POD = make_pod("p").req(cpu="1").priority(10)


def attempt(core: DecidingCore, pod: PodBuilder) -> CycleState:
    """Return the notes of an attempt whose filters can be asked."""
    state = CycleState()
    run_pre_filter_plugins(core.framework, state, pod=pod.info(), cluster=core.snapshot)
    return state


def passing(core: DecidingCore, pod: PodBuilder, deciding: Sequence[str] = ()) -> list[str]:
    """Return the nodes that let the pod in, and check that the reasons agree."""
    table, info = core.snapshot.nodes, pod.info()
    rows = np.arange(table.size, dtype=np.intp)
    uids = [PodUid(f"uid-{name}") for name in deciding]
    state = attempt(core, pod)
    passed = filter_beside_nominated(
        core.framework, state, pod=info, snapshot=core.snapshot, rows=rows, deciding=uids
    )
    refusals = explain_beside_nominated(
        core.framework, state, pod=info, snapshot=core.snapshot, rows=rows, deciding=uids
    )
    refused = sorted(row for refusal in refusals for row in refusal.rows.tolist())
    assert refused == np.flatnonzero(~passed).tolist()
    assert all(refusal.status.message == "Insufficient cpu" for refusal in refusals)
    validate_snapshot(core.snapshot)
    return [table.names[row] for row in np.flatnonzero(passed).tolist()]


def test_room_is_left_to_a_pod_of_equal_priority() -> None:
    core = DecidingCore(NODE.times(2), PROMISED)
    assert passing(core, POD) == ["n-0"]


def test_a_stronger_pod_may_take_the_room() -> None:
    core = DecidingCore(NODE.times(2), PROMISED)
    assert passing(core, POD.priority(11)) == ["n-0", "n-1"]


def test_nobody_stands_in_his_own_way() -> None:
    core = DecidingCore(NODE.times(2), PROMISED, POD)
    assert passing(core, POD, deciding=["promised", "p"]) == ["n-0", "n-1"]


def test_beside_a_small_pod_there_is_room() -> None:
    core = DecidingCore(NODE.times(2), PROMISED.req(cpu="1"))
    assert passing(core, POD) == ["n-0", "n-1"]


def test_all_that_are_promised_the_node_count() -> None:
    core = DecidingCore(
        NODE.times(2),
        [pod.req(cpu="1") for pod in PROMISED.times(2)],
        PROMISED.named("x").priority(1),
    )
    assert passing(core, POD) == ["n-0"]


def test_a_promise_of_a_node_that_is_gone_means_nothing() -> None:
    core = DecidingCore(NODE.times(2), PROMISED.nominated("gone"))
    assert passing(core, POD) == ["n-0", "n-1"]


@pytest.mark.parametrize("plugin", [Forbid("n-1"), NodeByNode("n-1")])
def test_filters_that_look_around_are_asked_node_by_node(plugin: Forbid | NodeByNode) -> None:
    core = DecidingCore(NODE.times(3), PROMISED, PROMISED.named("q").nominated("n-2"))
    core.framework = Framework([*core.framework.plugins, plugin], weights={})
    table = core.snapshot.nodes
    rows = np.arange(table.size, dtype=np.intp)
    passed = filter_beside_nominated(
        core.framework,
        attempt(core, POD),
        pod=POD.info(),
        snapshot=core.snapshot,
        rows=rows,
        deciding=(),
    )
    assert [table.names[row] for row in np.flatnonzero(passed).tolist()] == ["n-0"]


def test_which_filters_look_at_one_node_only() -> None:
    core = DecidingCore(NODE)
    framework = core.framework
    assert framework.is_local(attempt(core, POD))
    state = CycleState()
    assert Framework([Sort(), Forbid()], weights={}).is_local(state), "a static filter is local"
    other = Framework([Sort(), NodeByNode()], weights={})
    assert not other.is_local(state)
    state.skip_filter.add("NodeByNode")
    assert other.is_local(state)
