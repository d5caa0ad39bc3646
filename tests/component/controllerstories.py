"""For every controller, stories in which it writes: a new controller is one row more."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.app.controllers.claims import PROTECTION
from kubegang.app.controllers.everykind import GARBAGE, NAMESPACE
from kubegang.app.controllers.jobs import CRON_JOB, TTL
from kubegang.app.controllers.lifecycle import POD_GARBAGE
from kubegang.app.controllers.volumes import (
    CLAIM_PROTECTION,
    EPHEMERAL,
    VOLUME_PROTECTION,
    VOLUMES,
)
from kubegang.client.resources import (
    CONFIGMAPS,
    CRONJOBS,
    JOBS,
    NAMESPACES,
    NODES,
    PERSISTENTVOLUMECLAIMS,
    PERSISTENTVOLUMES,
    PODGROUPS,
    PODS,
    STORAGECLASSES,
)
from tests.component.identitystories import ROWS as IDENTITY_ROWS
from tests.component.jobobjects import NS, Users, bare_pod, config_map, job
from tests.component.storyrows import Row
from tests.component.taintstories import ROWS as TAINT_ROWS
from tests.component.volumeobjects import claim, local_volume, storage_class, using
from tests.component.workloadstories import ROWS as WORKLOAD_ROWS


async def cron_job_runs_twice(users: Users) -> None:
    await make_cron_job(users, successfulJobsHistoryLimit=1)
    for _ in range(2):
        await users.wait(60)
        for obj in (await users.api.list(JOBS, NS)).items:
            await complete(users, obj)
    await users.wait(20)
    await users.api.patch(CRONJOBS, "often", NS, patch={"spec": {"suspend": True}})


async def cron_job_replaces(users: Users) -> None:
    await make_cron_job(users, concurrencyPolicy="Replace")
    await users.wait(140)
    await users.api.patch(CRONJOBS, "often", NS, patch={"spec": {"suspend": True}})


async def make_cron_job(users: Users, **spec: Any) -> None:
    # Just after a minute, so that each story sees the same times.
    await users.wait(60 - users.cluster.clock.now() % 60 + 1)
    cron_job = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "often"},
        "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": job()["spec"]}, **spec},
    }
    await users.api.create(CRONJOBS, cron_job, NS)
    await users.wait(1)


async def complete(users: Users, obj: JsonObject) -> None:
    """Report a Job's success, as the Job controller does."""
    moment = format_time(users.cluster.clock.now())
    status = {
        "startTime": moment,
        "completionTime": moment,
        "succeeded": 1,
        "conditions": [
            {"type": kind, "status": "True", "lastTransitionTime": moment}
            for kind in ("SuccessCriteriaMet", "Complete")
        ],
    }
    if not obj.get("status", {}).get("completionTime"):
        name = obj["metadata"]["name"]
        await users.api.patch(JOBS, name, NS, patch={"status": status}, subresource="status")


async def job_is_cleaned_up(users: Users) -> None:
    await complete(users, await users.submit(job(ttlSecondsAfterFinished=5)))
    await users.wait(10)


async def family_goes(users: Users, policy: str) -> None:
    owner = await users.submit(config_map("owner"))
    child = await users.submit(config_map("child", owner))
    await users.submit(config_map("grandchild", child))
    await users.wait(2)
    await users.api.delete(CONFIGMAPS, "owner", NS, propagation_policy=policy)


async def family_goes_in_the_background(users: Users) -> None:
    await family_goes(users, "Background")


async def family_goes_first(users: Users) -> None:
    await family_goes(users, "Foreground")


async def family_stays(users: Users) -> None:
    await family_goes(users, "Orphan")


async def namespace_goes(users: Users) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gone"}}
    await users.api.create(NAMESPACES, namespace)
    for obj, resource in ((config_map("c"), CONFIGMAPS), (bare_pod("p"), PODS)):
        await users.api.create(resource, obj, "gone")
    await users.api.delete(NAMESPACES, "gone")


