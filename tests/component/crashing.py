"""A transport whose user can be ended at any write, as by a kill."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from kubegang.client.interface import Request, Response, Transport

READS = ("GET", "HEAD")


class CrashingTransport:
    """Passes requests on; after a certain write, nobody gets an answer any more.

    Attributes:
        writes: what was written so far, as method and path; Events do not count.
        crashed: set when the last write before the crash has been done.
    """

    def __init__(self, inner: Transport, *, crash_after: int = 0) -> None:
        """Crash after so many writes; 0 is never."""
        self.writes: list[str] = []
        self.crashed = asyncio.Event()
        self._inner = inner
        self._crash_after = crash_after

    async def send(self, request: Request) -> Response:
        if self.crashed.is_set():
            await asyncio.Event().wait()
        response = await self._inner.send(request)
        if request.method not in READS and "/events" not in request.path:
            self.writes.append(f"{request.method} {request.path}")
            if len(self.writes) == self._crash_after:
                self.crashed.set()
                await asyncio.Event().wait()
        return response

    def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        return self._inner.stream(request)

    async def close(self) -> None:
        await self._inner.close()
