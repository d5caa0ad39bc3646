"""Events straight onto a watcher's connection, past the layers of a request.

A watch lasts, and with a thousand of them the way of an event through a task and the layers
around a request costs more than the event. So while a watch's task waits, and its client keeps
up, what happens is written to the connection at once. Source of the form: RFC 9112, 7.1.
"""

from __future__ import annotations

from typing import Protocol

from starlette.types import Scope

CONNECTION = "kubegang.connection"
"""Where the scope of a request has its connection, if there is a real one."""


class Connection(Protocol):
    """What a request came by."""

    @property
    def keeps_up(self) -> bool:
        """Whether the client reads as fast as is written to it."""
        ...

    def push(self, data: bytes) -> None:
        """Write to the client; never waits."""
        ...


def connection_of(scope: Scope) -> Connection | None:
    """Return the connection to push chunks to, if the answer to a request is made of chunks."""
    if scope.get("http_version") != "1.1":
        return None
    connection: Connection | None = scope.get(CONNECTION)
    return connection


def chunk(data: bytes) -> bytes:
    """Return data as one chunk of an answer whose length is not known; nothing for nothing."""
    return b"%x\r\n%b\r\n" % (len(data), data) if data else b""
