"""One request to an ASGI application, without a server."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Message


class Reply(NamedTuple):
    """What the application answered; header names are lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


async def call(
    app: ASGIApp,
    method: str,
    target: str,
    *,
    headers: dict[str, str] | None = None,
    body: bytes = b"",
) -> Reply:
    """Send a request."""
    path, _, query = target.partition("?")
    status = 0
    received: dict[str, str] = {}
    chunks: list[bytes] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
            for key, value in message["headers"]:
                received[key.decode().lower()] = value.decode()
        else:
            chunks.append(message.get("body", b""))

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(k.lower().encode(), v.encode()) for k, v in (headers or {}).items()],
        "server": ("127.0.0.1", 6443),
        "scheme": "https",
        "http_version": "1.1",
    }
    await app(scope, receive, send)
    return Reply(status, received, b"".join(chunks))
