"""Ended pods are counted exactly once, and a Job ends in two steps."""

from __future__ import annotations

from typing import Any

from kubegang.controllers.job.status import Present, StatusChange, first_status, second_status
from kubegang.controllers.job.verdict import Verdict, completion, judge
from tests.unit.controllers.job.objects import NOW, count, indexed, job, pod

MOMENT = "2026-11-01T01:00:00Z"


def ending_of(subject: dict[str, Any], pods: list[dict[str, Any]]) -> Verdict | None:
    counts = count(subject, pods)
    early = judge(subject, counts, started=NOW, now=NOW)
    return early or completion(subject, counts, active=len(counts.active))


def present_of(subject: dict[str, Any], pods: list[dict[str, Any]]) -> Present:
    counts = count(subject, pods)
    return Present(
        active=len(counts.active), ready=counts.ready, terminating=counts.terminating, decided=True
    )


def first(subject: dict[str, Any], pods: list[dict[str, Any]]) -> StatusChange:
    counts = count(subject, pods)
    present = present_of(subject, pods)
    return first_status(subject, counts, present, ending=ending_of(subject, pods), now=NOW)


def second(
    subject: dict[str, Any], pods: list[dict[str, Any]], *, stuck: tuple[str, ...] = ()
) -> StatusChange:
    ending = ending_of(subject, pods)
    stored = {**subject, "status": first(subject, pods).status}
    return second_status(stored, present_of(subject, pods), holding=stuck, ending=ending, now=NOW)


def types(status: dict[str, Any]) -> list[str]:
    return [c["type"] for c in status.get("conditions", []) if c["status"] == "True"]


def names(change: StatusChange) -> list[str]:
    return [released["metadata"]["name"] for released in change.release]


def test_an_ended_pod_is_named_first_and_counted_when_it_is_let_go() -> None:
    pods = [pod("a", "Succeeded"), pod("b")]

    assert first(job(), pods).status["uncountedTerminatedPods"] == {"succeeded": ["a"]}
    assert "succeeded" not in first(job(), pods).status
    assert names(first(job(), pods)) == ["a"]
    assert second(job(), pods).status["succeeded"] == 1
    assert second(job(), pods).status["uncountedTerminatedPods"] == {}


def test_a_pod_that_could_not_be_let_go_stays_named() -> None:
    status = second(job(), [pod("a", "Succeeded"), pod("b")], stuck=("a",)).status

    assert status["uncountedTerminatedPods"] == {"succeeded": ["a"]}
    assert "succeeded" not in status


def test_what_a_crash_left_named_is_counted_by_the_next_sync() -> None:
    left = {"uncountedTerminatedPods": {"failed": ["gone", "freed", "held"]}, "failed": 1}
    pods = [pod("freed", "Failed", finalizer=False), pod("held", "Failed")]

    status = first(job(left), pods).status

    assert status["failed"] == 3
    assert status["uncountedTerminatedPods"] == {"failed": ["held"]}


def test_a_pod_is_not_named_twice() -> None:
    named = first(job(), [pod("a", "Failed")]).status

    assert first(job(named), [pod("a", "Failed")]).status == named


def test_a_pod_that_is_deleted_before_it_ends_counts_as_failed() -> None:
    status = first(job(), [pod("a", deleted=True)]).status

    assert status["uncountedTerminatedPods"] == {"failed": ["a"]}
    assert status["terminating"] == 1


def test_a_pod_that_must_end_first_is_held_until_then() -> None:
    change = first(job(podReplacementPolicy="Failed"), [pod("a", deleted=True)])

    assert change.release == ()
    assert change.status["uncountedTerminatedPods"] == {}


def test_ignored_failures_are_let_go_uncounted() -> None:
    rule = {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}}

    change = first(job(podFailurePolicy={"rules": [rule]}), [pod("a", "Failed", code=42)])

    assert names(change) == ["a"]
    assert change.status["uncountedTerminatedPods"] == {}


