"""``kubegang top``: the page in a terminal."""

from __future__ import annotations

import click
from rich.console import Console, Group
from rich.live import Live

from kubegang.app.clustersource import SourceOptions
from kubegang.app.pageviews import PageView
from kubegang.app.top import run_top
from kubegang.cli.rendering.topview import top_parts
from kubegang.cli.sourceflags import Output, live_flags, output_flag, show

EXAMPLES = """\b
Examples:
  kubegang top                          # live, until Ctrl-C
  kubegang top --once -o json           # one look, for scripts
"""

ROWS_BESIDE_GANGS = 12
"""Of a terminal's rows so many are for everything else."""


@click.command(epilog=EXAMPLES)
@click.option("--once", is_flag=True, help="Print one look and end, as where no terminal is.")
@live_flags
@output_flag
def top(once: bool, source: SourceOptions, output: Output) -> None:  # noqa: FBT001
    """Show a cluster in the terminal: gangs and why they wait, and how full its nodes are.

    On a terminal it is drawn anew whenever something changes. Reads only.
    """
    console = Console(highlight=False)
    if once or output != "table" or not console.is_terminal:
        run_top(
            source,
            once=True,
            show=lambda view: show(view.overview, output, lambda _wide: top_parts(view.overview)),
        )
        return
    with Live(console=console, screen=True, auto_refresh=False) as live:
        run_top(source, once=False, show=lambda view: _draw(view, live, console))


def _draw(view: PageView, live: Live, console: Console) -> None:
    gangs = max(console.height - ROWS_BESIDE_GANGS, 3)
    live.update(Group(*top_parts(view.overview, gangs=gangs)), refresh=True)
