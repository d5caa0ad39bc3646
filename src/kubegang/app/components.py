"""One component in a process of its own, over HTTPS to the API server like any client."""

from __future__ import annotations

import random
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from kubegang.app.apiserver import build_api_server, open_store, serve
from kubegang.app.clusterkeys import load_cluster_keys
from kubegang.app.clustersource import Rules
from kubegang.app.configuration import initial_nodes, resolve_profile, scheduler_configuration
from kubegang.app.controlleraccounts import ControllerAccounts
from kubegang.app.controllers.running import Controllers, chosen_controllers
from kubegang.app.dashboard import serve_page
from kubegang.app.gatemixes import scheduler_waits
from kubegang.app.nodes import SimulatedNodes
from kubegang.app.options import ChildSettings, UpOptions
from kubegang.app.scheduler import build_scheduler, profiles_of, run_scheduler
from kubegang.base.clock import Clock
from kubegang.client.api import ApiClient
from kubegang.client.http import HttpTransport
from kubegang.client.kubeconfig import load_kubeconfig

SWITCH_SECONDS = 0.0005
"""How long the store's writer may wait for its turn while the event loop computes.

Python's default is ten times as long, and every group of writes waits for it.
"""

Problems = Callable[[], list[str]]
Ready = Callable[[], None]


async def run_component(
    settings: ChildSettings, *, clock: Clock, others: Problems, ready: Ready
) -> None:
    """Run one component until cancelled.

    Args:
        settings: what and with which flags.
        clock: the time.
        others: what is wrong with the other components, for ``/readyz``.
        ready: to be called once, when the component does its work.

    Raises:
        BadInputError: something that was asked for cannot be had.
    """
    match settings.component:
        case "apiserver":
            await _run_api_server(settings, clock=clock, others=others, ready=ready)
        case "controllers":
            await _run_controllers(settings, clock=clock, ready=ready)
        case "scheduler":
            await _run_scheduler(settings, clock=clock, ready=ready)
        case "nodes":
            await _run_nodes(settings, clock=clock, ready=ready)
        case "page":
            await _run_page(settings, clock=clock, ready=ready)


async def _run_api_server(
    settings: ChildSettings, *, clock: Clock, others: Problems, ready: Ready
) -> None:
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


async def _run_controllers(settings: ChildSettings, *, clock: Clock, ready: Ready) -> None:
    client = _client(settings, clock)
    accounts = ControllerAccounts(client, Path(settings.kubeconfig), user_agent=_agent(settings))
    controllers = Controllers(
        client,
        resolve_profile(settings.options),
        chosen=chosen_controllers(
            settings.options.controllers,
            simulated_nodes="nodes" in settings.options.components,
        ),
        clock=clock,
        rng=random.Random(),
        client_for=accounts.client_for,
        keys=load_cluster_keys(settings.pki_dir),
    )
    try:
        await controllers.run(ready=ready)
    finally:
        await accounts.close()
        await client.close()


async def _run_scheduler(settings: ChildSettings, *, clock: Clock, ready: Ready) -> None:
    client = _client(settings, clock)
    options = settings.options
    version = resolve_profile(options)
    config = scheduler_configuration(options.config, version)
    profiles = profiles_of(version, config, configured=bool(options.config))
    scheduler = build_scheduler(client, profiles, config, clock=clock, rng=random.Random())
    if "apiserver" in options.components and scheduler_waits(version):
        # It is as ready as it will ever be.
        ready()
    try:
        await run_scheduler(scheduler, ready=ready)
    finally:
        await client.close()


async def _run_nodes(settings: ChildSettings, *, clock: Clock, ready: Ready) -> None:
    client = _client(settings, clock)
    nodes = SimulatedNodes(
        client,
        resolve_profile(settings.options),
        initial_nodes=initial_nodes(settings.options.nodes),
        clock=clock,
        rng=random.Random(),
        heartbeats=True,
    )
    try:
        await nodes.run(ready=ready)
    finally:
        await client.close()


async def _run_page(settings: ChildSettings, *, clock: Clock, ready: Ready) -> None:
    rules = page_rules(settings.options)
    await serve_page(
        HttpTransport(load_kubeconfig(Path(settings.kubeconfig))),
        sock=socket.socket(fileno=settings.socket_descriptor),
        rules_for=lambda _live: rules,
        clock=clock,
        # The supervisor passes on what a component logs.
        say=lambda text: print(text, file=sys.stderr, flush=True),  # noqa: T201
        ready=ready,
    )


def page_rules(options: UpOptions) -> Rules:
    """Return the rules of the scheduler that runs beside the page."""
    version = resolve_profile(options)
    config = scheduler_configuration(options.config, version)
    return Rules(version=version, config=config, configured=bool(options.config))


def _client(settings: ChildSettings, clock: Clock) -> ApiClient:
    transport = HttpTransport(load_kubeconfig(Path(settings.kubeconfig)))
    return ApiClient(transport, user_agent=_agent(settings))


def _agent(settings: ChildSettings) -> str:
    return f"kubegang-{settings.component}"
