"""The stamp of the node table names what is counted; padding shows what would be."""

from __future__ import annotations

import numpy as np
import pytest

from kubegang.scheduler.framework.pods import NodeName
from kubegang.scheduler.snapshot.trial import Trial
from kubegang.testing.builders import make_cluster, make_pod
from kubegang.testing.deciding import DecidingCore

N0 = NodeName("n-0")
N1 = NodeName("n-1")


def test_the_next_stamp_is_the_one_that_placing_a_pod_brings() -> None:
    core = DecidingCore(make_cluster(nodes=2))
    expected = core.snapshot.nodes.next_stamp
    core.add(make_pod().req(cpu="1").on("n-0"))
    assert core.snapshot.nodes.stamp == expected


def test_taking_a_step_back_brings_back_its_stamp() -> None:
    core = DecidingCore(make_cluster(nodes=2))
    nodes = core.snapshot.nodes
    before = nodes.stamp
    with Trial(core.snapshot) as trial:
        trial.place(make_pod("a").req(cpu="1").info(), N0)
        middle, mark = nodes.stamp, trial.mark()
        trial.place(make_pod("b").req(cpu="1").info(), N1)
        assert len({before, middle, nodes.stamp}) == 3
        trial.rollback(mark)
        assert nodes.stamp == middle
    assert nodes.stamp == before


def test_an_old_stamp_never_names_something_new() -> None:
    core = DecidingCore(make_cluster(nodes=2))
    nodes = core.snapshot.nodes
    with Trial(core.snapshot) as trial:
        trial.place(make_pod("a").req(cpu="1").info(), N0)
        one = nodes.stamp
        trial.rollback()
        trial.place(make_pod("a").req(cpu="1").info(), N1)
        assert nodes.stamp != one


def test_nodes_that_come_or_go_bring_a_new_stamp() -> None:
    core = DecidingCore(make_cluster(nodes=2))
    before = core.snapshot.nodes.stamp
    core.builder.remove_node(N1)
    between = core.snapshot.nodes.stamp
    core.add(make_cluster(nodes=2)[1])
    assert len({before, between, core.snapshot.nodes.stamp}) == 3


def test_a_padded_table_shows_more_pods_and_leaves_no_trace() -> None:
    core = DecidingCore(make_cluster(nodes=3), make_pod("r").req(cpu="1").on("n-1"))
    nodes = core.snapshot.nodes
    pod = make_pod().req(cpu="500m", gpu="1").info()
    before, changes = nodes.stamp, nodes.changes
    with nodes.padded([(pod.requests, np.array([2, 1, -1]))]):
        assert nodes.requested("cpu").tolist() == [1000, 1500, -500]
        assert nodes.requested("nvidia.com/gpu").tolist() == [2, 1, -1]
        assert nodes.pod_count.tolist() == [2, 2, -1]
    assert nodes.requested("cpu").tolist() == [0, 1000, 0]
    assert nodes.pod_count.tolist() == [0, 1, 0]
    assert (nodes.stamp, nodes.changes) == (before, changes)


def test_padding_ends_when_something_breaks_meanwhile() -> None:
    core = DecidingCore(make_cluster(nodes=1))
    nodes = core.snapshot.nodes
    with (
        pytest.raises(ZeroDivisionError),
        nodes.padded([(make_pod().req(cpu="1").info().requests, np.array([1]))]),
    ):
        raise ZeroDivisionError
    assert nodes.requested("cpu").tolist() == [0]
