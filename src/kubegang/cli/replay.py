"""``kubegang replay``: a trace of jobs, played in virtual time."""

from __future__ import annotations

import click

from kubegang.app.options import UpOptions
from kubegang.app.replaying import ReplayOptions, check_plot_name, replay_trace, write_plot
from kubegang.base.logging import configure_logging
from kubegang.cli.flags import played_flags
from kubegang.cli.rendering.elapsed import elapsed_text
from kubegang.cli.rendering.replayreport import replay_parts
from kubegang.cli.sourceflags import EXIT_NO, Output, output_flag, progress, show
from kubegang.cli.standardinput import StandardInput

EXAMPLES = """\b
Examples:
  kubegang replay trace.csv --nodes cluster.yaml
  kubegang replay jobs.yaml --nodes cluster.yaml --kubernetes-version 1.36 -o json
  kubegang replay trace.csv --nodes cluster.yaml --plot replay.svg
"""


@click.command(epilog=EXAMPLES)
@click.argument("trace", metavar="TRACE")
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
@click.option("--plot", default="", metavar="FILE.svg|FILE.png", help="Draw it over time.")
@played_flags
@output_flag
@click.pass_context
def replay(  # noqa: PLR0917 - click hands over one argument per flag
    context: click.Context,
    trace: str,
    gpu_resource: str,
    scheduler_name: str,
    plot: str,
    cluster: UpOptions,
    seed: int,
    output: Output,
) -> None:
    """Play a trace of jobs on a cluster in virtual time, and tell waits and utilisation.

    TRACE is a CSV file with the columns job_id, submission_time, duration and num_gpu, a YAML
    document of kind JobTrace, or "-" for standard input. The scheduler's own queue, cache and
    decisions are used, without an API server.

    Exit status: 0 every job ended, 1 some never began, 2 bad input.
    """
    configure_logging(component="replay", json=False, level="error")
    if plot:
        check_plot_name(plot)
    options = ReplayOptions(
        trace=trace,
        gpu_resource=gpu_resource,
        scheduler_name=scheduler_name,
        seed=seed,
        cluster=cluster,
    )
    with progress("reading the trace") as told:
        report = replay_trace(
            options,
            read_standard_input=StandardInput(),
            progress=lambda ended, seconds: told(f"{ended} ended, {elapsed_text(seconds)}"),
        )
    if plot:
        write_plot(report, plot)
    show(report, output, lambda wide: replay_parts(report, wide=wide))
    if report.ended < report.jobs:
        context.exit(EXIT_NO)
