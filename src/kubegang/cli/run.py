"""``kubegang run``: play manifests in virtual time, and say what happened and what waits."""

from __future__ import annotations

import click

from kubegang.api.config.durations import duration_seconds
from kubegang.app.options import UpOptions
from kubegang.app.run import RunOptions, run_once
from kubegang.base.logging import configure_logging
from kubegang.cli.flags import log_level_flag, played_flags
from kubegang.cli.rendering.elapsed import elapsed_text
from kubegang.cli.rendering.runreport import run_parts
from kubegang.cli.sourceflags import EXIT_NO, Output, output_flag, progress, show
from kubegang.cli.standardinput import StandardInput

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
@output_flag
@played_flags
@log_level_flag("error")
@click.pass_context
def run(  # noqa: PLR0917 - click hands over one argument per flag
    context: click.Context,
    files: tuple[str, ...],
    until: float,
    output: Output,
    cluster: UpOptions,
    seed: int,
    log_level: str,
) -> None:
    """Play clusters and workloads in virtual time, in memory, to the end.

    FILES are manifests as for "kubectl create -f", node files (kind SimulatedCluster), a
    KubeSchedulerConfiguration (as with --config), directories of them, or "-" for standard
    input. Prints the time line, where the pods ran, and for what is pending the reason.

    Exit status: 0 everything that should run ran or runs, 1 something stays pending, 2 bad
    input.
    """
    configure_logging(component="run", json=False, level=log_level)
    options = RunOptions(paths=files, until=until, seed=seed, cluster=cluster)
    with progress("starting") as told:
        report = run_once(
            options,
            read_standard_input=StandardInput(),
            progress=lambda seconds: told(f"simulated {elapsed_text(seconds)}"),
        )
    show(report, output, lambda wide: run_parts(report, wide=wide))
    if report.pending:
        context.exit(EXIT_NO)
