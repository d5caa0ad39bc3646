"""Tentative steps and how they are taken back."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.errors import InvariantError, NodeNotFoundError
from kubegang.scheduler.framework.pods import NodeName, PodGroupKey, PodInfo, PodUid
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.scheduler.snapshot.trial import Trial
from kubegang.scheduler.snapshot.validation import validate_snapshot
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


def test_evicted_pods_come_back_to_their_old_places(snapshot: Snapshot) -> None:
    old, older = snapshot.pods_on(0)
    with Trial(snapshot) as trial:
        trial.evict(old, older)
        assert pods(snapshot) == []
        assert snapshot.nodes.pod_count.tolist() == [0]
        trial.put_back(older)
        trial.put_back(old)
        assert pods(snapshot) == ["old", "older"]
    assert pods(snapshot) == ["old", "older"]
    assert snapshot.nodes.pod_count.tolist() == [2]


def test_many_pods_are_counted_like_few() -> None:
    sizes = [make_pod(f"p{i}").req(cpu=str(1 + i % 3)).port(80 + i).on("n") for i in range(40)]
    snapshot = DecidingCore(make_node("n").capacity(cpu="200"), sizes).snapshot
    before = snapshot.nodes.requested("cpu").tolist(), snapshot.nodes.taken_ports()
    with Trial(snapshot) as trial:
        trial.evict(*snapshot.pods_on(0))
        validate_snapshot(snapshot)
        assert snapshot.nodes.requested("cpu").tolist() == [0]
    validate_snapshot(snapshot)
    assert (snapshot.nodes.requested("cpu").tolist(), snapshot.nodes.taken_ports()) == before


def test_an_evicted_pod_may_be_placed_elsewhere() -> None:
    core = DecidingCore(
        make_node().times(2), make_pod("a").group("g").on("n-0"), make_pod("b").group("g").on("n-0")
    )
    snapshot = core.snapshot
    a, b = snapshot.pods()
    with Trial(snapshot) as trial:
        trial.evict(a)
        trial.place(a, NodeName("n-1"))
        assert snapshot.row_of(a.uid) == snapshot.nodes.row(NodeName("n-1"))
        validate_snapshot(snapshot)
    assert [pod.name for pod in snapshot.pods()] == ["a", "b"]
    assert snapshot.scheduled_members(PodGroupKey("default", "g")) == [a, b]


@pytest.mark.parametrize("step", ["evict", "put_back"])
def test_a_step_that_makes_no_sense_is_a_bug(snapshot: Snapshot, step: str) -> None:
    pod = new("stranger")
    with Trial(snapshot) as trial, pytest.raises(InvariantError, match="stranger"):
        (trial.evict if step == "evict" else trial.put_back)(pod)
