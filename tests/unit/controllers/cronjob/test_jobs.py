from __future__ import annotations

from typing import Any

from kubegang.apimachinery.times import parse_time
from kubegang.controllers.cronjob.jobs import job_for, job_name, surplus

MOMENT = parse_time("2026-05-06T07:10:00Z")


def cron_job(**spec: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "x"}, "annotations": {"note": "y"}}, "spec": {}}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly", "namespace": "ml", "uid": "u1"},
        "spec": {"jobTemplate": template, **spec},
    }


def ended(name: str, condition: str, started: str) -> dict[str, Any]:
    status = {"conditions": [{"type": condition, "status": "True"}]}
    if started:
        status["startTime"] = f"2026-05-06T{started}:00Z"  # type: ignore[assignment]
    return {"metadata": {"name": name}, "status": status}


def test_a_job_is_named_after_the_minute_it_was_made_for() -> None:
    assert job_name(cron_job(), MOMENT) == "nightly-29634190"


def test_a_job_says_which_time_it_was_made_for_in_the_zone_of_the_cron_job() -> None:
    job = job_for(cron_job(timeZone="Asia/Kolkata"), MOMENT)
    assert job["metadata"]["annotations"] == {
        "note": "y",
        "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-05-06T12:40:00+05:30",
    }
    assert job["metadata"]["labels"] == {"app": "x"}
    (owner,) = job["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["controller"]) == ("CronJob", True)

    utc = job_for(cron_job(), MOMENT)["metadata"]["annotations"]
    assert utc["batch.kubernetes.io/cronjob-scheduled-timestamp"] == "2026-05-06T07:10:00Z"


def test_beyond_the_limits_the_jobs_that_began_first_go() -> None:
    jobs = [
        ended("late", "Complete", "09:00"),
        ended("early", "Complete", "07:00"),
        ended("never-begun", "Complete", ""),
        ended("failed", "Failed", "06:00"),
        {"metadata": {"name": "running"}, "status": {}},
    ]
    limits = {"successfulJobsHistoryLimit": 1, "failedJobsHistoryLimit": 1}
    gone = surplus(cron_job(**limits), jobs)
    assert [job["metadata"]["name"] for job in gone] == ["early", "late"]
    assert surplus(cron_job(), jobs) == []
