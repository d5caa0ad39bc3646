"""Which pods a Job gets or loses, and when it has ended."""

from __future__ import annotations

from typing import Any

import pytest
from kubegang.apimachinery.times import parse_time

from kubegang.controllers.job.decide import Backoff, judge, next_backoff, plan_pods
from kubegang.controllers.job.tally import tally
from tests.unit.controllers.job.objects import job, pod

NOW = parse_time("2026-11-01T01:00:00Z")


def created(subject: dict[str, Any], pods: list[dict[str, Any]]) -> tuple[int | None, ...]:
    return plan_pods(subject, tally(subject, pods), backoff=Backoff(), now=NOW).create


def deleted(subject: dict[str, Any], pods: list[dict[str, Any]]) -> list[str]:
    plan = plan_pods(subject, tally(subject, pods), backoff=Backoff(), now=NOW)
    return [doomed["metadata"]["name"] for doomed in plan.delete]


def test_missing_pods_are_made_up_to_the_parallelism() -> None:
    assert created(job(parallelism=3, completions=5), [pod("a")]) == (None, None)


def test_no_more_pods_are_made_than_completions_are_missing() -> None:
    subject = job({"succeeded": 4}, parallelism=3, completions=5)

    assert created(subject, []) == (None,)


def test_without_completions_one_success_ends_the_making_of_pods() -> None:
    subject = job(parallelism=3, completions=None)

    assert created(subject, [pod("a", "Succeeded"), pod("b")]) == ()


def test_an_indexed_job_fills_the_lowest_free_indexes() -> None:
    subject = job({"completedIndexes": "0"}, completionMode="Indexed", parallelism=3, completions=6)

    assert created(subject, [pod("a", index=2)]) == (1, 3)


def test_of_two_pods_of_one_index_the_less_useful_goes() -> None:
    subject = job(completionMode="Indexed", parallelism=2, completions=2)
    pods = [pod("running", index=0), pod("pending", "Pending", index=0, node="")]

    assert deleted(subject, pods) == ["pending"]


def test_pods_above_the_parallelism_go_pending_ones_first() -> None:
    subject = job(parallelism=1, completions=5)

    assert deleted(subject, [pod("running"), pod("pending", "Pending", node="")]) == ["pending"]


def test_a_suspended_job_loses_all_active_pods() -> None:
    assert deleted(job(suspend=True), [pod("a"), pod("b"), pod("c", "Succeeded")]) == ["a", "b"]


def test_a_failed_pod_is_replaced_only_after_the_backoff() -> None:
    subject = job()
    counts = tally(subject, [pod("a", "Failed", ended="2026-11-01T00:59:55Z")])
    backoff = next_backoff(Backoff(), counts, now=NOW)

    plan = plan_pods(subject, counts, backoff=backoff, now=NOW)

    assert plan.create == ()
    assert plan.retry_at == NOW + 5


def test_the_backoff_doubles_and_a_success_ends_it() -> None:
    twice = Backoff(failures=2, last_failure=NOW)
    success = tally(job(), [pod("a", "Succeeded", ended="2026-11-01T01:00:00Z")])

    assert twice.ready_at() == NOW + 20
    assert Backoff(failures=20, last_failure=NOW).ready_at() == NOW + 600
    assert next_backoff(twice, success, now=NOW).ready_at() == 0


@pytest.mark.parametrize(
    ("subject", "pods", "want"),
    [
        pytest.param(job(), [pod("a")], None, id="still running"),
        pytest.param(
            job(),
            [pod("a", "Succeeded"), pod("b", "Succeeded")],
            ("Complete", "CompletionsReached"),
            id="all completions reached",
        ),
        pytest.param(
            job(backoffLimit=0),
            [pod("a", "Failed")],
            ("Failed", "BackoffLimitExceeded"),
            id="one failure too many",
        ),
        pytest.param(job(backoffLimit=1), [pod("a", "Failed")], None, id="a failure is allowed"),
        pytest.param(
            job({"startTime": "2026-11-01T00:00:00Z"}, activeDeadlineSeconds=60),
            [pod("a")],
            ("Failed", "DeadlineExceeded"),
            id="active for too long",
        ),
        pytest.param(
            job(completions=None), [pod("a", "Succeeded"), pod("b")], None, id="siblings finish"
        ),
        pytest.param(
            job(completions=None),
            [pod("a", "Succeeded")],
            ("Complete", "CompletionsReached"),
            id="one success is enough without completions",
        ),
    ],
)
def test_a_job_ends_by_its_rules(
    subject: dict[str, Any], pods: list[dict[str, Any]], want: tuple[str, str] | None
) -> None:
    verdict = judge(subject, tally(subject, pods), now=NOW)

    assert (verdict and (verdict.final, verdict.reason)) == want
