"""``kubegang check``: what becomes of manifests in each Kubernetes version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import click

from kubegang.app.checking import CheckOptions, check, check_cluster
from kubegang.app.errors import BadInputError
from kubegang.app.options import GateFlags
from kubegang.cli.rendering.checkformats import as_github, as_sarif
from kubegang.cli.rendering.checkreport import check_parts
from kubegang.cli.sourceflags import EXIT_NO, progress, show
from kubegang.cli.standardinput import StandardInput
from kubegang.tools.checking.report import CheckReport, Severity

Form = Literal["table", "wide", "json", "yaml", "sarif", "github"]

EXAMPLES = """\b
Examples:
  kubegang check jobs/                               # for every Kubernetes version
  helm template my-chart | kubegang check - --ignore-unknown
  kubegang check --kubernetes-version 1.37 job.yaml nodes.yaml -o wide
  kubegang check jobs/ -o sarif --fail-on warning    # for a pipeline
  kubegang check --cluster                           # the live cluster; reads only
"""

_GATES = "A=true,B=false"
_OPTIONS = (
    click.argument("files", nargs=-1, metavar="[FILES]..."),
    click.option("--cluster", is_flag=True, help="Check what is in the live cluster instead."),
    click.option("--kubeconfig", default="", metavar="FILE", help="With --cluster: which one."),
    click.option("--context", "kube_context", default="", metavar="NAME", help="Its context."),
    click.option(
        "--kubernetes-version",
        "versions",
        multiple=True,
        metavar="VERSION",
        help="Check for this release; repeatable. Default: all.",
    ),
    click.option(
        "--feature-gates",
        default="",
        metavar=_GATES,
        help="Edit the gates of all components. Without flags those of gang scheduling are on.",
    ),
    click.option("--apiserver-feature-gates", default="", metavar=_GATES, help="Of one component."),
    click.option("--controllers-feature-gates", default="", metavar=_GATES, help="The same."),
    click.option("--scheduler-feature-gates", default="", metavar=_GATES, help="The same."),
    click.option("--kubelet-feature-gates", default="", metavar=_GATES, help="The same."),
    click.option(
        "--scheduler-name",
        "scheduler_names",
        multiple=True,
        metavar="NAME",
        help="A further scheduler that runs in the cluster; repeatable.",
    ),
    click.option("--config", default="", metavar="FILE", help="A KubeSchedulerConfiguration."),
    click.option(
        "--ignore-unknown", is_flag=True, help="Pass over objects of kinds that nobody knows here."
    ),
    click.option(
        "--fail-on",
        type=click.Choice(["error", "warning", "info", "never"]),
        default="error",
        show_default=True,
        help="End with status 1 if there is a finding of this severity or a worse one.",
    ),
    click.option(
        "-o",
        "--output",
        type=click.Choice(["table", "wide", "json", "yaml", "sarif", "github"]),
        default="table",
        show_default=True,
        help="How to print the answer.",
    ),
)


def _with_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command("check", epilog=EXAMPLES)
@_with_options
@click.pass_context
def check_command(
    context: click.Context,
    /,
    *,
    fail_on: Severity | Literal["never"],
    output: Form,
    **flags: Any,
) -> None:
    """Say what becomes of manifests in each Kubernetes version, before they are submitted.

    FILES are YAML or JSON files, directories of them, or - for standard input. Per version:
    what becomes a gang and by which conditions, whether its pods are alike, whether enough of
    them can ever exist, which fields are dropped or refused, and which feature gates each
    component needs. The rules are in docs/reference/checks.md. Reads only.

    Exit status: 0 nothing was found, or only what --fail-on lets pass; 1 something was found;
    2 bad input; 3 the cluster could not be reached.
    """
    options = _options(flags)
    with progress() as told:
        report = (
            check(options, read_standard_input=StandardInput())
            if options.files
            else check_cluster(options, progress=told)
        )
    _show(report, output)
    if report.fails(fail_on):
        context.exit(EXIT_NO)


def _options(flags: dict[str, Any]) -> CheckOptions:
    if bool(flags["files"]) == flags["cluster"]:
        raise BadInputError("need files, directories or -, or else --cluster")
    return CheckOptions(
        files=flags["files"],
        kubeconfig=flags["kubeconfig"],
        context=flags["kube_context"],
        versions=flags["versions"],
        gates=GateFlags(
            all=flags["feature_gates"],
            apiserver=flags["apiserver_feature_gates"],
            controllers=flags["controllers_feature_gates"],
            scheduler=flags["scheduler_feature_gates"],
            kubelet=flags["kubelet_feature_gates"],
        ),
        scheduler_names=flags["scheduler_names"],
        ignore_unknown=flags["ignore_unknown"],
        config=flags["config"],
    )


def _show(report: CheckReport, output: Form) -> None:
    match output:
        case "sarif":
            click.echo(as_sarif(report), nl=False)
        case "github":
            click.echo(as_github(report), nl=False)
        case _:
            show(report, output, lambda wide: check_parts(report, wide=wide))
