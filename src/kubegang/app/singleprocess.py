"""``up --single-process``: every component in this process, the API on a socket all the same."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Callable, Sequence

from kubegang.app.apiserver import open_store
from kubegang.app.configuration import initial_nodes, resolve_profile, scheduler_configuration
from kubegang.app.embedded import EmbeddedCluster, EmbeddedSettings
from kubegang.app.errors import BadInputError
from kubegang.app.options import ChildSettings
from kubegang.app.tls import serving
from kubegang.base.clock import Clock


async def run_in_this_process(
    settings: Sequence[ChildSettings],
    *,
    clock: Clock,
    stop: asyncio.Event,
    ready: Callable[[], None],
) -> None:
    """Run the components until ``stop`` is set.

    Raises:
        BadInputError: something that was asked for cannot be had.
    """
    first = settings[0]
    if first.component != "apiserver":
        raise BadInputError("--single-process needs the apiserver among --components")
    options = first.options
    version = resolve_profile(options)
    store = await open_store(first.store_path, clock=clock)
    try:
        cluster = EmbeddedCluster(
            EmbeddedSettings(
                profile=version,
                config=scheduler_configuration(options.config, version),
                configured=bool(options.config),
                initial_nodes=initial_nodes(options.nodes),
                heartbeats=True,
                options=options,
                pki_dir=first.pki_dir,
                components=options.components,
            ),
            store=store,
            clock=clock,
            rng=random.Random(),
        )
        sock = socket.socket(fileno=first.socket_descriptor)
        port = sock.getsockname()[1]
        async with (
            serving(cluster.app, sock=sock, pki_dir=first.pki_dir),
            cluster.running(port=port),
        ):
            ready()
            await stop.wait()
    finally:
        await store.close()
