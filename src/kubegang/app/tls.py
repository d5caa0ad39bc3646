"""The API server's application on a bound socket, with the cluster's certificates."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.applications import Starlette

from kubegang.apiserver.serving import ApiServer, TlsFiles


@contextlib.asynccontextmanager
async def serving(app: Starlette, *, sock: socket.socket, pki_dir: str) -> AsyncIterator[None]:
    """Answer on the socket inside the block; requests under way are finished at its end."""
    pki = Path(pki_dir)
    tls = TlsFiles(pki / "apiserver.crt", pki / "apiserver.key", pki / "ca.crt")
    server = ApiServer(app, sock=sock, tls=tls)
    task = asyncio.create_task(server.run())
    try:
        while not server.started and not task.done():
            await asyncio.wait({task}, timeout=0.005)
        if task.done():
            task.result()
        yield
    finally:
        server.stop()
        await task
