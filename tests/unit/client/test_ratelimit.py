"""Requests at a limited rate, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.interface import Request, Response
from kubegang.client.ratelimit import RateLimitedTransport


class Noting:
    """Notes when requests come."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self.at: list[float] = []

    async def send(self, request: Request) -> Response:
        self.at.append(self._clock.now())
        return Response(200, {}, b"")

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        self.at.append(self._clock.now())
        yield b""

    async def close(self) -> None:
        return None


def moments(path: str, times: int, *, qps: float, burst: int) -> list[float]:
    async def story() -> list[float]:
        clock = VirtualClock(0)
        inner = Noting(clock)
        limited = RateLimitedTransport(inner, qps=qps, burst=burst, clock=clock)
        request = Request("GET", path)
        await asyncio.gather(*(limited.send(request) for _ in range(times)))
        return [round(moment, 3) for moment in inner.at]

    return run_virtual(story())


def test_a_burst_goes_at_once_and_the_rest_one_by_one() -> None:
    assert moments("/api/v1/pods", 5, qps=2, burst=3) == [0, 0, 0, 0.5, 1.0]


def test_setting_the_clock_back_holds_nobody_up() -> None:
    async def story() -> float:
        clock = VirtualClock(10_000)
        limited = RateLimitedTransport(Noting(clock), qps=2, burst=1, clock=clock)
        await limited.send(Request("GET", "/api/v1/pods"))
        clock.set_forward = -3600
        began = clock.steady()
        await limited.send(Request("GET", "/api/v1/pods"))
        return clock.steady() - began

    assert run_virtual(story()) == 0.5


def test_a_negative_rate_is_no_limit() -> None:
    assert moments("/api/v1/pods", 5, qps=-1, burst=1) == [0] * 5


def test_events_do_not_hold_up_what_they_tell_of() -> None:
    async def story() -> list[float]:
        clock = VirtualClock(0)
        inner = Noting(clock)
        limited = RateLimitedTransport(inner, qps=1, burst=1, clock=clock)
        await limited.send(Request("POST", "/apis/events.k8s.io/v1/namespaces/a/events"))
        await limited.send(Request("POST", "/api/v1/namespaces/a/pods/p/binding"))
        async for _ in limited.stream(Request("GET", "/api/v1/pods")):
            pass
        return inner.at

    assert run_virtual(story()) == [0, 0, 0]


def test_turns_come_back_with_time() -> None:
    async def story() -> list[float]:
        clock = VirtualClock(0)
        inner = Noting(clock)
        limited = RateLimitedTransport(inner, qps=1, burst=2, clock=clock)
        for _ in range(2):
            await limited.send(Request("GET", "/"))
        await clock.sleep(10)
        for _ in range(3):
            await limited.send(Request("GET", "/"))
        return inner.at

    assert run_virtual(story()) == [0, 0, 10, 10, 11]
