"""The API server's process."""

from __future__ import annotations

import random
import socket
import sys

from kubegang.app.apiserver import build_api_server, open_store, serve
from kubegang.app.child import Problems, Ready, main
from kubegang.app.configuration import resolve_profile
from kubegang.app.options import ChildSettings
from kubegang.base.clock import Clock

SWITCH_SECONDS = 0.0005
"""How long the store's writer may wait for its turn while the event loop computes.

Python's default is ten times as long, and every group of writes waits for it.
"""


async def run(settings: ChildSettings, *, clock: Clock, others: Problems, ready: Ready) -> None:
    """Serve the API until cancelled."""
    sys.setswitchinterval(SWITCH_SECONDS)
    store = await open_store(settings.store_path, clock=clock)
    profile = resolve_profile(settings.options)
    try:
        app = build_api_server(
            settings.options,
            profile,
            store=store,
            clock=clock,
            rng=random.SystemRandom(),
            ready={"components": lambda: "; ".join(others())},
            pki_dir=settings.pki_dir,
        )
        sock = socket.socket(fileno=settings.socket_descriptor)
        await serve(app, profile, sock=sock, pki_dir=settings.pki_dir, ready=ready)
    finally:
        await store.close()


if __name__ == "__main__":
    sys.exit(main(run))
