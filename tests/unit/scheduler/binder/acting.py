"""A client that says yes to everything, and a dispatcher that tests let run when they like."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from kubegang.client.interface import Request, Response
from kubegang.client.testing import RecordingClient
from kubegang.scheduler.binder.dispatch import Dispatcher


class YesTransport:
    """Answers every request with an empty object."""

    async def send(self, request: Request) -> Response:
        return Response(200, {}, b"{}")

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        lines: tuple[bytes, ...] = ()
        for line in lines:
            yield line

    async def close(self) -> None:
        """Have nothing to release."""


class Acting:
    """Client and dispatcher; nothing is sent before ``flush``."""

    def __init__(self) -> None:
        self.client = RecordingClient(YesTransport())
        self.dispatcher = Dispatcher()

    async def flush(self) -> None:
        """Let everything be sent that was asked for."""
        running = asyncio.ensure_future(self.dispatcher.run())
        await self.dispatcher.wait_idle()
        running.cancel()
        await asyncio.wait({running})
