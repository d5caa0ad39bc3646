"""Gangs through the real API: all or nothing, and saying why."""

from __future__ import annotations

import random

import pytest

from tests.component.schedulerharness import Cluster, run_scenario, scheduler_test

MEMBERS = ["a", "b", "c", "d"]


@scheduler_test
async def test_a_gang_of_four_on_three_slots_waits_and_says_why(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", "n1", "n2")
    await cluster.start()
    await cluster.add_group("g", 4)
    await cluster.add_pods(*MEMBERS, group="g")
    await cluster.wait(0.5)

    assert await cluster.placements() == {}
    text = (
        "pod group is unschedulable, 0/1 placements are available, first placement status: "
        "minCount (4) cannot be satisfied: 3 scheduled, 0 remaining, pod group preemption: "
        "No preemption victims found for incoming preemptor"
    )
    assert await cluster.group_condition("g") == {
        "status": "False",
        "reason": "Unschedulable",
        "message": text,
    }
    assert await cluster.condition("a") == {
        "status": "False",
        "reason": "Unschedulable",
        "message": f"pod group is unschedulable, {text}",
        "observedGeneration": 1,
    }
    assert (await cluster.condition("d"))["message"] == (
        "0/3 nodes are available: 3 Insufficient cpu."
    )
    assert len(await cluster.events("FailedScheduling")) == 4


@scheduler_test
async def test_a_fourth_slot_lets_all_four_start_at_the_next_retry(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", "n1", "n2")
    await cluster.start()
    await cluster.add_group("g", 4)
    await cluster.add_pods(*MEMBERS, group="g")
    await cluster.wait(5.3)
    await cluster.add_nodes("n3")
    await cluster.wait_for(MEMBERS, at_most=2.05)

    assert sorted((await cluster.placements()).values()) == ["n0", "n1", "n2", "n3"]
    assert await cluster.group_condition("g") == {
        "status": "True",
        "reason": "Scheduled",
        "message": "",
    }
    await cluster.wait(0.1)
    notes = sorted(event["note"] for event in await cluster.events("Scheduled"))
    assert [note.partition(" to ")[0] for note in notes] == [
        f"Successfully assigned default/{name}" for name in MEMBERS
    ]


@pytest.mark.parametrize("first_seed", range(0, 200, 20))
def test_a_gang_is_never_bound_in_part_whatever_the_order_of_arrival(first_seed: int) -> None:
    """200 repeats: four members and their group come in any order, with any pauses."""
    for seed in range(first_seed, first_seed + 20):

        async def scenario(cluster: Cluster, seed: int = seed) -> None:
            chance = random.Random(seed)
            arrivals = [*MEMBERS, "group", "scheduler"]
            chance.shuffle(arrivals)
            await cluster.add_nodes("n0", "n1", "n2")
            for arrival in arrivals:
                if arrival == "scheduler":
                    await cluster.start()
                elif arrival == "group":
                    await cluster.add_group("g", 4)
                else:
                    await cluster.add_pods(arrival, group="g")
                if chance.random() < 0.5:
                    await cluster.wait(chance.random() * 2)
                assert await cluster.placements() == {}
            await cluster.wait(chance.random() * 4)
            assert await cluster.placements() == {}
            await cluster.add_nodes("n3")
            await cluster.wait_for(MEMBERS, at_most=2.05)

        run_scenario(scenario, seed=seed)


@scheduler_test
async def test_a_gang_that_waits_for_pods_says_nothing(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", cpu=8)
    await cluster.start()
    await cluster.add_group("g", 3)
    await cluster.add_pods("a", "b", group="g")
    await cluster.wait(20)
    assert await cluster.placements() == {}
    assert (await cluster.group_condition("g"), await cluster.condition("a")) == ({}, {})
    assert await cluster.events("FailedScheduling") == []


@scheduler_test
async def test_a_profile_that_speaks_says_what_a_held_gang_waits_for(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", cpu=8)
    await cluster.start()
    await cluster.add_group("g", 3)
    await cluster.add_pods("a", "b", group="g", schedulerName="kubegang")
    await cluster.wait(2)
    want = {"status": "False", "reason": "Waiting", "message": "waiting for 1 more pod (2 of 3)"}
    assert await cluster.group_condition("g") == want
    assert await cluster.condition("a") == {**want, "observedGeneration": 1}
    (event,) = await cluster.events("Waiting")
    assert (event["note"], event["regarding"]["kind"]) == (want["message"], "PodGroup")

    await cluster.add_pods("c", group="g", schedulerName="kubegang")
    await cluster.wait_for(["a", "b", "c"], at_most=0.5)
    assert (await cluster.group_condition("g"))["status"] == "True"


@scheduler_test
async def test_members_without_their_group_are_told_about_by_a_profile_that_speaks(
    cluster: Cluster,
) -> None:
    await cluster.start()
    await cluster.add_pods("a", group="g", schedulerName="kubegang")
    await cluster.wait(2)
    assert (await cluster.condition("a"))["message"] == "waiting for PodGroup g to be created"


@scheduler_test
async def test_leftovers_of_a_satisfied_gang_are_told_apart(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", cpu=2)
    await cluster.start()
    await cluster.add_group("g", 2)
    await cluster.add_pods("a", "b", "c", group="g")
    await cluster.wait_for(["a", "b"], at_most=0.5)
    await cluster.wait(3)
    assert (await cluster.group_condition("g"))["status"] == "True"
    assert (await cluster.condition("c"))["message"] == (
        "0/1 nodes are available: 1 Insufficient cpu."
    )


@scheduler_test
async def test_a_gang_whose_preemption_policy_differs_is_an_error(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", cpu=4)
    await cluster.add_priority_class("meek", 0, preemptionPolicy="Never")
    await cluster.start()
    await cluster.add_group("g", 1)
    await cluster.add_pods("a", group="g", priorityClassName="meek")
    await cluster.wait(0.5)
    text = (
        "all pods in a single pod group should have the same preemption policy as the pod "
        "group's preemption policy, got Never and PreemptLowerPriority"
    )
    want = {"status": "False", "reason": "SchedulerError", "message": text}
    assert await cluster.placements() == {}
    assert await cluster.group_condition("g") == want
    assert await cluster.condition("a") == {**want, "observedGeneration": 1}
