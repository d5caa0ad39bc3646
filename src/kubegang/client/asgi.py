"""Hands requests to an ASGI app in the same process, as if they had come over TLS.

The app's own code runs in the caller's task; only a watch has a task of its own. Nothing here
needs a socket, so it works in virtual time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import unquote, urlencode

from kubegang.base.logging import logger
from kubegang.base.turns import next_turn
from kubegang.client.failures import failure_of
from kubegang.client.interface import Request, Response, UnreachableError
from kubegang.client.lines import LineSplitter

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

IDENTITY_EXTENSION = "kubegang.identity"
"""Where in ``scope["extensions"]`` the server finds who is asking."""

_UNREAD_PIECES = 64

_log = logger(__name__)


class AsgiTransport:
    """Calls an ASGI app as one user; the app may block a watch that is not read."""

    def __init__(self, app: App, *, user: str, groups: tuple[str, ...]) -> None:
        """Speak to ``app`` with the given identity."""
        self._app = app
        self._identity = {"user": user, "groups": groups}

    async def send(self, request: Request) -> Response:
        """Send a request and return the whole answer, whatever its status.

        Raises:
            UnreachableError: the app failed before it answered.
        """
        # As over a network, others get a turn: a caller in a loop must not starve them.
        await next_turn()
        exchange = _Exchange(request.body)
        try:
            await self._app(self._scope(request), exchange.receive, exchange.collect)
        except Exception as error:
            # Whatever the app failed at, for the client it is a failure of the server.
            if not exchange.complete:
                raise UnreachableError(f"the server failed: {error}") from error
            # It answered with an error before it let the exception go on to us.
            _log.error("the server failed", path=request.path, exc_info=error)
        return exchange.response()

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Send a request and yield the answer's lines as they come (a watch).

        Raises:
            ApiError: the answer was not 200.
            UnreachableError: the app failed.
        """
        exchange = _StreamedExchange(request.body)
        serving = asyncio.ensure_future(exchange.run(self._app, self._scope(request)))
        splitter = LineSplitter()
        try:
            while (piece := await exchange.pieces.get()) is not None:
                if exchange.status == 200:
                    for line in splitter.feed(piece):
                        yield line
                else:
                    exchange.body.append(piece)
            if exchange.status != 200:
                raise failure_of(exchange.response())
            if exchange.failure is not None:
                raise UnreachableError("the server failed") from exchange.failure
        finally:
            # For the app this is a client that hung up.
            exchange.hung_up.set()
            serving.cancel()
            await asyncio.wait([serving])

    async def close(self) -> None:
        """Do nothing: there are no connections."""

    def _scope(self, request: Request) -> dict[str, Any]:
        headers = [(b"host", b"kubegang")]
        headers += [(name.lower().encode(), value.encode()) for name, value in request.headers]
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": "https",
            "path": unquote(request.path),
            "raw_path": request.path.encode(),
            "query_string": urlencode(request.query).encode(),
            "root_path": "",
            "headers": headers,
            "client": ("in-process", 0),
            "server": ("kubegang", 443),
            "extensions": {IDENTITY_EXTENSION: dict(self._identity)},
            "state": {},
        }


class _Exchange:
    """One request and what the app has answered so far."""

    def __init__(self, body: bytes) -> None:
        self._request_body: bytes | None = body
        self.hung_up = asyncio.Event()
        self.status = 0
        self.complete = False
        self.body: list[bytes] = []
        self._headers: dict[str, str] = {}

    async def receive(self) -> Message:
        """Give the app the request's body, and after it the news that the client is gone."""
        if self._request_body is not None:
            body, self._request_body = self._request_body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self.hung_up.wait()
        return {"type": "http.disconnect"}

    async def collect(self, message: Message) -> None:
        """Take a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._headers = {
                name.decode("latin-1").lower(): value.decode("latin-1")
                for name, value in message.get("headers", ())
            }
        elif message["type"] == "http.response.body":
            if message.get("body"):
                await self.take(message["body"])
            self.complete = not message.get("more_body", False)

    async def take(self, piece: bytes) -> None:
        """Keep a piece of the answer's body."""
        self.body.append(piece)

    def response(self) -> Response:
        """Return the answer."""
        if not self.status:
            raise UnreachableError("the server did not answer")
        return Response(self.status, self._headers, b"".join(self.body))


class _StreamedExchange(_Exchange):
    """An answer that is read while it is made; ``None`` ends it."""

    def __init__(self, body: bytes) -> None:
        super().__init__(body)
        # Bounded: an app whose reader is slow must notice, as with a full socket.
        self.pieces: asyncio.Queue[bytes | None] = asyncio.Queue(_UNREAD_PIECES)
        self.failure: Exception | None = None

    async def run(self, app: App, scope: dict[str, Any]) -> None:
        """Let the app answer to the end."""
        try:
            await app(scope, self.receive, self.collect)
        except Exception as error:  # noqa: BLE001 - handed to whoever reads the stream
            self.failure = error
        await self.pieces.put(None)

    async def take(self, piece: bytes) -> None:
        """Hand a piece to the reader, waiting until there is room."""
        await self.pieces.put(piece)