def test_a_job_completes_only_when_every_pod_is_counted() -> None:
    ended = [pod("a", "Succeeded"), pod("b", "Succeeded")]

    assert types(first(job(), ended).status) == ["SuccessCriteriaMet"]
    assert first(job(), ended).events == ()
    assert types(second(job(), ended, stuck=("a",)).status) == ["SuccessCriteriaMet"]

    end = second(job(), ended)
    assert types(end.status) == ["SuccessCriteriaMet", "Complete"]
    assert (end.status["succeeded"], end.status["completionTime"]) == (2, MOMENT)
    assert [event.reason for event in end.events] == ["Completed"]


def test_a_failing_job_counts_whatever_still_worked_as_failed() -> None:
    subject = job(backoffLimit=0, parallelism=3)
    pods = [pod("a", "Failed"), pod("b"), pod("c", "Succeeded")]

    change = first(subject, pods)

    assert names(change) == ["a", "b", "c"]
    assert change.status["uncountedTerminatedPods"] == {"succeeded": ["c"], "failed": ["a", "b"]}
    assert [event.reason for event in second(subject, pods).events] == ["BackoffLimitExceeded"]


def test_pods_that_are_no_longer_needed_are_let_go_uncounted() -> None:
    subject = indexed(successPolicy={"rules": [{"succeededCount": 1}]})

    change = first(subject, [pod("a", "Succeeded", index=0), pod("b", index=1)])

    assert names(change) == ["a", "b"]
    assert change.status["uncountedTerminatedPods"] == {}
    assert change.status["completedIndexes"] == "0"


def test_pods_that_a_succeeding_job_removes_have_not_failed() -> None:
    subject = indexed(successPolicy={"rules": [{"succeededCount": 1}]})
    reported = first(subject, [pod("a", "Succeeded", index=0), pod("b", index=1)]).status

    change = first({**subject, "status": reported}, [pod("b", index=1, deleted=True)])

    assert names(change) == ["b"]
    assert change.status["uncountedTerminatedPods"] == {}


def test_a_job_has_not_ended_while_pods_terminate() -> None:
    pods = [pod("a", "Succeeded"), pod("b", "Succeeded"), pod("c", deleted=True)]

    assert types(second(job(), pods).status) == ["SuccessCriteriaMet"]


def test_more_successes_than_asked_for_are_told() -> None:
    pods = [pod(name, "Succeeded") for name in "abc"]

    assert [event.reason for event in second(job(), pods).events] == [
        "TooManySucceededPods",
        "Completed",
    ]


def test_without_the_gate_a_suspended_job_keeps_its_start_time() -> None:
    started = job({"startTime": "2026-11-01T00:00:00Z"}, suspend=True)
    counts = count(started, [])
    change = first_status(
        started, counts, present_of(started, []), ending=None, now=NOW, forgets_start=False
    )
    assert types(change.status) == ["Suspended"]
    assert change.status["startTime"] == "2026-11-01T00:00:00Z"


def test_suspending_and_resuming_moves_the_start_time() -> None:
    suspended = first(job({"startTime": "2026-11-01T00:00:00Z"}, suspend=True), [])
    resumed = first(job(suspended.status, suspend=False), [])

    assert types(suspended.status) == ["Suspended"]
    assert "startTime" not in suspended.status
    assert [event.reason for event in suspended.events] == ["Suspended"]
    assert types(resumed.status) == []
    assert resumed.status["startTime"] == MOMENT
    assert [event.reason for event in resumed.events] == ["Resumed"]


def test_nothing_is_said_of_suspension_before_the_pods_were_decided_about() -> None:
    subject = job(suspend=True)
    counts = count(subject, [])
    unsure = Present(active=0, ready=0, terminating=0, decided=False)

    change = first_status(subject, counts, unsure, ending=None, now=NOW)

    assert "conditions" not in change.status


def test_succeeded_indexes_are_kept_in_compact_form() -> None:
    subject = indexed(completions=5, parallelism=5)
    pods = [pod(str(i), "Succeeded", index=i) for i in (0, 1, 2, 4)]

    status = first(subject, pods).status

    assert status["completedIndexes"] == "0-2,4"
    assert status["succeeded"] == 4
    assert status["uncountedTerminatedPods"] == {}


def test_only_so_many_pods_are_let_go_at_a_time() -> None:
    pods = [pod(str(i), "Succeeded") for i in range(501)]

    change = first(job(parallelism=501, completions=501), pods)

    assert len(change.release) == 500
