"""One active process of several, by a Lease; the protocol of client-go.

Whoever holds the Lease renews it. Others watch it change; only when it has not changed for its
whole duration, by their own clock, they take it over. The clocks of different machines are
never compared. A holder that cannot renew stops working before others may start.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec

from kubegang.apimachinery.errors import (
    AlreadyExistsError,
    ApiError,
    ConflictError,
    NotFoundError,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_micro_time
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.backoff import Rng
from kubegang.client.deadline import within
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import LEASES

_log = logger(__name__)

# client-go's: attempts to acquire are spread over a little more than twice the period.
_JITTER = 1.2


class LeaseSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which Lease, and the times of the protocol (defaults as kube-scheduler's).

    Attributes:
        lease_seconds: how long others wait for a holder that went silent.
        renew_seconds: how long the holder tries to renew before it gives up.
        retry_seconds: the pause between attempts.
    """

    name: str
    namespace: str
    lease_seconds: float = 15
    renew_seconds: float = 10
    retry_seconds: float = 2

    def __post_init__(self) -> None:
        if not self.lease_seconds > self.renew_seconds > self.retry_seconds * _JITTER > 0:
            raise ValueError(
                "a Lease needs lease duration > renew deadline > "
                f"{_JITTER} x retry period > 0, not {self.lease_seconds:g}, "
                f"{self.renew_seconds:g}, {self.retry_seconds:g}"
            )


Told = Callable[[str, JsonObject], None]
"""Told ``became leader`` and ``stopped leading``, with the Lease as it was then."""


def tell_nobody(change: str, lease: JsonObject) -> None:
    """Pass over a change of leadership."""


