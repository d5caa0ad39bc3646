"""What a simulated kubelet does next, and the statuses it reports."""

from __future__ import annotations

from typing import Any

import pytest
from kubegang.apimachinery.times import format_time, parse_time

from kubegang.nodesim.stages import AnnotationError, Step, next_step, parse_duration
from kubegang.nodesim.status import pod_status_after

T0 = parse_time("2026-11-01T00:00:00Z")


def pod(policy: str = "Never", **annotations: str) -> dict[str, Any]:
    return {
        "metadata": {
            "name": "p",
            "uid": "u",
            "annotations": {
                f"kubegang.dev/{k.replace('_', '-')}": v for k, v in annotations.items()
            },
        },
        "spec": {
            "nodeName": "n1",
            "restartPolicy": policy,
            "containers": [{"name": "c", "image": "i"}],
        },
        "status": {
            "phase": "Pending",
            "conditions": [{"type": "PodScheduled", "status": "True"}],
        },
    }


def after(subject: dict[str, Any], *steps: Step) -> dict[str, Any]:
    for step in steps:
        status = pod_status_after(subject, step, pod_ip="10.0.0.1", now=step.at)
        subject = {**subject, "status": status}
    return subject


def test_a_bound_pod_starts_at_once_and_runs_for_good() -> None:
    assert next_step(pod(), bound_at=T0) == Step("start", T0)
    assert next_step(after(pod(), Step("start", T0)), bound_at=T0) is None


def test_a_running_pod_is_ready_and_keeps_the_schedulers_condition() -> None:
    status = after(pod(), Step("start", T0))["status"]

    assert status["phase"] == "Running"
    assert {c["type"]: c["status"] for c in status["conditions"]} == {
        "PodScheduled": "True",
        "PodReadyToStartContainers": "True",
        "Initialized": "True",
        "Ready": "True",
        "ContainersReady": "True",
    }
    assert status["containerStatuses"][0]["ready"] is True


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
def test_annotations_say_how_a_pod_ends(annotations: dict[str, str], want: Step) -> None:
    running = after(pod(**annotations), Step("start", T0))

    assert next_step(running, bound_at=T0) == want


def test_the_phase_follows_the_exit_code() -> None:
    start = Step("start", T0)

    succeeded = after(pod(), start, Step("finish", T0 + 1, 0))["status"]
    failed = after(pod(), start, Step("finish", T0 + 1, 2))["status"]

    assert (succeeded["phase"], failed["phase"]) == ("Succeeded", "Failed")
    assert failed["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 2


def test_a_failing_container_is_restarted_with_growing_delays() -> None:
    crashing = pod("OnFailure", fail_after="5s")
    first = after(crashing, Step("start", T0))
    step = next_step(first, bound_at=T0)
    assert step == Step("wait-for-restart", T0 + 5, 1)

    waiting = after(first, step)
    again = next_step(waiting, bound_at=T0)
    assert again == Step("restart", T0 + 15)

    restarted = after(waiting, again)
    assert restarted["status"]["containerStatuses"][0]["restartCount"] == 1
    crashed_again = after(restarted, Step("wait-for-restart", T0 + 20, 1))
    assert next_step(crashed_again, bound_at=T0) == Step("restart", T0 + 40)


def test_a_deleted_pod_is_removed_at_once_or_when_its_grace_ends() -> None:
    def deleted(**annotations: str) -> dict[str, Any]:
        subject = after(pod(**annotations), Step("start", T0))
        mark = {"deletionTimestamp": format_time(T0 + 40), "deletionGracePeriodSeconds": 30}
        return {**subject, "metadata": {**subject["metadata"], **mark}}

    assert next_step(deleted(), bound_at=T0) == Step("remove", T0 + 10)
    assert next_step(deleted(termination_duration="5s"), bound_at=T0) == Step("remove", T0 + 15)
    assert next_step(deleted(termination_duration="1h"), bound_at=T0) == Step("remove", T0 + 40)


@pytest.mark.parametrize("text", ["", "5", "abc", "5s3", "-5s"])
def test_durations_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(AnnotationError, match="90s or 1h30m"):
        parse_duration(text)


def test_durations_may_have_several_parts() -> None:
    assert parse_duration("1h30m5.5s") == 5405.5
