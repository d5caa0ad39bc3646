"""A transport with faults at chosen places: a crash, a lost answer, late news."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from kubegang.base.clock import Clock
from kubegang.client.interface import Request, Response, Transport, UnreachableError

READS = ("GET", "HEAD")
MOST_JITTER_SECONDS = 0.2


class FaultyTransport:
    """Passes requests on, but for the faults that a test asks for.

    Attributes:
        writes: what was written so far, as method and path; Events do not count.
        crashed: set when the last write before the crash has been done; nobody gets an
            answer any more from then on.
    """

    def __init__(
        self,
        inner: Transport,
        *,
        clock: Clock,
        crash_after: int = 0,
        lose_answer_of: int = 0,
        late_news: Mapping[str, float] | None = None,
        jitter: random.Random | None = None,
    ) -> None:
        """Prepare the faults.

        Args:
            inner: the way to the API.
            clock: for what is late.
            crash_after: crash after so many writes; 0 is never.
            lose_answer_of: do this write, but say that the connection was lost.
            late_news: watches of the resource with this plural are so many seconds late.
            jitter: requests, answers and news take a short time by chance, so that things
                happen in another order with each seed.
        """
        self.writes: list[str] = []
        self.crashed = asyncio.Event()
        self._inner = inner
        self._clock = clock
        self._crash_after = crash_after
        self._lose_answer_of = lose_answer_of
        self._late_news = late_news or {}
        self._jitter = jitter

    async def send(self, request: Request) -> Response:
        if self.crashed.is_set():
            await asyncio.Event().wait()
        await self._dawdle()
        response = await self._inner.send(request)
        await self._dawdle()
        if request.method in READS or "/events" in request.path:
            return response
        self.writes.append(f"{request.method} {request.path}")
        if len(self.writes) == self._crash_after:
            self.crashed.set()
            await asyncio.Event().wait()
        if len(self.writes) == self._lose_answer_of:
            raise UnreachableError("the connection was reset")
        return response

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        late = self._late_news.get(request.path.rpartition("/")[2], 0.0)
        async with aclosing(self._inner.stream(request)) as lines:
            async for line in lines:
                if late:
                    await self._clock.sleep(late)
                await self._dawdle()
                yield line

    async def _dawdle(self) -> None:
        if self._jitter is not None:
            await self._clock.sleep(MOST_JITTER_SECONDS * self._jitter.random() ** 3)

    async def close(self) -> None:
        await self._inner.close()
