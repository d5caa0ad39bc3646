"""``kubegang top``: what the page shows, handed to a terminal whenever it changes."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable

from kubegang.app.clustersource import SourceOptions, live_transport, rules_of_live
from kubegang.app.pageviews import PageView, followed
from kubegang.base.clock import RealClock
from kubegang.base.logging import configure_logging

Show = Callable[[PageView], None]


def run_top(source: SourceOptions, *, once: bool, show: Show) -> None:
    """Show a cluster until SIGINT or SIGTERM, or once.

    Args:
        source: the flags that choose the cluster.
        once: end after the first look.
        show: draws.

    Raises:
        BadInputError: a flag or a file is wrong.
        ClusterUnreachableError: the cluster does not answer.
    """
    # What is written between two looks would tear the picture.
    configure_logging(component="top", json=False, level="error")
    asyncio.run(_until_signal(source, once=once, show=show))


async def _until_signal(source: SourceOptions, *, once: bool, show: Show) -> None:
    watching = asyncio.ensure_future(_watch(source, once=once, show=show))
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, watching.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await watching


async def _watch(source: SourceOptions, *, once: bool, show: Show) -> None:
    async with followed(
        live_transport(source),
        rules_for=lambda live: rules_of_live(source, live),
        clock=RealClock(),
    ) as views:
        version = -1
        while True:
            await views.changed_since(version)
            view = await views.overview()
            version = view.version
            show(view)
            if once:
                return
