"""The page's process."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from kubegang.app.child import Problems, Ready, main
from kubegang.app.clustersource import Rules
from kubegang.app.configuration import resolve_profile, scheduler_configuration
from kubegang.app.dashboard import serve_page
from kubegang.app.options import ChildSettings, UpOptions
from kubegang.base.clock import Clock
from kubegang.client.http import HttpTransport
from kubegang.client.kubeconfig import load_kubeconfig


async def run(settings: ChildSettings, *, clock: Clock, others: Problems, ready: Ready) -> None:
    """Show the page until cancelled."""
    rules = page_rules(settings.options)
    await serve_page(
        HttpTransport(load_kubeconfig(Path(settings.kubeconfig))),
        sock=socket.socket(fileno=settings.socket_descriptor),
        rules_for=lambda _live: rules,
        clock=clock,
        # The supervisor passes on what a component logs.
        say=lambda text: print(text, file=sys.stderr, flush=True),  # noqa: T201
        ready=ready,
        allow_changes=settings.options.page_allow_changes,
    )


def page_rules(options: UpOptions) -> Rules:
    """Return the rules of the scheduler that runs beside the page."""
    version = resolve_profile(options)
    config = scheduler_configuration(options.config, version)
    return Rules(version=version, config=config, configured=bool(options.config))


if __name__ == "__main__":
    sys.exit(main(run))
