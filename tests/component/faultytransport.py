"""A transport with faults at chosen places.

A crash, a lost answer, a user who changes or deletes an object just before it is written, news
that comes late or twice.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

import msgspec

from kubegang.base.clock import Clock
from kubegang.client.interface import Request, Response, Transport, UnreachableError

READS = ("GET", "HEAD")
MOST_JITTER_SECONDS = 0.2
TOUCHED = "example.com/touched"
"""The annotation by which a user changes an object."""


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
        change_before: int = 0,
        delete_before: int = 0,
        late_news: Mapping[str, float] | None = None,
        news_twice: bool = False,
        jitter: random.Random | None = None,
    ) -> None:
        """Prepare the faults.

        Args:
            inner: the way to the API.
            clock: for what is late.
            crash_after: crash after so many writes; 0 is never.
            lose_answer_of: do this write, but say that the connection was lost.
            change_before: have a user annotate what this write is about to change.
            delete_before: have a user delete what this write is about to change.
            late_news: watches of the resource with this plural are so many seconds late.
            news_twice: watches tell everything twice.
            jitter: requests, answers and news take a short time by chance, so that things
                happen in another order with each seed.
        """
        self.writes: list[str] = []
        self.crashed = asyncio.Event()
        self._inner = inner
        self._clock = clock
        self._crash_after = crash_after
        self._lose_answer_of = lose_answer_of
        self._change_before = change_before
        self._delete_before = delete_before
        self._late_news = late_news or {}
        self._news_twice = news_twice
        self._jitter = jitter

    async def send(self, request: Request) -> Response:
        if self.crashed.is_set():
            await asyncio.Event().wait()
        if request.method in READS or "/events" in request.path:
            return await self._pass_on(request)
        self.writes.append(f"{request.method} {request.path}")
        number = len(self.writes)
        if request.method != "POST":
            await self._meddle(request, number)
        response = await self._pass_on(request)
        if number == self._crash_after:
            self.crashed.set()
        if self.crashed.is_set():
            await asyncio.Event().wait()
        if number == self._lose_answer_of:
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
                if self._news_twice:
                    yield line

    async def _meddle(self, request: Request, number: int) -> None:
        """Be the user who is a little faster than a controller."""
        path = re.sub("/(status|finalize|scale)$", "", request.path)
        if number == self._change_before:
            headers = (("Content-Type", "application/merge-patch+json"),)
            patch = {"metadata": {"annotations": {TOUCHED: "yes"}}}
            body = msgspec.json.encode(patch)
            await self._inner.send(Request("PATCH", path, headers=headers, body=body))
        if number == self._delete_before:
            await self._inner.send(Request("DELETE", path))

    async def _pass_on(self, request: Request) -> Response:
        await self._dawdle()
        response = await self._inner.send(request)
        await self._dawdle()
        return response

    async def _dawdle(self) -> None:
        if self._jitter is not None:
            await self._clock.sleep(MOST_JITTER_SECONDS * self._jitter.random() ** 3)

    async def close(self) -> None:
        await self._inner.close()
