"""``kubegang run``: play manifests in virtual time, and say what happened and what waits."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Literal

import click
from rich.console import Console

from kubegang.api.config.durations import duration_seconds
from kubegang.app.options import UpOptions
from kubegang.app.run import RunOptions, run_once
from kubegang.base.logging import configure_logging
from kubegang.cli.flags import ReleaseFlags, log_level_flag, release_flags
from kubegang.cli.rendering.elapsed import elapsed_text
from kubegang.cli.rendering.runreport import run_parts
from kubegang.cli.rendering.structured import as_json, as_yaml
from kubegang.cli.rendering.tables import print_parts
from kubegang.tools.runreport import RunReport

EXIT_PENDING = 1

EXAMPLES = """\b
Examples:
  kubegang run examples/two-racks.yaml examples/training-job.yaml examples/second-job.yaml
  kubegang run --nodes 16 jobs/ --until 2h        # every manifest of a directory
  helm template chart | kubegang run --nodes cluster.yaml - -o json
  kubegang run cluster.yaml jobs.yaml --kubernetes-version 1.37 --seed 7
"""


def _duration(_context: click.Context, _parameter: click.Parameter, value: str) -> float:
    """Return the seconds of a time span such as 90s or 1h30m, or end with a usage error."""
    try:
        seconds = duration_seconds(value)
    except ValueError:
        seconds = 0.0
    if seconds <= 0:
        raise click.BadParameter(f"need a duration such as 90s or 1h30m, found {value!r}")
    return seconds


@click.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@click.option(
    "--until",
    callback=_duration,
    default="24h",
    show_default=True,
    metavar="DURATION",
    help="Stop after so much virtual time at the latest.",
)
@click.option(
    "--nodes",
    default="0",
    show_default=True,
    metavar="N|FILE",
    help="Further simulated nodes: so many plain ones, or those of a node file.",
)
@click.option(
    "--output",
    "-o",
    type=click.Choice(["table", "wide", "json", "yaml"]),
    default="table",
    show_default=True,
)
@click.option(
    "--seed", default=0, show_default=True, help="Of chance; the same seed repeats a run."
)
@release_flags
@click.option(
    "--config",
    default="",
    metavar="FILE",
    help="A KubeSchedulerConfiguration; one among FILES does as well.",
)
@log_level_flag("error")
@click.pass_context
def run(  # noqa: PLR0917 - click hands over one argument per flag
    context: click.Context,
    files: tuple[str, ...],
    until: float,
    nodes: str,
    output: Literal["table", "wide", "json", "yaml"],
    seed: int,
    release: ReleaseFlags,
    config: str,
    log_level: str,
) -> None:
    """Play clusters and workloads in virtual time, in memory, to the end.

    FILES are manifests as for "kubectl create -f", node files (kind SimulatedCluster), a
    KubeSchedulerConfiguration, directories of them, or "-" for standard input. Prints the
    time line, where the pods ran, and for what is pending the reason.

    Exit status: 0 everything that should run ran or runs, 1 something stays pending, 2 bad
    input.
    """
    configure_logging(component="run", json=False, level=log_level)
    options = RunOptions(
        paths=files,
        until=until,
        seed=seed,
        cluster=UpOptions(
            kubernetes_version=release.kubernetes_version,
            gates=release.gates,
            runtime_config=release.runtime_config,
            nodes=nodes,
            config=config,
        ),
    )
    with _progress() as progress:
        report = run_once(options, read_standard_input=sys.stdin.read, progress=progress)
    _show(report, output)
    if report.pending:
        context.exit(EXIT_PENDING)


def _show(report: RunReport, output: Literal["table", "wide", "json", "yaml"]) -> None:
    match output:
        case "json":
            click.echo(as_json(report), nl=False)
        case "yaml":
            click.echo(as_yaml(report), nl=False)
        case _:
            print_parts(run_parts(report, wide=output == "wide"), Console(highlight=False))


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[float], None]]:
    """Show on a terminal how far virtual time has come."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _seconds: None
        return
    with console.status("starting") as status:
        yield lambda seconds: status.update(f"simulated {elapsed_text(seconds)}")