async def node_is_lost(users: Users) -> None:
    await users.make_node("n1")
    await users.submit(bare_pod("p", node="n1"))
    await users.submit(bare_pod("going", node="n1"))
    await users.api.delete(PODS, "going", NS)
    await users.wait(2)
    await users.api.delete(NODES, "n1")
    await users.wait(60)


async def group_outlives_its_pod(users: Users) -> None:
    group = {
        "apiVersion": PODGROUPS.api_version,
        "kind": "PodGroup",
        "metadata": {"name": "g"},
        "spec": {"schedulingPolicy": {"basic": {}}},
    }
    await users.api.create(PODGROUPS, group, NS)
    pod = bare_pod("p")
    pod["spec"]["schedulingGroup"] = {"podGroupName": "g"}
    await users.submit(pod)
    await users.wait(2)
    await users.api.delete(PODGROUPS, "g", NS)
    await users.wait(10)
    await users.end(pod, "Succeeded")


async def claim_comes_and_goes(users: Users) -> None:
    await make_volume(users)
    await users.api.create(PERSISTENTVOLUMECLAIMS, claim("c", storage_class="now"), NS)
    await users.wait(30)
    await users.submit(pod_with(*using("c")))
    await users.wait(5)
    await users.api.delete(PERSISTENTVOLUMECLAIMS, "c", NS)
    await users.wait(5)
    await users.api.delete(PODS, "p", NS)
    await users.wait(40)
    await users.api.delete(PERSISTENTVOLUMES, "v")


async def pod_brings_a_claim(users: Users) -> None:
    await make_volume(users)
    spec = claim("c", storage_class="now")["spec"]
    await users.submit(
        pod_with({"name": "own", "ephemeral": {"volumeClaimTemplate": {"spec": spec}}})
    )
    await users.wait(30)


async def make_volume(users: Users) -> None:
    kind = {**storage_class("now"), "volumeBindingMode": "Immediate"}
    await users.api.create(STORAGECLASSES, kind)
    await users.api.create(PERSISTENTVOLUMES, local_volume("v", "n1", storage_class="now"))


def pod_with(*volumes: JsonObject) -> JsonObject:
    pod = bare_pod("p")
    pod["spec"]["volumes"] = list(volumes)
    return pod


VOLUME_KINDS: tuple[Any, ...] = (PERSISTENTVOLUMES, PERSISTENTVOLUMECLAIMS, PODS)
ROWS: dict[str, Row] = {
    "a cron job runs twice": Row(cron_job_runs_twice, (CRON_JOB,), (CRONJOBS, JOBS)),
    "a cron job replaces its jobs": Row(cron_job_replaces, (CRON_JOB,), (CRONJOBS, JOBS)),
    "a job is cleaned up": Row(job_is_cleaned_up, (TTL, GARBAGE), (JOBS, PODS)),
    "dependents go after their owner": Row(
        family_goes_in_the_background, (GARBAGE,), (CONFIGMAPS,)
    ),
    "dependents go before their owner": Row(family_goes_first, (GARBAGE,), (CONFIGMAPS,)),
    "dependents stay without their owner": Row(family_stays, (GARBAGE,), (CONFIGMAPS,)),
    "a namespace goes": Row(namespace_goes, (NAMESPACE,), (NAMESPACES, CONFIGMAPS, PODS)),
    "pods of a lost node go": Row(node_is_lost, (POD_GARBAGE,), (NODES, PODS)),
    "a group outlives its pod": Row(group_outlives_its_pod, (PROTECTION,), (PODGROUPS, PODS)),
    "a claim comes and goes": Row(
        claim_comes_and_goes, (VOLUMES, CLAIM_PROTECTION, VOLUME_PROTECTION), VOLUME_KINDS
    ),
    "a pod brings a claim": Row(pod_brings_a_claim, (VOLUMES, EPHEMERAL), VOLUME_KINDS),
    **IDENTITY_ROWS,
    **TAINT_ROWS,
    **WORKLOAD_ROWS,
}
