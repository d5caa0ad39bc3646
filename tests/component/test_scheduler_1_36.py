"""The scheduler as kube-scheduler 1.36 through the real API: groups gathered member by member."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kubegang.client.resources import PODS
from tests.component.schedulerharness import NS, Cluster, Scenario, run_scenario

FIRST = "0/1 placements are available, first placement status: pod group is unschedulable"


def played(*, gates: str = "") -> Callable[[Scenario], Callable[[], None]]:
    """Return what makes a scenario on 1.36 a test."""

    def decorate(scenario: Scenario) -> Callable[[], None]:
        test = partial(run_scenario, scenario, version="1.36", gates=gates)

        def named() -> None:
            test()

        named.__name__ = scenario.__name__
        return named

    return decorate


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
    """Create a gang that is stronger than what runs."""
    await cluster.add_group("g", size, priorityClassName="high")
    names = [f"m-{i}" for i in range(size)]
    await cluster.add_pods(*names, group="g", priorityClassName="high")
    return names


async def existing(cluster: Cluster) -> set[str]:
    """Return the pods that exist."""
    return {p["metadata"]["name"] for p in (await cluster.user.list(PODS, NS)).items}


@played()
async def test_a_gang_starts_together_and_its_group_says_so(cluster: Cluster) -> None:
    await cluster.add_nodes("n", cpu=3)
    await cluster.start()
    await cluster.add_group("g", 3)
    await cluster.add_pods("a", "b", group="g")
    await cluster.wait(2)
    assert await cluster.placements() == {}
    assert await cluster.condition("a") == {}, "nobody is told anything before the gang is whole"
    await cluster.add_pods("c", group="g")
    await cluster.wait_for(["a", "b", "c"], at_most=1)
    scheduled = {"status": "True", "reason": "Scheduled", "message": ""}
    assert await cluster.group_condition("g") == scheduled


@played()
async def test_a_gang_that_does_not_fit_waits_without_spinning(cluster: Cluster) -> None:
    await cluster.add_nodes("n", cpu=1)
    await cluster.start()
    await cluster.add_group("g", 2)
    await cluster.add_pods("a", "b", group="g")
    await cluster.wait(20)
    condition = await cluster.group_condition("g")
    assert condition["message"] == (f"{FIRST}, No preemption victims found for incoming preemptor")
    attempts = cluster.metric(
        "podgroup_schedule_attempts_total", profile="default-scheduler", result="unschedulable"
    )
    assert attempts is not None
    assert attempts <= 25, "one per backoff, and a few for what happened"


@played()
async def test_a_new_node_is_noticed_at_once(cluster: Cluster) -> None:
    await cluster.add_nodes("n", cpu=1)
    await cluster.start()
    await cluster.add_group("g", 2)
    await cluster.add_pods("a", "b", group="g")
    await cluster.wait(5.5)
    await cluster.add_nodes("late", cpu=1)
    assert await cluster.wait_for(["a", "b"], at_most=1) < 0.2


@played()
async def test_a_gang_takes_the_place_of_weaker_pods(cluster: Cluster) -> None:
    await prepare(cluster)
    members = await add_strong_gang(cluster, 2)
    await cluster.wait_for(members, at_most=3)
    assert await existing(cluster) == set(members)
    events = await cluster.events("Preempted")
    assert {(e["regarding"]["name"], e["related"]["name"]) for e in events} == {
        ("low-0", "g"),
        ("low-1", "g"),
    }
    assert {e["related"]["apiVersion"] for e in events} == {"scheduling.k8s.io/v1alpha2"}


@played()
async def test_nobody_is_evicted_twice_while_victims_terminate(cluster: Cluster) -> None:
    await prepare(cluster, grace=30)
    members = await add_strong_gang(cluster, 2)
    await cluster.wait(5)
    assert len(await cluster.events("Preempted")) == 2
    assert "nominatedNodeName" not in (await cluster.pod(members[0]))["status"]
    assert (await cluster.group_condition("g"))["message"] == FIRST
    for name in ("low-0", "low-1"):
        await cluster.delete_pod(name)
    await cluster.wait_for(members, at_most=2)


@played(gates="WorkloadAwarePreemption=false")
async def test_without_the_gate_members_preempt_for_themselves(cluster: Cluster) -> None:
    await prepare(cluster)
    members = await add_strong_gang(cluster, 2)
    await cluster.wait_for(members, at_most=4)
    events = await cluster.events("Preempted")
    assert {e["note"].split(" ")[2] for e in events} == {"pod"}
    assert not any("related" in e for e in events)


@played()
async def test_members_without_their_group_wait_for_it(cluster: Cluster) -> None:
    await cluster.add_nodes("n", cpu=2)
    scheduler = await cluster.start()
    await cluster.add_pods("a", "b", group="g")
    await cluster.wait(2)
    assert await cluster.placements() == {}
    await cluster.add_group("g", 2)
    await cluster.wait_for(["a", "b"], at_most=1)
    scheduler.queue.validate()


@played()
async def test_a_scheduler_that_was_killed_is_followed_by_one_that_knows_all(
    cluster: Cluster,
) -> None:
    await cluster.add_nodes("n", cpu=3)
    await cluster.start()
    await cluster.add_group("g", 2)
    await cluster.add_pods("a", "b", group="g")
    await cluster.wait_for(["a", "b"], at_most=1)
    await cluster.kill()
    await cluster.add_pods("late", group="g")
    await cluster.start(cluster.scheduler(client=cluster.new_client()))
    await cluster.wait_for(["late"], at_most=1)


@played()
async def test_the_own_profile_works_on_whole_groups(cluster: Cluster) -> None:
    await cluster.add_nodes("n", cpu=1)
    scheduler = await cluster.start()
    await cluster.add_group("g", 2)
    await cluster.add_pods("a", "b", group="g", schedulerName="kubegang")
    await cluster.wait(2)
    condition = await cluster.group_condition("g")
    assert condition["message"].startswith("needs 2 pods at once in the cluster; 1 finds room")
    await cluster.add_nodes("m", cpu=1)
    await cluster.wait_for(["a", "b"], at_most=2)
    scheduler.cache.validate()
