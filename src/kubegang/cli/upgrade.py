"""``kubegang upgrade``: plan and do the step of a data directory to another release."""

from __future__ import annotations

import os
from typing import Literal

import click
import uvloop
from rich.console import Console

from kubegang.app.datadir import default_data_dir, existing, opened
from kubegang.app.errors import BadInputError
from kubegang.app.profiles.gate_flags import GateFlagError, parse_gates
from kubegang.app.upgrading import apply_upgrade, plan_upgrade
from kubegang.base.clock import RealClock
from kubegang.cli.rendering.structured import as_json, as_yaml
from kubegang.cli.rendering.tables import print_parts
from kubegang.cli.rendering.upgradeplan import upgrade_parts
from kubegang.tools.upgradeplan import UpgradePlan
from kubegang.tools.workunits import count_of

EXIT_NO = 1

Output = Literal["table", "wide", "json", "yaml"]

EXAMPLES = """\b
Examples:
  kubegang upgrade --to 1.37 --plan                  # what has to be done, as a list
  kubegang upgrade --data-dir dev --to 1.36 --apply  # a step back; asks before it deletes
  kubegang upgrade --to 1.37 --plan -o json
  kubegang upgrade --to 1.37 --plan --feature-gates GangScheduling=true,WorkloadWithJob=false
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--data-dir",
    default="",
    metavar="DIR",
    help="The directory of kubegang up. Default: $XDG_DATA_HOME/kubegang.",
)
@click.option(
    "--to", "to_version", required=True, metavar="VERSION", help="The release to reach: 1.37."
)
@click.option("--plan", "only_plan", is_flag=True, help="Say what is to be done. The default.")
@click.option("--apply", is_flag=True, help="Do it, after asking. Stop kubegang up before.")
@click.option("--yes", is_flag=True, help="With --apply: do not ask.")
@click.option(
    "--feature-gates",
    default="",
    metavar="A=true,B=false",
    help="All gates that your flags for kubegang up name: says which of them to drop.",
)
@click.option(
    "--output",
    "-o",
    type=click.Choice(["table", "wide", "json", "yaml"]),
    default="table",
    show_default=True,
)
@click.pass_context
def upgrade(  # noqa: PLR0917 - click hands over one argument per flag
    context: click.Context,
    data_dir: str,
    to_version: str,
    only_plan: bool,  # noqa: FBT001
    apply: bool,  # noqa: FBT001
    yes: bool,  # noqa: FBT001
    feature_gates: str,
    output: Output,
) -> None:
    """Walk the state of a data directory to another Kubernetes release, as upstream would.

    One minor version at a time, forwards or back. What the next release cannot decode has to
    be deleted first: the plan names it, with the kubectl commands, the fields that will not be
    shown, and the gate names to drop or add. --apply deletes it itself and keeps a copy.

    Exit status: 0 nothing is in the way, or it was done; 1 something must be deleted first, or
    you declined; 2 bad input.
    """
    if only_plan and apply:
        raise BadInputError("--plan only looks: leave it out with --apply")
    path = data_dir or str(default_data_dir(dict(os.environ)))
    to_version = to_version.removeprefix("v")
    plan = plan_upgrade(existing(path), to_version, named_gates=_named(feature_gates))
    _show(plan, output)
    if not apply:
        context.exit(0 if plan.possible else EXIT_NO)
    if plan.steps and not yes and not _agreed(plan):
        click.echo("nothing was changed", err=True)
        context.exit(EXIT_NO)
    with opened(path) as directory:
        uvloop.run(apply_upgrade(directory, to_version, clock=RealClock()))
    click.echo(f"{plan.data_directory} holds state of Kubernetes {to_version}", err=True)


def _named(feature_gates: str) -> list[str]:
    try:
        return list(parse_gates(feature_gates))
    except GateFlagError as error:
        raise BadInputError(f"--feature-gates: {error}") from error


def _agreed(plan: UpgradePlan) -> bool:
    """Ask on standard error; no answer is no."""
    deleted = sum(len(step.must_be_deleted) + len(step.go_with_them) for step in plan.steps)
    first = f"delete {count_of(deleted, 'object')} and " if deleted else ""
    try:
        return click.confirm(
            f"{first}step {plan.data_directory} to Kubernetes {plan.to_version}?", err=True
        )
    except click.Abort:
        return False


def _show(plan: UpgradePlan, output: Output) -> None:
    match output:
        case "json":
            click.echo(as_json(plan), nl=False)
        case "yaml":
            click.echo(as_yaml(plan), nl=False)
        case _:
            console = Console(highlight=False)
            print_parts(upgrade_parts(plan, wide=output == "wide"), console)
