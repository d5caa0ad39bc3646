"""CronJobs over the hours, against the API server, in virtual time."""

from __future__ import annotations

import copy
from typing import Any

from kubegang.apimachinery.errors import ForbiddenError
from kubegang.apimachinery.times import format_time
from kubegang.client.resources import CRONJOBS, JOBS
from tests.component.controllersharness import ControlledCluster, controllers_test
from tests.component.jobobjects import NS, Users, job

MINUTE = 60.0


def cron_job(schedule: str = "*/10 * * * *", **spec: Any) -> dict[str, Any]:
    template = {"spec": job(parallelism=1)["spec"]}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly"},
        "spec": {"schedule": schedule, "jobTemplate": template, **spec},
    }


async def begin(cluster: ControlledCluster, **spec: Any) -> Users:
    """Start the controllers and submit a CronJob just after a time of its schedule."""
    await cluster.start()
    users = Users(cluster)
    await users.wait(600 - cluster.clock.now() % 600 + 1)
    await users.api.create(CRONJOBS, cron_job(**spec), NS)
    await users.wait(1)
    return users


async def status(users: Users) -> dict[str, Any]:
    found: dict[str, Any] = (await users.api.get(CRONJOBS, "nightly", NS)).get("status") or {}
    return found


async def jobs(users: Users) -> list[dict[str, Any]]:
    return sorted(
        (await users.api.list(JOBS, NS)).items, key=lambda obj: str(obj["metadata"]["name"])
    )


async def finish(users: Users, phase: str = "Succeeded") -> None:
    """Have every pod end."""
    for pod in await users.active():
        await users.end(pod, phase, code=0 if phase == "Succeeded" else 1)
    await users.wait(5)


async def change(users: Users, **spec: Any) -> None:
    await users.api.patch(CRONJOBS, "nightly", NS, patch={"spec": spec})
    await users.wait(1)


@controllers_test
async def test_a_job_is_made_at_each_time_of_the_schedule(cluster: ControlledCluster) -> None:
    users = await begin(cluster)
    assert await jobs(users) == []

    await users.wait(10 * MINUTE)
    (first,) = await jobs(users)
    at = cluster.clock.now() // 600 * 600
    assert first["metadata"]["name"] == f"nightly-{int(at // 60)}"
    assert await status(users) == {
        "active": [
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "name": first["metadata"]["name"],
                "namespace": NS,
                "resourceVersion": (await status(users))["active"][0]["resourceVersion"],
                "uid": first["metadata"]["uid"],
            }
        ],
        "lastScheduleTime": format_time(at),
    }
    events = await users.events("SuccessfulCreate")
    (event,) = [event for event in events if event["involvedObject"]["kind"] == "CronJob"]
    assert event["message"] == f"Created job {first['metadata']['name']}"

    await users.wait(20 * MINUTE)
    assert len(await jobs(users)) == 3
    assert len((await status(users))["active"]) == 3


@controllers_test
async def test_an_ended_job_is_no_longer_active_and_the_success_is_noted(
    cluster: ControlledCluster,
) -> None:
    users = await begin(cluster)
    await users.wait(10 * MINUTE)
    await finish(users)

    found = await status(users)
    (job,) = await jobs(users)
    assert "active" not in found
    assert found["lastSuccessfulTime"] == job["status"]["completionTime"]
    (event,) = await users.events("SawCompletedJob")
    name = job["metadata"]["name"]
    assert event["message"] == f"Saw completed job: {name}, condition: Complete"


@controllers_test
async def test_ended_jobs_beyond_the_limits_are_deleted(cluster: ControlledCluster) -> None:
    users = await begin(cluster, successfulJobsHistoryLimit=1)
    for _ in range(3):
        await users.wait(10 * MINUTE)
        await finish(users)

    assert len(await jobs(users)) == 1
    events = await users.events("SuccessfulDelete")
    assert len([e for e in events if e["involvedObject"]["kind"] == "CronJob"]) == 2


@controllers_test
async def test_a_success_is_noted_even_if_its_job_goes_at_once(cluster: ControlledCluster) -> None:
    users = await begin(cluster, successfulJobsHistoryLimit=0)
    await users.wait(10 * MINUTE)
    await finish(users)

    assert await jobs(users) == []
    assert "lastSuccessfulTime" in await status(users)
    assert "active" not in await status(users)
    # Measured on 1.37.2: the Job is no longer known when it would be told that it completed.
    assert await users.events("SawCompletedJob") == []


