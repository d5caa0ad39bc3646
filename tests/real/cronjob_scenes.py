"""What may happen to a CronJob that runs every minute, within four minutes."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from kubegang.apimachinery.objects import JsonObject

What = Literal["run", "succeed", "fail", "change", "delete-jobs", "stranger", "delete"]


class Act(msgspec.Struct, frozen=True):
    """Something that a user or a kubelet does.

    Attributes:
        at: so many seconds after the beginning of the minute in which the scene begins.
        what: what happens: to the pods, the CronJob or its Jobs.
        patch: of the CronJob's spec, for ``change``.
        policy: for ``delete``.
    """

    at: int
    what: What
    patch: JsonObject = {}
    policy: str = "Background"


class Scene(msgspec.Struct, frozen=True):
    """A CronJob and what happens to it.

    Attributes:
        by_chance: reasons of events that are not compared: in which order the news of a
            deleted Job and of the status without it come is a race.
    """

    name: str
    cron_job: JsonObject
    acts: tuple[Act, ...] = ()
    by_chance: tuple[str, ...] = ()


PODS: JsonObject = {
    "restartPolicy": "Never",
    "containers": [{"name": "c", "image": "registry.example/app:1"}],
}


def cron_job(
    *, template: JsonObject | None = None, job: JsonObject | None = None, **spec: Any
) -> JsonObject:
    """Return a CronJob that runs every minute.

    Args:
        template: metadata of the Jobs.
        job: more fields of their spec.
        spec: more fields of its own.
    """
    made = {"backoffLimit": 0, "template": {"spec": PODS}, **(job or {})}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "often"},
        "spec": {
            "schedule": "* * * * *",
            "jobTemplate": {"metadata": template or {}, "spec": made},
            **spec,
        },
    }


def every_minute(*whats: What, at: int = 20) -> tuple[Act, ...]:
    """Return acts, one a minute, from the first minute with a Job on."""
    return tuple(Act(60 * number + at, what) for number, what in enumerate(whats, 1))


GANG = {"parallelism": 2, "scheduling": {"schedulingPolicy": {"gang": {}}}}
SHAPED = {"parallelism": 2, "completions": 2, "completionMode": "Indexed"}

SCENES = (
    Scene("jobs-pile-up", cron_job(), every_minute("run")),
    Scene("jobs-succeed", cron_job(), every_minute("succeed", "succeed", "succeed")),
    Scene(
        "history",
        cron_job(successfulJobsHistoryLimit=1, failedJobsHistoryLimit=0),
        every_minute("succeed", "fail", "succeed"),
        by_chance=("MissingJob", "FailedDelete"),
    ),
    Scene(
        "no-history",
        cron_job(successfulJobsHistoryLimit=0, failedJobsHistoryLimit=1),
        every_minute("fail", "fail", "succeed"),
        by_chance=("MissingJob", "FailedDelete"),
    ),
    Scene("forbid", cron_job(concurrencyPolicy="Forbid"), (Act(140, "succeed"),)),
    Scene("replace", cron_job(concurrencyPolicy="Replace"), every_minute("run", "run")),
    Scene(
        "goes-on",
        cron_job(suspend=True),
        (Act(140, "change", {"suspend": False}), Act(160, "succeed")),
    ),
    Scene(
        "goes-on-too-late",
        cron_job(suspend=True, startingDeadlineSeconds=10),
        (Act(140, "change", {"suspend": False}),),
    ),
    Scene("stops", cron_job(), (Act(80, "change", {"suspend": True}), Act(140, "succeed"))),
    Scene(
        "other-zone",
        cron_job(
            timeZone="Asia/Kolkata",
            template={"labels": {"team": "a"}, "annotations": {"note": "x"}},
        ),
    ),
    Scene(
        "new-schedule",
        cron_job(schedule="0 0 1 1 *"),
        (Act(80, "change", {"schedule": "* * * * *"}),),
    ),
    Scene(
        "new-zone",
        cron_job(schedule="* 3 29 2 *"),
        (Act(80, "change", {"schedule": "* * * * *", "timeZone": "Europe/Berlin"}),),
    ),
    Scene("never", cron_job(schedule="0 0 31 2 *")),
    Scene("jobs-deleted", cron_job(), every_minute("delete-jobs", "delete-jobs")),
    Scene("stranger", cron_job(), (Act(20, "stranger"), Act(80, "succeed"))),
    Scene("stranger-too-many", cron_job(concurrencyPolicy="Forbid"), (Act(20, "stranger"),)),
    Scene("gang", cron_job(job=GANG), every_minute("succeed")),
    Scene("shaped-gang", cron_job(job=SHAPED), every_minute("succeed")),
    Scene(
        "jobs-vanish",
        cron_job(job={"ttlSecondsAfterFinished": 5}),
        every_minute("succeed", "fail"),
    ),
    Scene(
        "new-template",
        cron_job(),
        (Act(80, "change", {"jobTemplate": {"spec": {"parallelism": 2}}}),),
    ),
    Scene(
        "pods-refused",
        cron_job(job={"template": {"spec": {**PODS, "priorityClassName": "no-such"}}}),
    ),
    Scene("deleted", cron_job(), (Act(80, "delete"),)),
    Scene("deleted-without-jobs", cron_job(), (Act(80, "delete", policy="Orphan"),)),
)
