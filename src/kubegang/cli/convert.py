"""``kubegang convert``: manifests for another generation of the gang scheduling API."""

from __future__ import annotations

from typing import Literal

import click

from kubegang.app.converting import convert_files
from kubegang.app.errors import BadInputError
from kubegang.cli.rendering.structured import as_json
from kubegang.cli.standardinput import StandardInput
from kubegang.tools.converting.generations import GENERATION_OF
from kubegang.tools.converting.report import Conversion, Generation

EXIT_NO = 1

GENERATIONS = ("v1alpha1", "v1alpha2", "v1alpha3", "v1beta1")

EXAMPLES = """\b
Examples:
  kubegang convert gang.yaml --to v1beta1 > new.yaml
  kubegang convert manifests/ --to-kubernetes 1.36
  helm template . | kubegang convert - --to-kubernetes 1.37 --ignore-unknown
  kubegang convert volcano-job.yaml --to v1beta1 --allow-loss
  kubegang convert gang.yaml --to v1alpha2 -o json | jq '.findings'
"""


@click.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILES…")
@click.option("--to", "to", type=click.Choice(GENERATIONS), help="The API version to reach.")
@click.option(
    "--to-kubernetes",
    type=click.Choice(tuple(GENERATION_OF)),
    help="The same, said by the release that has it.",
)
@click.option(
    "--from",
    "source",
    type=click.Choice(GENERATIONS),
    help="What the files are written for, if they do not say: it decides which Jobs are gangs.",
)
@click.option("--allow-loss", is_flag=True, help="Go on without the fields listed as lost.")
@click.option("--ignore-unknown", is_flag=True, help="Leave objects of unknown kinds as they are.")
@click.option(
    "--output",
    "-o",
    type=click.Choice(["yaml", "json"]),
    default="yaml",
    show_default=True,
    help="The manifests, or a report with them in it.",
)
@click.pass_context
def convert(
    context: click.Context,
    files: tuple[str, ...],
    *,
    to: Generation | None,
    to_kubernetes: Literal["1.35", "1.36", "1.37"] | None,
    source: str | None,
    allow_loss: bool,
    ignore_unknown: bool,
    output: str,
) -> None:
    """Convert Workloads, PodGroups, pods and Jobs to another generation of the API.

    FILES are manifests, directories of them, or - for standard input; all are converted
    together, since they refer to each other. Objects of Volcano, scheduler-plugins, YuniKorn,
    KAI and Kueue are understood too. Comments and order are kept; what has no counterpart is
    listed on standard error, and nothing is written unless --allow-loss accepts it.

    Exit status: 0 converted; 1 refused, with the reasons; 2 bad input.
    """
    if (to is None) == (to_kubernetes is None):
        raise BadInputError("give one of --to and --to-kubernetes")
    target = to or GENERATION_OF[to_kubernetes or "1.37"]
    conversion = convert_files(
        files,
        target,
        source=source or "",
        ignore_unknown=ignore_unknown,
        allow_loss=allow_loss,
        read_standard_input=StandardInput(),
    )
    _show(conversion, output)
    context.exit(0 if conversion.converted else EXIT_NO)


def _show(conversion: Conversion, output: str) -> None:
    if output == "json":
        click.echo(as_json(conversion), nl=False)
        return
    for finding in conversion.findings:
        field = f" {finding.field}" if finding.field else ""
        said = f"{finding.level}: {finding.object}{field}: {finding.message}"
        click.echo(f"{finding.where}: {said}", err=True)
    if not conversion.converted:
        refused = any(finding.level == "refused" for finding in conversion.findings)
        hint = "" if refused else "; --allow-loss goes on without what is lost"
        click.echo(f"not converted{hint}", err=True)
        return
    click.echo(conversion.output, nl=False)
