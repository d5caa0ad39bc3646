"""Several schedulers, one of which decides: who, when, and what the others see."""

from __future__ import annotations

import asyncio
import random

import pytest

from kubegang.api.config.types import LeaderElection
from kubegang.app.errors import BadInputError, ComponentFailedError
from kubegang.app.leading import Leadership, lead, lease_settings
from kubegang.client.resources import CORE_EVENTS, LEASES
from kubegang.client.testing import RecordingClient
from tests.component.schedulerharness import Cluster, scheduler_test

ELECTION = LeaderElection(resource_namespace="default")
LEASE = "kubegang-scheduler"


class Process:
    """What one process of ``kubegang scheduler`` does, without the process."""

    def __init__(self, cluster: Cluster, seed: int, *, delay_cache: bool = False) -> None:
        self.client: RecordingClient = cluster.new_client()
        self.stop = asyncio.Event()
        self.scheduler = cluster.scheduler(client=self.client)
        self.leadership = Leadership(
            self.client,
            ELECTION,
            scheduler_name="default-scheduler",
            clock=cluster.clock,
            rng=random.Random(seed),
        )
        self.task = asyncio.ensure_future(
            lead(self.scheduler, self.leadership, self.stop, delay_cache=delay_cache)
        )

    @property
    def leads(self) -> bool:
        return self.leadership.elector.is_leader

    def bindings(self) -> int:
        return len(self.client.sent(method="POST", path="/binding"))


async def holder(cluster: Cluster) -> str:
    lease = await cluster.user.get(LEASES, LEASE, "default")
    return str(lease["spec"].get("holderIdentity") or "")


@scheduler_test
async def test_a_stand_by_watches_and_decides_nothing(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", cpu=4)
    first = Process(cluster, 1)
    await cluster.wait(1)
    second = Process(cluster, 2)
    await cluster.wait(5)
    await cluster.add_pods("a", "b")
    await cluster.wait_for(["a", "b"], at_most=5)
    assert (first.leads, second.leads) == (True, False)
    assert second.scheduler.is_synced
    assert (first.bindings(), second.bindings()) == (2, 0)
    first.stop.set()
    second.stop.set()
    await asyncio.gather(first.task, second.task)


@scheduler_test
async def test_a_clean_end_hands_over_at_once(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", cpu=4)
    first = Process(cluster, 1)
    await cluster.wait(1)
    second = Process(cluster, 2)
    await cluster.wait(5)
    first.stop.set()
    await first.task
    assert await holder(cluster) == ""
    # Attempts come at most 2 s x 2.2 apart; the Lease alone would have lasted 15 s.
    await cluster.add_pods("a")
    assert await cluster.wait_for(["a"], at_most=4.5) <= 4.5
    assert second.leads
    assert second.bindings() == 1
    second.stop.set()
    await second.task


@scheduler_test
async def test_the_events_say_who_leads(cluster: Cluster) -> None:
    first = Process(cluster, 1)
    await cluster.wait(1)
    first.stop.set()
    await first.task
    events = (await cluster.user.list(CORE_EVENTS, "default")).items
    told = [(e["reason"], e["message"], e["involvedObject"]["kind"]) for e in events]
    identity = first.leadership.identity
    assert told == [
        ("LeaderElection", f"{identity} became leader", "Lease"),
        ("LeaderElection", f"{identity} stopped leading", "Lease"),
    ]


@scheduler_test
async def test_whoever_loses_the_lease_ends(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", cpu=4)
    process = Process(cluster, 1)
    await cluster.wait(1)
    lease = await cluster.user.get(LEASES, LEASE, "default")
    stolen = {**lease["spec"], "holderIdentity": "somebody"}
    await cluster.user.update(LEASES, {**lease, "spec": stolen})
    with pytest.raises(ComponentFailedError, match="Leaderelection lost"):
        await process.task
    await cluster.add_pods("a")
    await cluster.wait(5)
    assert await cluster.placements() == {}
    assert await holder(cluster) == "somebody", "what another holds is not given back"


@scheduler_test
async def test_a_stand_by_may_look_at_the_cluster_only_once_it_leads(cluster: Cluster) -> None:
    first = Process(cluster, 1)
    await cluster.wait(1)
    second = Process(cluster, 2, delay_cache=True)
    await cluster.wait(5)
    assert not second.scheduler.is_synced
    first.stop.set()
    await first.task
    await cluster.wait(5)
    assert second.scheduler.is_synced
    second.stop.set()
    await second.task


def test_times_with_which_no_election_works_are_refused() -> None:
    with pytest.raises(BadInputError, match="leaderElection: a Lease needs"):
        lease_settings(LeaderElection(renew_deadline="15s"))


def test_the_lease_of_kube_scheduler_is_left_alone() -> None:
    assert lease_settings(LeaderElection()).name == "kubegang-scheduler"
    assert lease_settings(LeaderElection(resource_name="mine")).name == "mine"