@controllers_test
async def test_forbid_waits_for_the_job_that_runs(cluster: ControlledCluster) -> None:
    users = await begin(cluster, concurrencyPolicy="Forbid")
    await users.wait(25 * MINUTE)
    assert len(await jobs(users)) == 1
    assert await users.events("JobAlreadyActive")

    # The time that was skipped is made up for as soon as the Job has ended.
    await finish(users)
    assert len(await jobs(users)) == 2


@controllers_test
async def test_replace_deletes_the_job_that_runs(cluster: ControlledCluster) -> None:
    users = await begin(cluster, concurrencyPolicy="Replace")
    await users.wait(10 * MINUTE)
    (first,) = await jobs(users)

    await users.wait(10 * MINUTE)
    (second,) = await jobs(users)
    assert first["metadata"]["uid"] != second["metadata"]["uid"]
    assert [ref["name"] for ref in (await status(users))["active"]] == [second["metadata"]["name"]]


@controllers_test
async def test_a_suspended_cron_job_makes_up_for_the_last_time_when_it_goes_on(
    cluster: ControlledCluster,
) -> None:
    users = await begin(cluster, suspend=True)
    await users.wait(35 * MINUTE)
    assert await jobs(users) == []

    await change(users, suspend=False)
    (made,) = await jobs(users)
    assert made["metadata"]["name"] == f"nightly-{int(cluster.clock.now() // 600 * 10)}"


@controllers_test
async def test_beyond_the_deadline_nothing_is_made_up_for(cluster: ControlledCluster) -> None:
    users = await begin(cluster, suspend=True, startingDeadlineSeconds=30)
    await users.wait(35 * MINUTE)
    await change(users, suspend=False)
    assert await jobs(users) == []

    await users.wait(5 * MINUTE)
    assert len(await jobs(users)) == 1


@controllers_test
async def test_too_many_missed_times_are_told(cluster: ControlledCluster) -> None:
    users = await begin(cluster, schedule="* * * * *", suspend=True)
    await users.wait(120 * MINUTE)
    await change(users, suspend=False)
    assert len(await jobs(users)) == 1
    (event,) = await users.events("TooManyMissedTimes")
    assert event["message"] == (
        "too many missed start times. "
        "Set or decrease .spec.startingDeadlineSeconds or check clock skew"
    )


@controllers_test
async def test_a_new_schedule_begins_with_its_next_time(cluster: ControlledCluster) -> None:
    users = await begin(cluster, schedule="0 0 1 1 *")
    await users.wait(25 * MINUTE)
    await change(users, schedule="*/10 * * * *")
    assert await jobs(users) == []

    await users.wait(5 * MINUTE)
    assert len(await jobs(users)) == 1


@controllers_test
async def test_a_schedule_that_never_comes_is_told(cluster: ControlledCluster) -> None:
    users = await begin(cluster, schedule="0 0 31 2 *")
    (event,) = await users.events("InvalidSchedule")
    assert event["message"] == (
        "invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second"
    )


@controllers_test
async def test_a_job_that_was_deleted_is_missed(cluster: ControlledCluster) -> None:
    users = await begin(cluster)
    await users.wait(10 * MINUTE)
    (first,) = await jobs(users)
    name = first["metadata"]["name"]
    await users.api.delete(JOBS, name, NS, propagation_policy="Background")
    await users.wait(5)
    assert "active" not in await status(users)
    (event,) = await users.events("MissingJob")
    assert event["message"] == f"Active job went missing: {name}"


@controllers_test
async def test_a_job_of_a_stranger_is_reported_and_kept(cluster: ControlledCluster) -> None:
    users = await begin(cluster)
    owner = await users.api.get(CRONJOBS, "nightly", NS)
    mine = copy.deepcopy(job("mine", parallelism=1))
    mine["metadata"]["ownerReferences"] = [
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "name": "nightly",
            "uid": owner["metadata"]["uid"],
            "controller": True,
        }
    ]
    await users.submit(mine)
    await users.wait(2)
    assert await users.events("UnexpectedJob")
    assert [obj["metadata"]["name"] for obj in await jobs(users)] == ["mine"]


@controllers_test
async def test_a_job_that_is_refused_is_told_and_tried_again(cluster: ControlledCluster) -> None:
    users = await begin(cluster)
    cluster.client.fail(ForbiddenError("no more jobs"), method="POST", path="/jobs")
    await users.wait(10 * MINUTE)
    assert len(await jobs(users)) == 1
    (event,) = await users.events("FailedCreate")
    assert event["message"] == "Error creating job: no more jobs"
