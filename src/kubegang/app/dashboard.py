"""The page served: for any cluster by ``kubegang dashboard``, for its own by ``kubegang up``.

1. read the cluster once, which says what it has and what we may see
2. follow that
3. answer browsers on this machine
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import AsyncIterator, Callable
from ipaddress import ip_address
from typing import Final

import msgspec
import uvloop
from starlette.types import ASGIApp

from kubegang.apiserver.serving import UvicornWithoutSignals, plain_config
from kubegang.app.clustersource import SourceOptions, live_transport, rules_of_live
from kubegang.app.errors import BadInputError
from kubegang.app.listening import LISTEN, bind, parse_listen
from kubegang.app.options import DEFAULT_PAGE_LISTEN
from kubegang.app.pageacts import ClusterActs
from kubegang.app.pageviews import USER_AGENT, ClusterViews, RulesFor, followed
from kubegang.base.clock import Clock, RealClock
from kubegang.base.logging import configure_logging
from kubegang.client.api import ApiClient
from kubegang.client.interface import Transport
from kubegang.web.guard import LOGIN_PATH
from kubegang.web.page import create_page
from kubegang.web.sessions import Sessions

_GRACE_SECONDS: Final = 1
"""How long answers may take after a stop was asked for."""

Say = Callable[[str], None]


class DashboardOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The flags of ``kubegang dashboard``."""

    source: SourceOptions = SourceOptions()
    listen: str = DEFAULT_PAGE_LISTEN
    allow_changes: bool = False
    log_level: str = "warning"


def run_dashboard(options: DashboardOptions, *, say: Say) -> None:
    """Show a cluster until SIGINT or SIGTERM.

    Raises:
        BadInputError: a flag or a file is wrong.
        ClusterUnreachableError: the cluster does not answer.
    """
    configure_logging(component="page", json=False, level=options.log_level)
    with bind_page(options.listen) as listener:
        transport = live_transport(options.source)
        uvloop.run(_until_signal(options, transport, listener, say))


async def _until_signal(
    options: DashboardOptions, transport: Transport, listener: socket.socket, say: Say
) -> None:
    page = asyncio.ensure_future(
        serve_page(
            transport,
            sock=listener,
            rules_for=lambda live: rules_of_live(options.source, live),
            clock=RealClock(),
            say=say,
            allow_changes=options.allow_changes,
            ready=lambda: say("ready"),
        )
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, page.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await page


def bind_page(listen: str, *, flag: str = LISTEN) -> socket.socket:
    """Return the page's listening socket where a flag says.

    Raises:
        BadInputError: the address cannot be had, or others than this machine could reach it.
    """
    host, port = parse_listen(listen, flag=flag)
    listener = bind(host, port, flag=flag)
    if not ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback:
        listener.close()
        raise BadInputError(
            f"{flag}: the page answers on loopback only, found {listen!r}; from elsewhere use a "
            "tunnel, as with ssh -L"
        )
    return listener


async def serve_page(
    transport: Transport,
    *,
    sock: socket.socket,
    rules_for: RulesFor,
    clock: Clock,
    say: Say,
    ready: Callable[[], None],
    allow_changes: bool = False,
) -> None:
    """Show a cluster until cancelled.

    Args:
        transport: the way to it.
        sock: a bound socket; it is closed in the end.
        rules_for: by whose rules is decided about it.
        clock: the time.
        say: told the address for the next login.
        ready: to be called once browsers are answered.
        allow_changes: whether nodes can be cordoned and gangs deleted from the page.

    Raises:
        BadInputError: a flag is wrong.
        ClusterUnreachableError: the cluster does not answer.
    """
    closing = asyncio.Event()
    async with followed(transport, rules_for=rules_for, clock=clock) as views:
        acts = None
        if allow_changes:
            say("page: may cordon nodes and delete gangs")
            acts = ClusterActs(ApiClient(transport, user_agent=USER_AGENT), views.resources)
        app = _page(views, sock, acts=acts, say=say, closing=closing)
        async with _serving(app, sock, closing):
            ready()
            await asyncio.Event().wait()


def _page(
    views: ClusterViews,
    sock: socket.socket,
    *,
    acts: ClusterActs | None,
    say: Say,
    closing: asyncio.Event,
) -> ASGIApp:
    host, port = sock.getsockname()[:2]
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    sessions = Sessions(
        changed=lambda secret: say(
            f"page, good for one login: {address}{LOGIN_PATH}?secret={secret}"
        )
    )
    cookie = f"kubegang-page-{port}"
    return create_page(views, sessions, cookie=cookie, closing=closing, acts=acts)


@contextlib.asynccontextmanager
async def _serving(
    app: ASGIApp, sock: socket.socket, closing: asyncio.Event
) -> AsyncIterator[None]:
    config = plain_config(
        app,
        grace_seconds=_GRACE_SECONDS,
    )
    server = UvicornWithoutSignals(config)
    task = asyncio.create_task(server.serve(sockets=[sock]))
    try:
        yield
    finally:
        closing.set()
        server.should_exit = True
        await task
