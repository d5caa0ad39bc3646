"""Tentative steps and how they are taken back."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.errors import InvariantError, NodeNotFoundError
from kubegang.scheduler.framework.pods import NodeName, PodInfo, PodUid
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.scheduler.snapshot.trial import Trial
from kubegang.testing.builders import make_node, make_pod
from kubegang.testing.deciding import DecidingCore

N = NodeName("n")


@pytest.fixture
def snapshot() -> Snapshot:
    return DecidingCore(make_node("n"), make_pod("old").on("n"), make_pod("older").on("n")).snapshot


def pods(snapshot: Snapshot) -> list[str]:
    return [pod.name for pod in snapshot.pods_on(0)]


def new(name: str) -> PodInfo:
    return make_pod(name).req(cpu="1").info()


def test_a_step_takes_effect_at_once(snapshot: Snapshot) -> None:
    with Trial(snapshot) as trial:
        trial.place(new("a"), N)
        assert pods(snapshot) == ["old", "older", "a"]
        assert snapshot.nodes.requested("cpu").tolist() == [1000]


def test_leaving_takes_everything_back(snapshot: Snapshot) -> None:
    with Trial(snapshot) as trial:
        trial.place(new("a"), N)
    assert pods(snapshot) == ["old", "older"]


def test_an_exception_takes_everything_back(snapshot: Snapshot) -> None:
    def stumble() -> None:
        with Trial(snapshot) as trial:
            trial.place(new("a"), N)
            raise RuntimeError("stumbled")

    with pytest.raises(RuntimeError):
        stumble()
    assert pods(snapshot) == ["old", "older"]


def test_rollback_goes_back_to_a_mark(snapshot: Snapshot) -> None:
    with Trial(snapshot) as trial:
        trial.place(new("a"), N)
        mark = trial.mark()
        trial.place(new("b"), N)
        trial.rollback(mark)
        assert pods(snapshot) == ["old", "older", "a"]


def test_kept_steps_are_final(snapshot: Snapshot) -> None:
    with Trial(snapshot) as trial:
        trial.place(new("a"), N)
        trial.keep()
        trial.place(new("b"), N)
    assert pods(snapshot) == ["old", "older", "a"]


def test_an_eviction_that_is_taken_back_keeps_the_pods_place(snapshot: Snapshot) -> None:
    old = snapshot.pod(PodUid("uid-old"))
    assert old is not None
    with Trial(snapshot) as trial:
        trial.evict(old)
        trial.place(new("a"), N)
        assert pods(snapshot) == ["older", "a"]
    assert pods(snapshot) == ["old", "older"]


def test_nothing_is_placed_on_a_node_that_is_not_there(snapshot: Snapshot) -> None:
    with Trial(snapshot) as trial, pytest.raises(NodeNotFoundError, match="no node gone"):
        trial.place(new("a"), NodeName("gone"))


def test_rollback_into_the_future_is_a_bug(snapshot: Snapshot) -> None:
    with Trial(snapshot) as trial, pytest.raises(InvariantError, match="only 0 were made"):
        trial.rollback(1)
