"""Jobs from their creation to their end, against the API server, in virtual time."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.errors import (
    ConflictError,
    ForbiddenError,
    StatusCause,
    StatusDetails,
)
from kubegang.client.resources import JOBS, PODGROUPS, PODS, WORKLOADS
from tests.component.controllersharness import ControlledCluster, controllers_test
from tests.component.jobobjects import NS, Users, bare_pod, job

TRACKING = "batch.kubernetes.io/job-tracking"
CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
GANG: dict[str, Any] = {"schedulingPolicy": {"gang": {}}}


async def started(cluster: ControlledCluster, obj: dict[str, Any]) -> Users:
    """Start the controllers, submit a Job and give it time."""
    await cluster.start()
    users = Users(cluster)
    await users.submit(obj)
    await users.wait(3)
    return users


@controllers_test
async def test_a_job_makes_its_pods_and_completes_with_them(cluster: ControlledCluster) -> None:
    users = await started(cluster, job(parallelism=3, completions=3))
    assert len(await users.active()) == 3
    assert (await users.status())["active"] == 3

    for pod in await users.pods():
        await users.end(pod, "Succeeded")
    await users.wait(3)

    status = await users.status()
    assert await users.conditions() == ["SuccessCriteriaMet", "Complete"]
    assert (status["succeeded"], status["uncountedTerminatedPods"]) == (3, {})
    assert all(TRACKING not in p["metadata"].get("finalizers", []) for p in await users.pods())


@controllers_test
async def test_news_of_many_pods_are_taken_together(cluster: ControlledCluster) -> None:
    users = await started(cluster, job(parallelism=60, completions=60))
    before = len(cluster.client.sent(method="PUT", path="/jobs/train/status"))

    for pod in await users.pods():
        await users.end(pod, "Succeeded")
    await users.wait(5)

    written = len(cluster.client.sent(method="PUT", path="/jobs/train/status")) - before
    assert await users.conditions() == ["SuccessCriteriaMet", "Complete"]
    assert written == 2


@controllers_test
async def test_failed_pods_are_replaced_after_ever_longer_pauses(
    cluster: ControlledCluster,
) -> None:
    users = await started(cluster, job(backoffLimit=6))
    pauses = []
    for _ in range(3):
        (pod,) = await users.active()
        failed = cluster.clock.now()
        await users.end(pod, "Failed", code=1)
        while pod["metadata"]["name"] in [p["metadata"]["name"] for p in await users.active()]:
            await users.wait(0.1)
        while not await users.active():
            await users.wait(0.1)
        pauses.append(cluster.clock.now() - failed)

    # Moments are known to the second.
    assert [round(pause / 10) * 10 for pause in pauses] == [10, 20, 40]


@controllers_test
async def test_a_refused_pod_costs_one_attempt_at_a_time(cluster: ControlledCluster) -> None:
    refusal = ForbiddenError("no pods today")
    cluster.client.fail(refusal, method="POST", path="/pods", times=3)

    users = await started(cluster, job(parallelism=8, completions=8))
    # 1 at once, then one after 1 s, 2 s and 4 s at most.
    assert len(cluster.client.sent(method="POST", path="/pods")) <= 3
    await users.wait(6)

    assert len(await users.active()) == 8
    assert len(cluster.client.sent(method="POST", path="/pods")) == 3 + 8
    (event,) = await users.events("FailedCreate")
    assert event["message"] == "Error creating: no pods today"
    assert event["count"] == 3


@controllers_test
async def test_nothing_is_told_of_pods_that_a_going_namespace_refuses(
    cluster: ControlledCluster,
) -> None:
    cause = StatusCause(reason="NamespaceTerminating")
    refusal = ForbiddenError("going", details=StatusDetails(causes=(cause,)))
    cluster.client.fail(refusal, method="POST", path="/pods", times=99)

    users = await started(cluster, job())

    assert await users.events("FailedCreate") == []
    # Once, and once more when the status that was written comes back.
    assert len(cluster.client.sent(method="POST", path="/pods")) == 2


@controllers_test
async def test_a_conflict_does_not_count_a_pod_twice(cluster: ControlledCluster) -> None:
    users = await started(cluster, job(parallelism=2, completions=2, backoffLimit=0))
    first, second = await users.pods()
    cluster.client.fail(ConflictError("changed"), method="PUT", path="/status", times=2)

    await users.end(first, "Succeeded")
    await users.wait(10)
    assert (await users.status())["succeeded"] == 1

    await users.end(second, "Succeeded")
    await users.wait(5)
    assert (await users.status())["succeeded"] == 2


@controllers_test
async def test_a_job_that_is_active_for_too_long_fails_at_its_deadline(
    cluster: ControlledCluster,
) -> None:
    users = await started(cluster, job(activeDeadlineSeconds=30))
    await users.wait(25)
    assert await users.conditions() == []

    await users.wait(5)

    assert await users.conditions() == ["FailureTarget", "Failed"]
    (event,) = await users.events("DeadlineExceeded")
    assert event["message"] == "Job was active longer than specified deadline"


@controllers_test
async def test_suspending_takes_the_pods_away_and_keeps_the_group(
    cluster: ControlledCluster,
) -> None:
    users = await started(cluster, job(parallelism=2, completions=2, scheduling=GANG))
    groups = await users.groups()

    await users.api.patch(JOBS, "train", NS, patch={"spec": {"suspend": True}})
    await users.wait(3)
    assert await users.pods() == []
    assert await users.conditions() == ["Suspended"]
    assert "startTime" not in await users.status()

    await users.api.patch(JOBS, "train", NS, patch={"spec": {"suspend": False}})
    await users.wait(3)
    assert len(await users.active()) == 2
    assert [g["metadata"]["uid"] for g in await users.groups()] == [
        g["metadata"]["uid"] for g in groups
    ]
    assert (await users.status()).get("failed") is None


@controllers_test
async def test_a_group_follows_the_parallelism(cluster: ControlledCluster) -> None:
    users = await started(cluster, job(parallelism=2, completions=8, scheduling=GANG))

    await users.api.patch(JOBS, "train", NS, patch={"spec": {"parallelism": 5}})
    await users.wait(2)

    (workload,), (group,) = await users.workloads(), await users.groups()
    template = workload["spec"]["podGroupTemplates"][0]
    assert template["schedulingPolicy"] == {"gang": {"minCount": 5}}
    assert group["spec"]["schedulingPolicy"] == {"gang": {"minCount": 5}}
    assert {p["spec"]["schedulingGroup"]["podGroupName"] for p in await users.pods()} == {
        group["metadata"]["name"]
    }


@controllers_test
async def test_a_workload_that_a_user_made_for_a_job_is_not_the_jobs(
    cluster: ControlledCluster,
) -> None:
    users = Users(cluster)
    own = {
        "apiVersion": "scheduling.k8s.io/v1beta1",
        "kind": "Workload",
        "metadata": {"name": "mine"},
        "spec": {
            "controllerRef": {"apiGroup": "batch", "kind": "Job", "name": "train"},
            "podGroupTemplates": [{"name": "w", "schedulingPolicy": {"basic": {}}}],
        },
    }
    await users.api.create(WORKLOADS, own, NS)

    await started(cluster, job())

    assert len(await users.workloads()) == 2
    (group,) = await users.groups()
    assert group["spec"]["workloadRef"]["workloadName"] != "mine"


@controllers_test
async def test_a_name_that_makes_no_workload_makes_no_pods(cluster: ControlledCluster) -> None:
    users = await started(cluster, job("train.v2"))

    assert await users.pods() == []
    assert "startTime" not in await users.status("train.v2")
    (event,) = await users.events("FailedWorkloadCreate")
    assert event["type"] == "Warning"
    assert "must not contain dots" in event["message"]


@controllers_test
async def test_a_refused_pod_group_leaves_the_job_without_pods_until_it_is_there(
    cluster: ControlledCluster,
) -> None:
    cluster.client.fail(ForbiddenError("no"), method="POST", path="/podgroups", times=3)
    users = await started(cluster, job())
    assert await users.pods() == []

    await users.wait(7)

    assert len(await users.pods()) == 1
    assert len(await users.workloads()) == 1
    assert len(cluster.client.sent(method="POST", path="/workloads")) == 1


@controllers_test
async def test_a_pod_that_loses_its_label_is_let_go_and_comes_back_with_it(
    cluster: ControlledCluster,
) -> None:
    users = await started(cluster, job())
    (pod,) = await users.pods()
    name, value = pod["metadata"]["name"], pod["metadata"]["labels"][CONTROLLER_UID]

    await users.api.patch(PODS, name, NS, patch={"metadata": {"labels": {CONTROLLER_UID: None}}})
    await users.wait(3)
    freed = await users.api.get(PODS, name, NS)
    assert "ownerReferences" not in freed["metadata"]
    assert "finalizers" not in freed["metadata"]
    assert len(await users.active()) == 2

    await users.api.patch(PODS, name, NS, patch={"metadata": {"labels": {CONTROLLER_UID: value}}})
    await users.wait(3)
    # Adopted, and then one of the two is one too many.
    assert len(await users.active()) == 1


@controllers_test
async def test_a_manual_selector_adopts_whatever_it_selects(cluster: ControlledCluster) -> None:
    await cluster.start()
    users = Users(cluster)
    await users.submit(bare_pod("stray", labels={"my": "label"}))
    template = {
        "metadata": {"labels": {"my": "label"}},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]},
    }
    selector = {"matchLabels": {"my": "label"}}
    await users.submit(job(manualSelector=True, selector=selector, template=template))
    await users.wait(3)

    (pod,) = await users.active()
    assert pod["metadata"]["name"] == "stray"
    assert pod["metadata"]["ownerReferences"][0]["kind"] == "Job"
    assert pod["metadata"]["finalizers"] == [TRACKING]


@controllers_test
async def test_a_pod_that_is_adopted_and_given_up_at_once_has_not_failed(
    cluster: ControlledCluster,
) -> None:
    await cluster.start()
    users = Users(cluster)
    await users.submit(bare_pod("stray", labels={"my": "label"}))
    template = {
        "metadata": {"labels": {"my": "label"}},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]},
    }
    selector = {"matchLabels": {"my": "label"}}
    suspended = job(manualSelector=True, selector=selector, template=template, suspend=True)
    await users.submit(suspended)
    await users.wait(5)

    assert await users.pods() == []
    assert "failed" not in await users.status()


@controllers_test
async def test_a_job_of_another_controller_is_left_alone(cluster: ControlledCluster) -> None:
    users = await started(cluster, job(managedBy="example.com/other"))

    assert await users.pods() == []
    assert await users.status() == {}


@controllers_test
async def test_pods_of_a_job_that_went_while_nobody_looked_are_let_go(
    cluster: ControlledCluster,
) -> None:
    users = Users(cluster)
    owner = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": "gone",
        "uid": "a-uid",
        "controller": True,
    }
    await users.submit(bare_pod("left", finalizers=[TRACKING], ownerReferences=[owner]))

    await cluster.start()
    await users.wait(3)

    assert await users.pods() == []


@controllers_test
async def test_a_finished_job_goes_when_its_time_is_over(cluster: ControlledCluster) -> None:
    users = await started(cluster, job(ttlSecondsAfterFinished=60))
    (pod,) = await users.pods()
    await users.end(pod, "Succeeded")
    await users.wait(30)

    # Its user wants to keep it a little longer.
    await users.api.patch(JOBS, "train", NS, patch={"spec": {"ttlSecondsAfterFinished": 100}})
    await users.wait(60)
    assert await users.conditions() == ["SuccessCriteriaMet", "Complete"]

    await users.wait(20)
    assert (await users.api.list(JOBS, NS)).items == []
    assert await users.pods() == []


@controllers_test
async def test_many_similar_events_become_one(cluster: ControlledCluster) -> None:
    users = await started(cluster, job(parallelism=15, completions=15))

    events = await users.events("SuccessfulCreate")

    combined = [e for e in events if e["message"].startswith("(combined from similar events): ")]
    assert len(events) == 10
    assert [event["count"] for event in combined] == [6]


@controllers_test
async def test_a_group_stays_until_its_pods_have_ended(cluster: ControlledCluster) -> None:
    await cluster.start()
    users = Users(cluster)
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

    await users.api.delete(PODGROUPS, "g", NS)
    await users.wait(10)
    assert len(await users.groups()) == 1

    await users.end(pod, "Succeeded")
    await users.wait(1)
    assert await users.groups() == []
