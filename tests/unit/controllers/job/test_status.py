"""Ended pods are counted exactly once, and a Job ends in two steps."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.times import parse_time

from kubegang.controllers.job.decide import judge
from kubegang.controllers.job.status import StatusChange, next_status
from kubegang.controllers.job.tally import tally
from tests.unit.controllers.job.objects import job, pod

NOW = parse_time("2026-11-01T01:00:00Z")


def look(subject: dict[str, Any], pods: list[dict[str, Any]]) -> StatusChange:
    counts = tally(subject, pods)
    verdict = judge(subject, counts, now=NOW)
    return next_status(subject, counts, active=len(counts.active), verdict=verdict, now=NOW)


def condition_types(status: dict[str, Any]) -> list[str]:
    return [c["type"] for c in status.get("conditions", []) if c["status"] == "True"]


def test_an_ended_pod_is_named_first_and_counted_when_it_is_released() -> None:
    first = look(job(), [pod("a", "Succeeded"), pod("b")]).status
    still_holding = look(job(first), [pod("a", "Succeeded"), pod("b")]).status
    released = look(job(first), [pod("a", "Succeeded", finalizer=False), pod("b")]).status

    assert first["uncountedTerminatedPods"] == {"succeeded": ["a"]}
    assert "succeeded" not in first
    assert still_holding == first
    assert released["uncountedTerminatedPods"] == {}
    assert released["succeeded"] == 1


def test_a_pod_that_is_deleted_before_it_ends_counts_as_failed() -> None:
    status = look(job(), [pod("a", deleted=True)]).status

    assert status["uncountedTerminatedPods"] == {"failed": ["a"]}
    assert status["terminating"] == 1


def test_a_job_completes_only_when_every_pod_is_counted() -> None:
    ended = [pod("a", "Succeeded"), pod("b", "Succeeded")]
    first = look(job(), ended)
    released = [pod("a", "Succeeded", finalizer=False), pod("b", "Succeeded", finalizer=False)]
    second = look(job(first.status), released)

    assert condition_types(first.status) == ["SuccessCriteriaMet"]
    assert first.events == ()
    assert condition_types(second.status) == ["SuccessCriteriaMet", "Complete"]
    assert second.status["succeeded"] == 2
    assert second.status["completionTime"] == "2026-11-01T01:00:00Z"
    assert [event.reason for event in second.events] == ["Completed"]


def test_suspending_and_resuming_moves_the_start_time() -> None:
    suspended = look(job({"startTime": "2026-11-01T00:00:00Z"}, suspend=True), [])
    resumed = look(job(suspended.status, suspend=False), [])

    assert condition_types(suspended.status) == ["Suspended"]
    assert "startTime" not in suspended.status
    assert condition_types(resumed.status) == []
    assert resumed.status["startTime"] == "2026-11-01T01:00:00Z"


def test_succeeded_indexes_are_kept_in_compact_form() -> None:
    subject = job(completionMode="Indexed", completions=5, parallelism=5)
    pods = [pod(str(i), "Succeeded", index=i) for i in (0, 1, 2, 4)]

    status = look(subject, pods).status

    assert status["completedIndexes"] == "0-2,4"
    assert status["succeeded"] == 4
