"""Whether a Job has ended, and how."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.controllers.job.perindex import FAILURES
from kubegang.controllers.job.verdict import completion, judge
from tests.unit.controllers.job.objects import NOW, count, indexed, job, pod

ON_42 = {"onExitCodes": {"operator": "In", "values": [42]}}


def policy(action: str) -> dict[str, Any]:
    return {"rules": [{"action": action, **ON_42}]}


def on_failure(**spec: Any) -> dict[str, Any]:
    return job(template={"spec": {"restartPolicy": "OnFailure", "containers": []}}, **spec)


def reason(subject: dict[str, Any], pods: list[dict[str, Any]], started: float = NOW - 60) -> str:
    verdict = judge(subject, count(subject, pods), started=started, now=NOW)
    return verdict.reason if verdict is not None else ""


@pytest.mark.parametrize(
    ("subject", "pods", "want"),
    [
        pytest.param(job(), [pod("a")], "", id="still at work"),
        pytest.param(job(backoffLimit=1), [pod("a", "Failed")], "", id="one failure is allowed"),
        pytest.param(
            job(backoffLimit=0), [pod("a", "Failed")], "BackoffLimitExceeded", id="one too many"
        ),
        pytest.param(
            job({"failed": 6}), [pod("a", deleted=True)], "BackoffLimitExceeded", id="a lost pod"
        ),
        pytest.param(
            job({"failed": 6}, podReplacementPolicy="Failed"),
            [pod("a", deleted=True)],
            "",
            id="a lost pod that has not ended",
        ),
        pytest.param(job(activeDeadlineSeconds=61), [pod("a")], "", id="in time"),
        pytest.param(
            job(activeDeadlineSeconds=60), [pod("a")], "DeadlineExceeded", id="active too long"
        ),
        pytest.param(
            job(activeDeadlineSeconds=60, suspend=True), [], "", id="suspended has no deadline"
        ),
        pytest.param(
            on_failure(backoffLimit=2), [pod("a", restarts=1)], "", id="one restart is allowed"
        ),
        pytest.param(
            on_failure(backoffLimit=2),
            [pod("a", restarts=1), pod("b", restarts=1)],
            "BackoffLimitExceeded",
            id="restarts of all pods count",
        ),
        pytest.param(on_failure(backoffLimit=0), [pod("a")], "", id="no restart, no limit"),
        pytest.param(job(), [pod("a", restarts=99)], "", id="restarts count with OnFailure only"),
    ],
)
def test_a_job_fails_by_its_limits(
    subject: dict[str, Any], pods: list[dict[str, Any]], want: str
) -> None:
    assert reason(subject, pods) == want


@pytest.mark.parametrize(
    ("action", "limit", "want"),
    [
        pytest.param("FailJob", 6, "PodFailurePolicy", id="the job fails at once"),
        pytest.param("Ignore", 0, "", id="ignored failures do not count"),
        pytest.param("Count", 0, "BackoffLimitExceeded", id="counted ones do"),
    ],
)
def test_a_failure_policy_says_what_an_exit_code_means(action: str, limit: int, want: str) -> None:
    subject = job(podFailurePolicy=policy(action), backoffLimit=limit)

    assert reason(subject, [pod("a", "Failed", code=42)]) == want


def test_the_message_names_the_pod_the_code_and_the_rule() -> None:
    subject = job(podFailurePolicy=policy("FailJob"))

    verdict = judge(subject, count(subject, [pod("a", "Failed", code=42)]), started=None, now=NOW)

    assert verdict is not None
    assert verdict.message == (
        "Container c for pod ml/a failed with exit code 42 matching FailJob rule at index 0"
    )


@pytest.mark.parametrize(
    ("subject", "pods", "want"),
    [
        pytest.param(
            indexed(backoffLimitPerIndex=1), [pod("a", "Failed", index=0)], "", id="tried again"
        ),
        pytest.param(
            indexed(backoffLimitPerIndex=0, maxFailedIndexes=0),
            [pod("a", "Failed", index=0)],
            "MaxFailedIndexesExceeded",
            id="too many indexes failed",
        ),
        pytest.param(
            indexed({"completedIndexes": "1"}, backoffLimitPerIndex=1),
            [pod("a", "Failed", index=0, annotations={FAILURES: "1"})],
            "FailedIndexes",
            id="every index has ended, one badly",
        ),
        pytest.param(
            indexed(
                {"completedIndexes": "1"},
                backoffLimitPerIndex=5,
                podFailurePolicy=policy("FailIndex"),
            ),
            [pod("a", "Failed", index=0, code=42)],
            "FailedIndexes",
            id="a rule fails the index at once",
        ),
    ],
)
def test_indexes_fail_one_by_one(
    subject: dict[str, Any], pods: list[dict[str, Any]], want: str
) -> None:
    assert reason(subject, pods) == want


@pytest.mark.parametrize(
    ("rule", "want"),
    [
        pytest.param({"succeededCount": 2}, "SuccessPolicy", id="enough of any"),
        pytest.param({"succeededCount": 3}, "", id="too few"),
        pytest.param({"succeededIndexes": "0,2"}, "SuccessPolicy", id="all of some"),
        pytest.param({"succeededIndexes": "0-1"}, "", id="not all of some"),
        pytest.param(
            {"succeededIndexes": "0-1", "succeededCount": 1}, "SuccessPolicy", id="some of some"
        ),
    ],
)
def test_a_success_policy_ends_a_job_early(rule: dict[str, Any], want: str) -> None:
    subject = indexed(
        {"completedIndexes": "0"}, parallelism=4, completions=4, successPolicy={"rules": [rule]}
    )

    assert reason(subject, [pod("a", "Succeeded", index=2), pod("b", index=1)]) == want


def test_a_verdict_that_was_reported_stands() -> None:
    target = {"type": "FailureTarget", "status": "True", "reason": "Because", "message": "so"}
    subject = job({"conditions": [target], "succeeded": 2})

    assert reason(subject, []) == "Because"


@pytest.mark.parametrize(
    ("subject", "pods", "active", "want"),
    [
        pytest.param(job(), [pod("a", "Succeeded"), pod("b", "Succeeded")], 0, True, id="reached"),
        pytest.param(job(), [pod("a", "Succeeded"), pod("b")], 1, False, id="one is missing"),
        pytest.param(job({"succeeded": 2}), [pod("c")], 1, True, id="reached before the rest ends"),
        pytest.param(
            job(completions=None), [pod("a", "Succeeded"), pod("b")], 1, False, id="siblings end"
        ),
        pytest.param(job(completions=None), [pod("a", "Succeeded")], 0, True, id="one is enough"),
        pytest.param(job(completions=None), [], 0, False, id="none has succeeded"),
        pytest.param(job(completions=0), [], 0, True, id="nothing to do"),
    ],
)
def test_a_job_completes_when_enough_pods_succeeded(
    subject: dict[str, Any], pods: list[dict[str, Any]], active: int, *, want: bool
) -> None:
    assert (completion(subject, count(subject, pods), active=active) is not None) == want
