"""One leader at a time, whatever fails."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine
from typing import Any

import pytest

from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.api import ApiClient
from kubegang.client.leaderelection import LeaderElector, LeaseSettings
from tests.unit.client.lease_server import LeaseServer

SETTINGS = LeaseSettings(name="kube-scheduler", namespace="kube-system")


class Election:
    """Electors over one server, and who worked when."""

    def __init__(self) -> None:
        self.clock = VirtualClock(0)
        self.server = LeaseServer()
        self.working: set[str] = set()
        self.most_at_once = 0
        self.log: list[tuple[float, str, str]] = []

    def elector(self, identity: str) -> LeaderElector:
        return LeaderElector(
            ApiClient(self.server, user_agent="test"),
            SETTINGS,
            identity=identity,
            clock=self.clock,
            rng=random.Random(identity),
        )

    def stand(self, identity: str, seconds: float = 10**6) -> asyncio.Task[bool]:
        """Stand for election, and work for some time once elected."""

        async def work() -> None:
            self.working.add(identity)
            self.most_at_once = max(self.most_at_once, len(self.working))
            self.log.append((self.clock.now(), identity, "starts"))
            try:
                await self.clock.sleep(seconds)
            finally:
                self.working.discard(identity)
                self.log.append((self.clock.now(), identity, "ends"))

        return asyncio.ensure_future(self.elector(identity).run(work))


def run(story: Coroutine[Any, Any, None]) -> None:
    run_virtual(story)


async def stop(*tasks: asyncio.Task[bool]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_the_first_takes_the_lease_and_says_so_in_it() -> None:
    async def story() -> None:
        election = Election()
        task = election.stand("a")
        await election.clock.sleep(5)

        assert election.log == [(0, "a", "starts")]
        assert election.server.spec == {
            "holderIdentity": "a",
            "leaseDurationSeconds": 15,
            "acquireTime": "1970-01-01T00:00:00.000000Z",
            "renewTime": "1970-01-01T00:00:04.000000Z",
            "leaseTransitions": 0,
        }
        await stop(task)

    run(story())


def test_a_second_waits_and_follows_at_once_when_the_first_ends() -> None:
    async def story() -> None:
        election = Election()
        first, second = election.stand("a", seconds=100), election.stand("b")
        assert await first
        released = election.server.spec
        assert "holderIdentity" not in released
        assert released["leaseDurationSeconds"] == 1
        await election.clock.sleep(5)

        assert [entry[1:] for entry in election.log] == [
            ("a", "starts"),
            ("a", "ends"),
            ("b", "starts"),
        ]
        assert election.log[-1][0] < 105
        assert election.server.spec["leaseTransitions"] == 1
        await stop(second)

    run(story())


def test_a_leader_that_is_cancelled_gives_the_lease_back() -> None:
    async def story() -> None:
        election = Election()
        task = election.stand("a")
        await election.clock.sleep(5)
        await stop(task)

        assert election.working == set()
        assert "holderIdentity" not in election.server.spec

    run(story())


def test_work_that_fails_gives_the_lease_back_and_is_heard_of() -> None:
    async def story() -> None:
        election = Election()

        async def fail() -> None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await election.elector("a").run(fail)
        assert "holderIdentity" not in election.server.spec

    run(story())


def test_a_leader_that_dies_is_followed_after_the_lease_time_only() -> None:
    async def story() -> None:
        election = Election()
        dead = election.stand("a")
        second = election.stand("b")
        await election.clock.sleep(3)
        # Killed: it has no way to give the Lease back.
        election.server.away = True
        await stop(dead)
        election.server.away = False
        election.log.clear()
        await election.clock.sleep(60)

        ((elected, who, _),) = election.log
        assert who == "b"
        # The last renewal was at 2; attempts are up to 4.4 seconds apart.
        assert 17 <= elected < 17 + 2 * 4.4
        await stop(second)

    run(story())


def test_a_leader_that_cannot_renew_stops_before_others_may_start() -> None:
    async def story() -> None:
        election = Election()
        first = election.stand("a")
        second = election.stand("b")
        await election.clock.sleep(5)
        # The network of the first breaks; the others still reach the server.
        election.server.away = True
        await election.clock.sleep(11)
        assert await first is False
        assert election.working == set()
        election.server.away = False
        await election.clock.sleep(30)

        assert election.working == {"b"}
        assert election.most_at_once == 1
        await stop(second)

    run(story())


def test_a_leader_that_sees_another_holder_stops_at_once() -> None:
    async def story() -> None:
        election = Election()
        task = election.stand("a")
        await election.clock.sleep(5)
        election.server.spec["holderIdentity"] = "b"

        assert await task is False
        assert election.clock.now() <= 8
        assert election.server.spec["holderIdentity"] == "b"

    run(story())


@pytest.mark.parametrize("set_forward", [-3600.0, 3600.0], ids=["back", "forward"])
def test_setting_the_clock_costs_nobody_the_lease(set_forward: float) -> None:
    async def story() -> None:
        election = Election()
        leader, other = election.stand("a"), election.stand("b")
        await election.clock.sleep(20)
        election.clock.set_forward = set_forward
        await election.clock.sleep(60)

        assert [entry[1:] for entry in election.log] == [("a", "starts")]
        assert election.server.spec["holderIdentity"] == "a"
        election.server.away = True
        await election.clock.sleep(11)
        # Time is up when it is, not an hour later or earlier.
        assert [entry[1:] for entry in election.log] == [("a", "starts"), ("a", "ends")]
        election.server.away = False
        await election.clock.sleep(30)
        assert election.working == {"b"}
        assert election.most_at_once == 1
        await stop(leader, other)

    run(story())


def test_of_many_that_stand_at_once_one_leads_at_a_time() -> None:
    async def story() -> None:
        election = Election()
        tasks = [election.stand(name, seconds=30) for name in "abcdef"]
        await asyncio.gather(*tasks)

        assert election.most_at_once == 1
        assert len([entry for entry in election.log if entry[2] == "starts"]) == 6

    run(story())


def test_fields_that_we_do_not_know_stay() -> None:
    async def story() -> None:
        election = Election()
        election.server.lease = {
            "metadata": {
                "name": "kube-scheduler",
                "namespace": "kube-system",
                "resourceVersion": "0",
                "labels": {"x": "y"},
            },
            "spec": {"strategy": "OldestEmulationVersion", "leaseTransitions": 4},
        }
        task = election.stand("a")
        await election.clock.sleep(5)

        assert election.server.spec["strategy"] == "OldestEmulationVersion"
        assert election.server.spec["leaseTransitions"] == 5
        assert election.server.lease["metadata"]["labels"] == {"x": "y"}
        await stop(task)

    run(story())


@pytest.mark.parametrize(
    "times",
    [
        {"lease_seconds": 10, "renew_seconds": 10},
        {"renew_seconds": 2, "retry_seconds": 2},
        {"retry_seconds": 0},
    ],
)
def test_times_that_cannot_work_are_refused(times: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="lease duration > renew deadline"):
        LeaseSettings(name="n", namespace="ns", **times)
