"""What a simulated kubelet does next."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.nodesim.stages import Step
from tests.unit.nodesim.life import T0, Life, with_spec


def test_a_bound_pod_starts_at_once_and_runs_for_good() -> None:
    assert Life().next() == Step("start", T0)
    assert Life().live().next() is None


def test_a_delayed_start_shows_that_containers_are_being_made() -> None:
    life = Life(start_delay="5s")

    assert life.next() == Step("create", T0)
    assert life.live().next() == Step("start", T0 + 5)


@pytest.mark.parametrize(
    ("annotations", "want"),
    [
        pytest.param({"run_duration": "60s"}, Step("finish", T0 + 60, 0), id="succeeds"),
        pytest.param(
            {"run_duration": "1m", "exit_code": "3"}, Step("finish", T0 + 60, 3), id="exit code"
        ),
        pytest.param({"fail_after": "30s"}, Step("finish", T0 + 30, 1), id="fails"),
        pytest.param(
            {"fail_after": "30s", "run_duration": "20s"}, Step("finish", T0 + 20, 0), id="earlier"
        ),
    ],
)
def test_annotations_say_how_a_pod_ends(annotations: dict[str, Any], want: Step) -> None:
    assert Life(**annotations).live().next() == want


def test_a_pod_runs_exactly_as_long_as_it_should_though_the_api_keeps_seconds_only() -> None:
    life = Life(run_duration="10s", bound=T0 + 0.9).live()

    assert life.container["state"]["running"]["startedAt"] == "2026-11-01T00:00:00Z"
    assert life.next() == Step("finish", T0 + 10.9)


def test_after_a_restart_of_the_simulator_the_second_of_the_start_has_to_do() -> None:
    life = Life(run_duration="10s", bound=T0 + 0.9).live().forget(now=T0 + 5)

    assert life.next() == Step("finish", T0 + 10)


def test_the_first_restart_comes_at_once_and_the_next_ones_later_and_later() -> None:
    life = Life("OnFailure", fail_after="5s").live()
    moments = []
    for _ in range(6):
        step = life.next()
        assert step is not None
        moments.append((step.action, step.at - T0))
        life.live()

    assert moments == [
        ("restart", 5),
        ("crash", 10),
        ("restart", 20),
        ("crash", 25),
        ("restart", 45),
        ("crash", 50),
    ]


def test_the_pause_has_a_limit_and_ends_after_a_long_run() -> None:
    life = Life("Always", run_duration="5s").live()
    for _ in range(20):
        life.live()
    assert life.memory.pause == 300

    life.pod["metadata"]["annotations"] = {"kubegang.dev/run-duration": "601s"}
    step = life.live(steps=2).next()

    assert step is not None
    assert step.action == "restart"


def test_a_pod_that_succeeds_is_started_again_only_if_it_always_is() -> None:
    actions = []
    for policy in ("Never", "OnFailure", "Always"):
        step = Life(policy, run_duration="5s").live().next()
        assert step is not None
        actions.append(step.action)

    assert actions == ["finish", "finish", "restart"]


def test_a_waiting_container_is_started_at_once_by_a_new_simulator() -> None:
    life = Life("Always", run_duration="5s").live(steps=3).forget(now=T0 + 11)

    assert life.status["containerStatuses"][0]["state"].keys() == {"waiting"}
    assert life.next() == Step("restart", 0)


def test_a_deleted_pod_ends_when_its_containers_do_or_its_grace_is_over() -> None:
    for duration, want in (
        ("0s", Step("remove", T0 + 10.5, 143)),
        ("5s", Step("remove", T0 + 15.5, 143)),
        ("1h", Step("remove", T0 + 40.5, 137)),
    ):
        life = Life(termination_duration=duration).live().delete(at=T0 + 10.5)

        assert life.next() == want


def test_a_pod_that_has_ended_is_removed_without_waiting() -> None:
    life = Life(run_duration="1s", termination_duration="9s").live(steps=2)

    assert life.next() is None
    assert life.delete(at=T0 + 5).next() == Step("remove", T0 + 5)


def test_a_deletion_that_is_seen_late_counts_from_its_mark() -> None:
    life = Life(termination_duration="9s").live().delete(at=T0 + 5).forget(now=T0 + 60)

    assert life.next() == Step("remove", T0 + 15, 143)


def test_a_pod_that_is_active_for_too_long_is_ended() -> None:
    life = with_spec(Life(run_duration="60s"), activeDeadlineSeconds=30).live()

    assert life.next() == Step("exceed", T0 + 30, 143)
