"""Schedule only while we hold the Lease; give it back at a clean end.

As kube-scheduler: the cluster is watched before, so that a stand-by decides at once when its
turn comes (unless ``delayCacheUntilActive``); a holder that loses the Lease ends, whoever
started it starts it again. Calls that were begun are finished before the Lease is given back.
"""

from __future__ import annotations

import asyncio
import random
import socket
import uuid
from typing import Any

from kubegang.api.config.durations import duration_seconds
from kubegang.api.config.types import LeaderElection
from kubegang.apimachinery.errors import ApiError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.app.errors import BadInputError, ComponentFailedError
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.leaderelection import LeaderElector, LeaseSettings
from kubegang.client.resources import CORE_EVENTS
from kubegang.scheduler.scheduler import Scheduler

OWN_LEASE = "kubegang-scheduler"
UPSTREAM_LEASE = "kube-scheduler"

_log = logger(__name__)


class Leadership:
    """One process's part in an election, and the events about it."""

    def __init__(
        self,
        client: Client,
        election: LeaderElection,
        *,
        scheduler_name: str,
        clock: Clock,
        rng: random.Random,
    ) -> None:
        """Take the times and the name of the Lease from a configuration.

        Args:
            client: the API.
            election: the configuration.
            scheduler_name: who tells: the first profile's name, as upstream.
            clock: the time.
            rng: spreads the attempts of several.

        Raises:
            BadInputError: with these times no election works.
        """
        self._client = client
        self._clock = clock
        self._scheduler_name = scheduler_name
        # As upstream's: two processes on one machine must differ.
        self.identity = f"{socket.gethostname()}_{uuid.uuid4()}"
        self._telling: set[asyncio.Task[None]] = set()
        self.elector = LeaderElector(
            client,
            lease_settings(election),
            identity=self.identity,
            clock=clock,
            rng=rng,
            tell=self._tell,
        )

    async def finish(self) -> None:
        """Wait for the events that are being written."""
        await asyncio.gather(*self._telling)

    def _tell(self, change: str, lease: JsonObject) -> None:
        if lease:
            event = leader_event(
                lease,
                message=f"{self.identity} {change}",
                component=self._scheduler_name,
                now=self._clock.now(),
            )
            task = asyncio.ensure_future(self._write(event))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

    async def _write(self, event: JsonObject) -> None:
        try:
            await self._client.create(CORE_EVENTS, event, event["metadata"]["namespace"])
        except (ApiError, UnreachableError) as error:
            _log.info("event about the leader not written", error=str(error))


def lease_settings(election: LeaderElection) -> LeaseSettings:
    """Return the Lease and its times as a configuration has them.

    Raises:
        BadInputError: with these times no election works.
    """
    name = election.resource_name
    try:
        return LeaseSettings(
            # The upstream scheduler's Lease is its own: we may run beside it.
            name=OWN_LEASE if name == UPSTREAM_LEASE else name,
            namespace=election.resource_namespace,
            lease_seconds=duration_seconds(election.lease_duration),
            renew_seconds=duration_seconds(election.renew_deadline),
            retry_seconds=duration_seconds(election.retry_period),
        )
    except ValueError as error:
        raise BadInputError(f"leaderElection: {error}") from error


def leader_event(lease: JsonObject, *, message: str, component: str, now: float) -> JsonObject:
    """Return the event about a Lease that upstream writes, in the core group's form."""
    metadata, moment = lease["metadata"], format_time(now)
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": f"{metadata['name']}.{int(now * 1e9):x}",
            "namespace": metadata["namespace"],
        },
        "involvedObject": {
            "apiVersion": lease["apiVersion"],
            "kind": lease["kind"],
            **{name: metadata[name] for name in ("name", "namespace", "uid", "resourceVersion")},
        },
        "reason": "LeaderElection",
        "message": message,
        "type": "Normal",
        "count": 1,
        "firstTimestamp": moment,
        "lastTimestamp": moment,
        "source": {"component": component},
        "reportingComponent": component,
        "reportingInstance": "",
    }


async def lead(
    scheduler: Scheduler, leadership: Leadership, stop: asyncio.Event, *, delay_cache: bool
) -> None:
    """Schedule while we hold the Lease, until ``stop`` is set.

    Args:
        scheduler: what works.
        leadership: the election.
        stop: ends everything cleanly; the Lease is given back.
        delay_cache: whether to look at the cluster only once we are the leader.

    Raises:
        ComponentFailedError: the Lease was lost.
    """
    active = asyncio.Event()
    running = asyncio.ensure_future(_run(scheduler, active, delay_cache=delay_cache))

    async def work() -> None:
        active.set()
        await asyncio.shield(running)

    leading = asyncio.ensure_future(leadership.elector.run(work))
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({running, leading, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not stop.is_set() and leading.done() and not leading.result():
            raise ComponentFailedError("Leaderelection lost")
        if not stop.is_set():
            await running
        elif active.is_set():
            # What was begun comes to its end, still under the Lease.
            scheduler.stop()
            await running
            await leading
    finally:
        await _cancelled(running, leading, stopping)
        await leadership.finish()


async def _run(scheduler: Scheduler, active: asyncio.Event, *, delay_cache: bool) -> None:
    if delay_cache:
        await active.wait()
    await scheduler.run(active=active)


async def _cancelled(*futures: asyncio.Future[Any]) -> None:
    for future in futures:
        future.cancel()
    await asyncio.gather(*futures, return_exceptions=True)
