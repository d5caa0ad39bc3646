"""Preemption through the real API: who goes, what they are told, and faults in between."""

from __future__ import annotations

from kubegang.apimachinery.errors import InternalError
from kubegang.client.resources import PODGROUPS, PODS
from tests.component.schedulerharness import NS, Cluster, pod_group, scheduler_test


async def prepare(cluster: Cluster, *, victims: int = 2, grace: int = 0) -> None:
    """Fill one node with weak pods."""
    await cluster.add_priority_class("low", 10)
    await cluster.add_priority_class("high", 100)
    await cluster.add_nodes("n", cpu=victims)
    await cluster.start()
    names = [f"low-{i}" for i in range(victims)]
    await cluster.add_pods(*names, priorityClassName="low", terminationGracePeriodSeconds=grace)
    await cluster.wait_for(names, at_most=1)


async def add_strong_gang(cluster: Cluster, size: int) -> list[str]:
    group = pod_group("g", size)
    group["spec"]["priorityClassName"] = "high"
    await cluster.user.create(PODGROUPS, group, NS)
    names = [f"m-{i}" for i in range(size)]
    await cluster.add_pods(*names, group="g", priorityClassName="high")
    return names


async def existing(cluster: Cluster) -> set[str]:
    return {p["metadata"]["name"] for p in (await cluster.user.list(PODS, NS)).items}


@scheduler_test
async def test_a_gang_takes_the_place_of_weaker_pods(cluster: Cluster) -> None:
    await prepare(cluster)
    members = await add_strong_gang(cluster, 2)
    await cluster.wait_for(members, at_most=3)
    assert await existing(cluster) == set(members)
    told = {
        (e["regarding"]["name"], e["related"]["name"]) for e in await cluster.events("Preempted")
    }
    assert told == {("low-0", "g"), ("low-1", "g")}
    assert cluster.metric("workload_preemption_attempts_total", result="Success") == 1
    assert cluster.metric("workload_preemption_victims_sum") == 2
    assert (
        cluster.metric(
            "preemption_execution_duration_seconds_count", preemptor="podgroup", result="success"
        )
        == 1
    )


@scheduler_test
async def test_the_promise_is_kept_until_the_victims_are_gone(cluster: Cluster) -> None:
    await prepare(cluster, grace=30)
    members = await add_strong_gang(cluster, 2)
    await cluster.wait(5)
    for name in members:
        assert (await cluster.pod(name))["status"]["nominatedNodeName"] == "n"
    condition = await cluster.group_condition("g")
    assert condition["message"].endswith("ongoing preemption on nominated nodes")
    # A weaker pod must not take what is promised, though half of it is free already.
    await cluster.delete_pod("low-0")
    await cluster.add_pods("between", priorityClassName="low")
    await cluster.wait(3)
    assert "between" not in await cluster.placements()
    await cluster.delete_pod("low-1")
    await cluster.wait_for(members, at_most=3)
    assert len(await cluster.events("Preempted")) == 2, "nobody was preempted twice"


@scheduler_test
async def test_a_pod_is_tried_again_when_its_victims_are_gone(cluster: Cluster) -> None:
    await prepare(cluster)
    await cluster.add_pods("strong", cpu="2", priorityClassName="high")
    await cluster.wait_for(["strong"], at_most=3)
    assert await existing(cluster) == {"strong"}
    assert cluster.metric("preemption_attempts_total") == 1
    assert cluster.metric("preemption_victims_sum") == 2


@scheduler_test
async def test_a_victim_that_cannot_be_told_is_told_in_the_next_attempt(cluster: Cluster) -> None:
    await prepare(cluster)
    cluster.client.fail(InternalError("broken"), method="DELETE", path="/pods/low-0", times=2)
    members = await add_strong_gang(cluster, 2)
    await cluster.wait_for(members, at_most=8)
    assert await existing(cluster) == set(members)


@scheduler_test
async def test_a_pod_whose_only_victim_cannot_be_told_does_not_rest_for_good(
    cluster: Cluster,
) -> None:
    await prepare(cluster, victims=1)
    cluster.client.fail(InternalError("broken"), method="PATCH", path="/pods/low-0/status")
    await cluster.add_pods("strong", priorityClassName="high")
    await cluster.wait_for(["strong"], at_most=3)


@scheduler_test
async def test_a_new_scheduler_goes_on_where_one_died_while_preempting(cluster: Cluster) -> None:
    await prepare(cluster, grace=30)
    cluster.lossy.let_through("/pods/low-0", times=2)
    cluster.lossy.let_through("/pods/low-1", times=0)
    members = await add_strong_gang(cluster, 2)
    await cluster.wait(1)
    await cluster.kill()
    await cluster.start(cluster.scheduler(client=cluster.new_client()))
    await cluster.wait(3)
    for name in ("low-0", "low-1"):
        if name in await existing(cluster):
            await cluster.delete_pod(name)
    await cluster.wait_for(members, at_most=5)


@scheduler_test
async def test_a_budget_sends_another_pod(cluster: Cluster) -> None:
    await prepare(cluster)
    await cluster.user.patch(
        PODS, "low-1", NS, patch={"metadata": {"labels": {"app": "web"}}}, patch_type="merge"
    )
    await cluster.add_budget("b", app="web")
    await cluster.wait(0.5)
    await cluster.add_pods("strong", priorityClassName="high")
    await cluster.wait_for(["strong"], at_most=3)
    # Without the budget the younger one would have gone.
    assert await existing(cluster) == {"low-1", "strong"}
