"""``up --single-process``: every component in this process, the API on a socket all the same."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
from collections.abc import AsyncIterator, Callable, Sequence

from kubegang.app.apiserver import open_store
from kubegang.app.children.page import page_rules
from kubegang.app.configuration import initial_nodes, resolve_profile, scheduler_configuration
from kubegang.app.dashboard import serve_page
from kubegang.app.embedded import EmbeddedCluster, EmbeddedSettings
from kubegang.app.errors import BadInputError
from kubegang.app.options import ChildSettings
from kubegang.app.policy import page_user
from kubegang.app.tls import serving
from kubegang.base.clock import Clock
from kubegang.base.logging import configure_logging
from kubegang.client.asgi import AsgiTransport


async def run_in_this_process(
    settings: Sequence[ChildSettings],
    *,
    clock: Clock,
    stop: asyncio.Event,
    say: Callable[[str], None],
    ready: Callable[[], None],
) -> None:
    """Run the components until ``stop`` is set.

    Args:
        settings: of the components.
        clock: the time.
        stop: ends them.
        say: told the page's address.
        ready: called once, when everything answers.

    Raises:
        BadInputError: something that was asked for cannot be had.
    """
    first = settings[0]
    if first.component != "apiserver":
        raise BadInputError("--single-process needs the apiserver among --components")
    options = first.options
    configure_logging(component="up", json=options.log_json, level=options.log_level)
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
            _page(cluster, settings, clock=clock, say=say),
        ):
            ready()
            await stop.wait()
    finally:
        await store.close()


@contextlib.asynccontextmanager
async def _page(
    cluster: EmbeddedCluster,
    settings: Sequence[ChildSettings],
    *,
    clock: Clock,
    say: Callable[[str], None],
) -> AsyncIterator[None]:
    """Show the page inside the block, if it is among the components."""
    wanted = next((one for one in settings if one.component == "page"), None)
    if wanted is None:
        yield
        return
    rules = page_rules(wanted.options)
    allow_changes = wanted.options.page_allow_changes
    answering = asyncio.Event()
    page = asyncio.create_task(
        serve_page(
            AsgiTransport(cluster.app, user=page_user(allow_changes=allow_changes), groups=()),
            sock=socket.socket(fileno=wanted.socket_descriptor),
            rules_for=lambda _live: rules,
            clock=clock,
            say=say,
            ready=answering.set,
            allow_changes=allow_changes,
        )
    )
    starting = asyncio.create_task(answering.wait())
    try:
        await asyncio.wait({page, starting}, return_when=asyncio.FIRST_COMPLETED)
        if page.done():
            page.result()
        yield
    finally:
        starting.cancel()
        page.cancel()
        await asyncio.gather(page, return_exceptions=True)
