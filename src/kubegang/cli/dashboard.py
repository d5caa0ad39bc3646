"""``kubegang dashboard``: the page for any cluster."""

from __future__ import annotations

import click

from kubegang.app.clustersource import SourceOptions
from kubegang.app.dashboard import DashboardOptions, run_dashboard
from kubegang.app.options import DEFAULT_PAGE_LISTEN
from kubegang.cli.flags import log_level_flag
from kubegang.cli.sourceflags import live_flags

EXAMPLES = """\b
Examples:
  kubegang dashboard                               # the cluster that kubectl would use
  kubegang dashboard --context prod --listen 127.0.0.1:8080
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--listen",
    default=DEFAULT_PAGE_LISTEN,
    show_default=True,
    metavar="HOST:PORT",
    help="Where browsers on this machine find the page; port 0 picks a free one.",
)
@click.option(
    "--allow-changes",
    is_flag=True,
    help="Let the page cordon nodes and delete gangs, with the kubeconfig's credentials.",
)
@live_flags
@log_level_flag("warning")
def dashboard(
    listen: str,
    allow_changes: bool,  # noqa: FBT001 - click hands over one argument per flag
    source: SourceOptions,
    log_level: str,
) -> None:
    """Show a cluster in the browser: gangs and why they wait, nodes, what happened.

    Prints an address that is good for one login; after each use, the next one. The cluster is
    read with the kubeconfig's credentials, and only read without --allow-changes. Ctrl-C or
    SIGTERM stops it.
    """
    run_dashboard(
        DashboardOptions(
            source=source, listen=listen, allow_changes=allow_changes, log_level=log_level
        ),
        say=click.echo,
    )
