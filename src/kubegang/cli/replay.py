"""``kubegang replay``: a trace of jobs, played in virtual time."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

import click
from rich.console import Console

from kubegang.app.errors import BadInputError
from kubegang.app.options import UpOptions
from kubegang.app.replaying import ReplayOptions, replay_trace, write_plot
from kubegang.base.logging import configure_logging
from kubegang.cli.flags import ReleaseFlags, release_flags
from kubegang.cli.rendering.elapsed import elapsed_text
from kubegang.cli.rendering.replayreport import replay_parts
from kubegang.cli.sourceflags import EXIT_NO, Output, output_flag, show

EXAMPLES = """\b
Examples:
  kubegang replay trace.csv --nodes cluster.yaml
  kubegang replay jobs.yaml --nodes cluster.yaml --kubernetes-version 1.36 -o json
  kubegang replay trace.csv --nodes cluster.yaml --plot replay.svg
"""


@click.command(epilog=EXAMPLES)
@click.argument("trace", metavar="TRACE")
@click.option(
    "--nodes",
    default="0",
    metavar="N|FILE",
    help="The cluster: so many plain nodes, or those of a node file.",
)
@click.option(
    "--gpu-resource",
    default="nvidia.com/gpu",
    show_default=True,
    metavar="NAME",
    help="What the GPUs of a CSV trace are called on the nodes.",
)
@click.option(
    "--scheduler-name",
    default="default-scheduler",
    show_default=True,
    metavar="NAME",
    help="Whose pods they are: default-scheduler, kubegang, or one of --config.",
)
@click.option("--plot", default="", metavar="FILE.svg", help="Draw use and queue over time.")
@click.option(
    "--seed", default=0, show_default=True, help="Of chance; the same seed repeats a replay."
)
@release_flags
@click.option("--config", default="", metavar="FILE", help="A KubeSchedulerConfiguration.")
@output_flag
@click.pass_context
def replay(  # noqa: PLR0917 - click hands over one argument per flag
    context: click.Context,
    trace: str,
    nodes: str,
    gpu_resource: str,
    scheduler_name: str,
    plot: str,
    seed: int,
    release: ReleaseFlags,
    config: str,
    output: Output,
) -> None:
    """Play a trace of jobs on a cluster in virtual time, and tell waits and utilisation.

    TRACE is a CSV file with the columns job_id, submission_time, duration and num_gpu, a YAML
    document of kind JobTrace, or "-" for standard input. The scheduler's own queue, cache and
    decisions are used, without an API server.

    Exit status: 0 every job ended, 1 some never began, 2 bad input.
    """
    configure_logging(component="replay", json=False, level="error")
    if plot and not plot.endswith(".svg"):
        raise BadInputError(f"--plot: need a name that ends in .svg, found {plot!r}")
    options = ReplayOptions(
        trace=trace,
        gpu_resource=gpu_resource,
        scheduler_name=scheduler_name,
        seed=seed,
        cluster=UpOptions(
            kubernetes_version=release.kubernetes_version,
            gates=release.gates,
            runtime_config=release.runtime_config,
            nodes=nodes,
            config=config,
        ),
    )
    with _progress() as told:
        report = replay_trace(options, read_standard_input=sys.stdin.read, progress=told)
    if plot:
        write_plot(report, plot)
    show(report, output, lambda wide: replay_parts(report, wide=wide))
    if report.ended < report.jobs:
        context.exit(EXIT_NO)


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[int, float], None]]:
    """Show on a terminal how many jobs have ended."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _ended, _seconds: None
        return
    with console.status("reading the trace") as status:
        yield lambda ended, seconds: status.update(f"{ended} ended, {elapsed_text(seconds)}")