class LeaderElector:
    """Runs something while it holds a Lease."""

    def __init__(
        self,
        client: Client,
        settings: LeaseSettings,
        *,
        identity: str,
        clock: Clock,
        rng: Rng,
        tell: Told = tell_nobody,
    ) -> None:
        """Prepare to stand for election under an identity that no other process has."""
        self._tell = tell
        self._lease: JsonObject = {}
        self._client = client
        self._settings = settings
        self._identity = identity
        self._clock = clock
        self._rng = rng
        self._seen: JsonObject | None = None
        self._seen_at = 0.0

    @property
    def holder(self) -> str:
        """Who held the Lease when we last looked; empty if nobody did."""
        return str((self._seen or {}).get("holderIdentity") or "")

    @property
    def is_leader(self) -> bool:
        """Whether the Lease was ours when we last looked."""
        return self.holder == self._identity

    def problem(self, *, tolerated_seconds: float) -> str:
        """Return what is wrong with a leadership that was not renewed, or empty.

        Args:
            tolerated_seconds: how long after its expiry a Lease of ours may go on unchanged:
                then this process should be gone.
        """
        limit = self._settings.lease_seconds + tolerated_seconds
        if self.is_leader and self._clock.steady() > self._seen_at + limit:
            return f"failed election to renew leadership on lease {self._settings.name}"
        return ""

    async def run(self, work: Callable[[], Awaitable[None]]) -> bool:
        """Wait for the Lease, then do the work until it ends or the Lease is lost.

        The work is cancelled, and has ended, before others can take the Lease. At the end the
        Lease is given back, unless it was lost.

        Returns:
            whether the work came to its own end.
        """
        await self._acquire()
        _log.info("became the leader", lease=self._settings.name, identity=self._identity)
        self._tell("became leader", self._lease)
        working = asyncio.ensure_future(work())
        keeping = asyncio.ensure_future(self._keep())
        try:
            await asyncio.wait((working, keeping), return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                keeping.result()
                _log.error("lost the lease", lease=self._settings.name, holder=self.holder)
                return False
            working.result()
            return True
        finally:
            working.cancel()
            keeping.cancel()
            await asyncio.gather(working, keeping, return_exceptions=True)
            self._tell("stopped leading", self._lease)
            await self._release()

    async def _acquire(self) -> None:
        while not await self._attempt():
            pause = self._settings.retry_seconds * (1 + _JITTER * self._rng.random())
            await self._clock.sleep(pause)

    async def _keep(self) -> None:
        """Renew until that has failed for too long, or another holds the Lease."""
        renewed = self._clock.steady()
        while True:
            await self._clock.sleep(self._settings.retry_seconds)
            started = self._clock.steady()
            left = renewed + self._settings.renew_seconds - started
            if left <= 0:
                return
            # Time counts from before the request: that is when others may have seen it.
            with suppress(TimeoutError):
                if await within(self._clock, left, self._attempt()):
                    renewed = started
            if self.holder != self._identity:
                return

    async def _attempt(self) -> bool:
        """Take or renew the Lease; return whether it is ours now."""
        try:
            return await self._take_or_renew()
        except (ConflictError, AlreadyExistsError):
            # Another was faster; the next look shows who.
            return False
        except (ApiError, UnreachableError) as error:
            _log.warning("cannot reach the lease", lease=self._settings.name, error=str(error))
            return False

    async def _take_or_renew(self) -> bool:
        now = self._clock.now()
        try:
            lease = await self._client.get(LEASES, self._settings.name, self._settings.namespace)
        except NotFoundError:
            spec = self._record(now, acquired=format_micro_time(now), transitions=0)
            created = await self._client.create(LEASES, self._named(spec))
            self._lease = created
            self._see(created["spec"])
            return True
        old: JsonObject = lease.get("spec") or {}
        if old != self._seen:
            self._see(old)
        if self.holder not in {"", self._identity} and not self._has_expired(old):
            return False
        updated = await self._client.update(LEASES, {**lease, "spec": self._renewed(old, now)})
        self._lease = updated
        self._see(updated["spec"])
        return True

    def _see(self, spec: JsonObject) -> None:
        self._seen = spec
        self._seen_at = self._clock.steady()

    def _has_expired(self, spec: JsonObject) -> bool:
        seconds = spec.get("leaseDurationSeconds") or self._settings.lease_seconds
        return self._clock.steady() >= self._seen_at + float(seconds)

    def _renewed(self, old: JsonObject, now: float) -> JsonObject:
        transitions = int(old.get("leaseTransitions") or 0)
        if old.get("holderIdentity") == self._identity:
            acquired = str(old.get("acquireTime") or format_micro_time(now))
        else:
            acquired, transitions = format_micro_time(now), transitions + 1
        # What we do not know of stays, as in an update by any other client.
        return {**old, **self._record(now, acquired=acquired, transitions=transitions)}

    def _record(self, now: float, *, acquired: str, transitions: int) -> JsonObject:
        return {
            "holderIdentity": self._identity,
            "leaseDurationSeconds": math.ceil(self._settings.lease_seconds),
            "acquireTime": acquired,
            "renewTime": format_micro_time(now),
            "leaseTransitions": transitions,
        }

    def _named(self, spec: JsonObject) -> JsonObject:
        return {
            "apiVersion": LEASES.api_version,
            "kind": LEASES.kind,
            "metadata": {"name": self._settings.name, "namespace": self._settings.namespace},
            "spec": spec,
        }

    async def _release(self) -> None:
        """Give the Lease back, so that another need not wait for it to expire."""
        if self.holder != self._identity:
            return
        try:
            await within(self._clock, self._settings.retry_seconds, self._give_back())
        except (TimeoutError, ApiError, UnreachableError) as error:
            _log.warning("cannot release the lease", lease=self._settings.name, error=str(error))

    async def _give_back(self) -> None:
        lease = await self._client.get(LEASES, self._settings.name, self._settings.namespace)
        spec: JsonObject = lease.get("spec") or {}
        if spec.get("holderIdentity") != self._identity:
            return
        now = format_micro_time(self._clock.now())
        # An absent holder is nobody; an empty one is not allowed.
        spec = {key: value for key, value in spec.items() if key != "holderIdentity"}
        spec |= {"leaseDurationSeconds": 1, "renewTime": now, "acquireTime": now}
        updated = await self._client.update(LEASES, {**lease, "spec": spec})
        self._see(updated["spec"])
