"""Requests to the page as an application, without sockets; and a cluster of made-up reports."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from starlette.types import ASGIApp, Message

from kubegang.web.acts import Acts
from kubegang.web.page import create_page
from kubegang.web.sessions import Sessions
from kubegang.web.views import NoSuchObjectError, Supposition

COOKIE = "kubegang-page-1234"


class Report(msgspec.Struct):
    text: str


class MadeUpViews:
    """A cluster whose version the test sets."""

    def __init__(self) -> None:
        self.version = 0
        self.changed = asyncio.Event()

    async def overview(self) -> Report:
        return Report(f"version {self.version}")

    async def explain(self, kind: str, namespace: str, name: str) -> Report:
        if name == "missing":
            raise NoSuchObjectError(f"there is no {kind} {namespace}/{name}")
        return Report(f"{kind} {namespace}/{name}")

    async def what_if(self, supposed: Supposition) -> Report:
        return Report(f"add {supposed.add} like {supposed.like}")

    async def changed_since(self, version: int) -> int:
        while self.version <= version:
            await self.changed.wait()
        return self.version

    def change(self) -> None:
        self.version += 1
        self.changed.set()
        self.changed = asyncio.Event()


class Answer(msgspec.Struct):
    status: int
    headers: dict[str, str]
    body: str


class PageBrowser:
    """Sends requests, as a browser that has opened the printed address or has not."""

    def __init__(self, *, acts: Acts | None = None) -> None:
        self.views = MadeUpViews()
        self.closing = asyncio.Event()
        self.printed: list[str] = []
        secrets = (f"secret-{number}" for number in range(1000))
        self.sessions = Sessions(changed=self.printed.append, make_secret=lambda: next(secrets))
        self.app: ASGIApp = create_page(
            self.views, self.sessions, cookie=COOKIE, closing=self.closing, acts=acts
        )
        self.cookie = ""

    async def get(
        self,
        path: str,
        *,
        host: str = "127.0.0.1:1234",
        method: str = "GET",
        origin: str = "http://127.0.0.1:1234",
        body: bytes = b"",
    ) -> Answer:
        """Return a whole answer; browsers say the origin of what is no read."""
        messages: list[Message] = []

        async def send(message: Message) -> None:
            messages.append(message)

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        scope = self._scope(path, host, method)
        if method != "GET" and origin:
            scope["headers"].append((b"origin", origin.encode()))
        await self.app(scope, receive, send)
        told = b"".join(message.get("body", b"") for message in messages)
        return Answer(messages[0]["status"], _headers(messages[0]), told.decode())

    async def log_in(self) -> Answer:
        """Open the newest printed address, and keep its cookie."""
        answer = await self.get(f"/login?secret={self.printed[-1]}")
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer

    @asynccontextmanager
    async def stream(self, path: str) -> AsyncIterator[asyncio.Queue[str]]:
        """Yield the pieces of an answer as they come."""
        pieces: asyncio.Queue[str] = asyncio.Queue()

        async def send(message: Message) -> None:
            if message.get("body"):
                pieces.put_nowait(message["body"].decode())

        scope = self._scope(path, "localhost", "GET")
        running = asyncio.ensure_future(self.app(scope, _nothing_more, send))
        try:
            yield pieces
        finally:
            self.closing.set()
            await running

    def _scope(self, path: str, host: str, method: str) -> dict[str, Any]:
        bare, _, query = path.partition("?")
        headers = [(b"host", host.encode())]
        if self.cookie:
            headers.append((b"cookie", self.cookie.encode()))
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": bare,
            "raw_path": bare.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": headers,
            "client": ("127.0.0.1", 5),
            "server": ("127.0.0.1", 1234),
        }


async def _nothing_more() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


def _headers(start: Message) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in start["headers"]}
