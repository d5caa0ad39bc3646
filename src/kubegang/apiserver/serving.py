"""The application on a socket: uvicorn with TLS, started and stopped from outside.

The socket is bound before anything is served, so that a port in use is found out at once and
port 0 has its number. Client certificates are asked for but not required: others have tokens.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp

from kubegang.apiserver.backend import Backend
from kubegang.apiserver.protocol import CertificateProtocol

_BACKLOG = 2048
_GRACE_SECONDS = 3
"""How long requests may go on after a stop was asked for."""

_KEEP_ALIVE_SECONDS = 90
"""How long a connection may rest between requests (as 1.37.2)."""


class TlsFiles(msgspec.Struct, frozen=True):
    """Where the server's certificate, its key, and the CA of client certificates are."""

    certificate: Path
    key: Path
    client_ca: Path


class UvicornWithoutSignals(uvicorn.Server):
    """uvicorn that leaves signals to whoever runs the process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def plain_config(app: ASGIApp, *, grace_seconds: int, **more: Any) -> uvicorn.Config:
    """Return how every server here is run: HTTP alone, no logs and no loop of uvicorn's own.

    Args:
        app: what is served.
        grace_seconds: how long requests may go on after a stop was asked for.
        more: further settings of ``uvicorn.Config``, such as those of TLS.
    """
    return uvicorn.Config(
        app,
        ws="none",
        lifespan="off",
        loop="none",
        log_config=None,
        access_log=False,
        server_header=False,
        # There is no proxy before us, so nobody is believed who says whom he speaks for.
        proxy_headers=False,
        timeout_graceful_shutdown=grace_seconds,
        **more,
    )


class ApiServer:
    """Serves an application until it is told to stop."""

    def __init__(self, app: Starlette, *, sock: socket.socket, tls: TlsFiles) -> None:
        """Take a bound socket; it is closed in the end."""
        self._backend: Backend = app.state.backend
        self._sock = sock
        config = plain_config(
            app,
            grace_seconds=_GRACE_SECONDS,
            http=CertificateProtocol,
            backlog=_BACKLOG,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            ssl_certfile=tls.certificate,
            ssl_keyfile=tls.key,
            ssl_ca_certs=str(tls.client_ca),
            ssl_cert_reqs=ssl.CERT_OPTIONAL,
        )
        config.load()
        _forget_sessions(config.ssl)
        self._server = UvicornWithoutSignals(config)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        host, port = self._sock.getsockname()[:2]
        return host, port

    @property
    def started(self) -> bool:
        """Whether connections are accepted."""
        return self._server.started

    async def run(self) -> None:
        """Serve until ``stop`` is called."""
        await self._server.serve(sockets=[self._sock])

    def stop(self) -> None:
        """Accept nothing more, end the watches, and let other requests finish."""
        self._server.should_exit = True
        self._backend.end_watches()


def _forget_sessions(context: ssl.SSLContext | None) -> None:
    """Hand out no session tickets: clients of Kubernetes resume no sessions.

    Making two of them is a quarter of what the server spends on a new connection.
    """
    if context is not None:
        context.num_tickets = 0
