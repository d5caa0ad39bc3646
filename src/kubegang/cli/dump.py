"""``kubegang dump``: everything that scheduling depends on, redacted, in one file."""

from __future__ import annotations

from typing import Literal

import click

from kubegang.app.clustersource import SourceOptions
from kubegang.app.dumping import DumpOptions, dump_cluster
from kubegang.cli.sourceflags import progress, source_flags
from kubegang.cli.standardinput import StandardInput

EXAMPLES = """\b
Examples:
  kubegang dump > dump.json                     # the live cluster; reads only
  kubegang dump --anonymize -o yaml > dump.yaml # for a bug report
  kubectl get all,nodes -A -o yaml | kubegang dump -f -   # redact what somebody else saved
"""


@click.command(epilog=EXAMPLES)
@source_flags
@click.option(
    "--anonymize", is_flag=True, help="Give objects made-up names; leave out all messages."
)
@click.option(
    "-o",
    "--output",
    type=click.Choice(["json", "yaml"]),
    default="json",
    show_default=True,
    help="JSON is read many times faster.",
)
def dump(source: SourceOptions, *, anonymize: bool, output: Literal["json", "yaml"]) -> None:
    """Print a dump that explain and what-if read.

    It holds nodes, unfinished pods, groups, their owners, budgets, volumes and claims, as
    objects of a List. Secrets and ConfigMaps are not read; environment, arguments, commands
    and probes of containers and annotations of others are left out. A second document says
    when it was taken, from which release, and what could not be read.

    Exit status: 0 fine; 2 bad input; 3 the cluster could not be reached.
    """
    options = DumpOptions(source=source, anonymize=anonymize, format=output)
    with progress() as told:
        text = dump_cluster(options, read_standard_input=StandardInput(), progress=told)
    click.echo(text, nl=False)
