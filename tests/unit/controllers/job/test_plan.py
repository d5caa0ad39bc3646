"""Which pods a Job gets, and which it loses."""

from __future__ import annotations

from typing import Any

from kubegang.controllers.job.backoff import Backoff
from kubegang.controllers.job.perindex import FAILURES
from kubegang.controllers.job.plan import PodPlan, plan_pods
from tests.unit.controllers.job.objects import NOW, count, indexed, job, pod, ready


def plan(
    subject: dict[str, Any], pods: list[dict[str, Any]], backoff: Backoff | None = None
) -> PodPlan:
    return plan_pods(subject, count(subject, pods), backoff=backoff or Backoff(), now=NOW)


def created(subject: dict[str, Any], pods: list[dict[str, Any]]) -> tuple[int | None, ...]:
    return plan(subject, pods).create


def deleted(subject: dict[str, Any], pods: list[dict[str, Any]]) -> list[str]:
    return [doomed["metadata"]["name"] for doomed in plan(subject, pods).delete]


def test_missing_pods_are_made_up_to_the_parallelism() -> None:
    assert created(job(parallelism=3, completions=5), [pod("a")]) == (None, None)


def test_no_more_pods_are_made_than_completions_are_missing() -> None:
    subject = job({"succeeded": 4}, parallelism=3, completions=5)

    assert created(subject, []) == (None,)


def test_without_completions_one_success_ends_the_making_of_pods() -> None:
    subject = job(parallelism=3, completions=None)

    assert created(subject, [pod("a", "Succeeded"), pod("b")]) == ()


def test_an_indexed_job_fills_the_lowest_free_indexes() -> None:
    subject = indexed({"completedIndexes": "0"}, parallelism=3, completions=6)

    assert created(subject, [pod("a", index=2)]) == (1, 3)


def test_of_two_pods_of_one_index_the_less_useful_goes() -> None:
    pods = [pod("running", index=0), pod("pending", "Pending", index=0, node="")]

    assert deleted(indexed(), pods) == ["pending"]


def test_pods_without_a_place_among_the_indexes_go() -> None:
    pods = [pod("zero", index=0), pod("nine", index=9), pod("none")]

    assert sorted(deleted(indexed(), pods)) == ["nine", "none"]


def test_pods_above_the_parallelism_go_cheapest_first() -> None:
    subject = job(parallelism=1, completions=9)
    cheapest_first = [
        pod("unassigned", "Pending", node=""),
        pod("pending", "Pending"),
        pod("unready"),
        pod("ready since now", conditions=[ready("2026-11-01T00:30:00Z")]),
        pod("restarted", conditions=[ready()], restarts=3),
        pod("steady", conditions=[ready()]),
    ]

    assert deleted(subject, cheapest_first[::-1]) == [
        p["metadata"]["name"] for p in cheapest_first[:-1]
    ]


def test_a_suspended_job_loses_all_active_pods() -> None:
    assert deleted(job(suspend=True), [pod("a"), pod("b"), pod("c", "Succeeded")]) == ["a", "b"]


def test_pods_are_not_made_before_the_backoff_is_over() -> None:
    waiting = plan(job(), [], Backoff(failures=1, last_failure=NOW - 4))

    assert (waiting.create, waiting.wait) == ((), 6)


def test_a_deleted_pod_is_replaced_at_once_or_only_when_it_has_ended() -> None:
    pods = [pod("a"), pod("b", deleted=True)]

    assert created(job(), pods) == (None,)
    assert created(job(podReplacementPolicy="Failed"), pods) == ()
    assert created(job(podFailurePolicy={"rules": []}), pods) == ()


def test_an_index_whose_pod_is_still_ending_is_not_free() -> None:
    subject = indexed(podReplacementPolicy="Failed", parallelism=2, completions=3)

    assert created(subject, [pod("a", index=0, deleted=True)]) == (1,)


def test_each_index_has_its_own_pause_after_a_failure() -> None:
    subject = indexed(backoffLimitPerIndex=3, parallelism=3, completions=3)
    old = pod("old", "Failed", index=0, ended="2026-11-01T00:59:00Z")
    fresh = pod("fresh", "Failed", index=1, ended="2026-11-01T00:59:55Z")
    second = pod(
        "second", "Failed", index=2, ended="2026-11-01T00:59:45Z", annotations={FAILURES: "1"}
    )

    assert plan(subject, [old, fresh, second]).create == (0,)
    assert plan(subject, [pod("new", index=0), fresh, second]) == PodPlan(wait=5)


def test_failed_indexes_are_not_tried_again() -> None:
    subject = indexed({"failedIndexes": "0"}, backoffLimitPerIndex=0, completions=3)

    assert created(subject, []) == (1, 2)
