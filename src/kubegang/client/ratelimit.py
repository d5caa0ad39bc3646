"""Requests at a limited rate, as client-go does it: ``qps`` on the long run, ``burst`` at once.

Watches are not counted. Events have a limit of their own, so that telling what was done does
not hold up doing it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator

from kubegang.base.clock import Clock
from kubegang.client.interface import Request, Response, Transport


class TokenBucket:
    """Hands out turns: ``burst`` at once, then ``rate`` a second."""

    def __init__(self, rate: float, burst: int, *, clock: Clock) -> None:
        """Begin with a full bucket; a negative rate means no limit."""
        self._rate = rate
        self._burst = float(max(burst, 1))
        self._clock = clock
        self._tokens = self._burst
        self._counted_at = clock.steady()

    async def take(self) -> None:
        """Return when it is one's turn; turns come in the order in which they were asked for."""
        if self._rate <= 0:
            return
        now = self._clock.steady()
        self._tokens = min(self._burst, self._tokens + (now - self._counted_at) * self._rate)
        self._counted_at = now
        # May become negative: who comes later waits for those before.
        self._tokens -= 1
        if self._tokens < 0:
            await self._clock.sleep(-self._tokens / self._rate)


class RateLimitedTransport:
    """A transport that waits for its turn."""

    def __init__(self, inner: Transport, *, qps: float, burst: int, clock: Clock) -> None:
        """Wrap a transport."""
        self._inner = inner
        self._requests = TokenBucket(qps, burst, clock=clock)
        self._events = TokenBucket(qps, burst, clock=clock)

    async def send(self, request: Request) -> Response:
        """Wait, then send a request."""
        bucket = self._events if _is_event(request.path) else self._requests
        await bucket.take()
        return await self._inner.send(request)

    def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Watch, without waiting."""
        return self._inner.stream(request)

    async def close(self) -> None:
        """Release connections."""
        await self._inner.close()


def _is_event(path: str) -> bool:
    return "/events" in path
