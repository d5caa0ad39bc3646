"""``kubegang explain``: why a pod, group or Job waits, and what would let it start."""

from __future__ import annotations

import click

from kubegang.app.clustersource import SourceOptions
from kubegang.app.explaining import explain_object
from kubegang.cli.rendering.explainreport import explain_parts
from kubegang.cli.sourceflags import EXIT_NO, Output, output_flag, progress, show, source_flags
from kubegang.cli.standardinput import StandardInput

EXAMPLES = """\b
Examples:
  kubegang explain podgroup/training -n research     # on the live cluster; reads only
  kubegang explain job/train -o json
  kubegang explain pod/train-3 -f dump.yaml          # from a dump
  kubectl get nodes,pods,podgroups -A -o yaml | kubegang explain podgroup/training -f -
"""


@click.command(epilog=EXAMPLES)
@click.argument("name", metavar="KIND/NAME")
@click.option(
    "-n", "--namespace", default="default", show_default=True, metavar="NAME", help="Where it is."
)
@source_flags
@output_flag
@click.pass_context
def explain(
    context: click.Context, name: str, namespace: str, source: SourceOptions, output: Output
) -> None:
    """Say why a pod, PodGroup, CompositePodGroup, Workload or Job waits, or where it is.

    The scheduler's own decision is taken on the cluster as it is, and told: who is missing,
    what is lacking where and who has it, what preemption could do, when the next attempt is,
    and the smallest changes that let it start. Reads only.

    Exit status: 0 it runs, or starts with the next attempt; 1 it waits; 2 bad input; 3 the
    cluster could not be reached.
    """
    with progress() as told:
        report = explain_object(
            source, name, namespace, read_standard_input=StandardInput(), progress=told
        )
    show(report, output, lambda wide: explain_parts(report, wide=wide))
    if not report.is_fine:
        context.exit(EXIT_NO)
