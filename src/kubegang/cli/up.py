"""``kubegang up``: the embedded control plane with one command."""

from __future__ import annotations

import os
from pathlib import Path

import click

from kubegang.app.datadir import default_data_dir
from kubegang.app.errors import BadInputError
from kubegang.app.options import (
    COMPONENTS,
    DEFAULT_LISTEN,
    DEFAULT_PAGE_LISTEN,
    ComponentName,
    UpOptions,
)
from kubegang.app.up import run_up
from kubegang.cli.flags import ReleaseFlags, log_level_flag, release_flags

EXAMPLES = """\b
Examples:
  kubegang up                                     # 127.0.0.1:6443, state kept
  kubegang up --in-memory --listen 127.0.0.1:0    # throw-away, free port
  kubegang up --nodes examples/two-racks.yaml     # a simulated GPU cluster
  kubegang up --feature-gates WorkloadWithJob=false
  kubegang up --components apiserver              # bring your own scheduler
"""


@click.command(epilog=EXAMPLES)
@release_flags
@click.option(
    "--components",
    default=",".join(COMPONENTS),
    show_default=True,
    help="Which parts to run. Without apiserver, --kubeconfig is read instead of written.",
)
@click.option(
    "--nodes",
    default="0",
    show_default=True,
    metavar="N|FILE",
    help="Simulated nodes to make: so many plain ones, or those of a node file.",
)
@click.option(
    "--data-dir",
    default="",
    metavar="DIR",
    help="Keep state here. Default: $XDG_DATA_HOME/kubegang.",
)
@click.option("--in-memory", is_flag=True, help="Keep no state; everything is gone at the end.")
@click.option(
    "--listen",
    default=DEFAULT_LISTEN,
    show_default=True,
    metavar="HOST:PORT",
    help="Where the API server answers; port 0 picks a free one.",
)
@click.option(
    "--page-listen",
    default=DEFAULT_PAGE_LISTEN,
    show_default=True,
    metavar="HOST:PORT",
    help="Where browsers on this machine find the page; port 0 picks a free one.",
)
@click.option(
    "--page-allow-changes",
    is_flag=True,
    help="Let the page cordon nodes and delete gangs, as a user with the rights for just that.",
)
@click.option(
    "--kubeconfig",
    default="",
    metavar="FILE",
    help="Write the kubeconfig here. Default: in the data directory.",
)
@click.option(
    "--config", default="", metavar="FILE", help="A KubeSchedulerConfiguration for the scheduler."
)
@click.option(
    "--controllers",
    default="*",
    show_default=True,
    metavar="LIST",
    help="Controllers to run, as in kube-controller-manager: '*,-job-controller'.",
)
@click.option(
    "--authorization-mode",
    type=click.Choice(["RBAC", "AlwaysAllow"]),
    default="RBAC",
    show_default=True,
    help="Who may do what: as roles say, or everything.",
)
@click.option(
    "--audit-log-path",
    default="",
    metavar="FILE",
    help="Note every request here, one line of JSON each.",
)
@click.option("--enable-admission-plugins", default="", metavar="LIST", help="As kube-apiserver.")
@click.option("--disable-admission-plugins", default="", metavar="LIST", help="As kube-apiserver.")
@click.option("--single-process", is_flag=True, help="Run all components in this process.")
@log_level_flag("warning")
@click.option("--log-json", is_flag=True, help="Write log lines as JSON.")
def up(  # noqa: PLR0917 - click hands over one argument per flag
    release: ReleaseFlags,
    components: str,
    nodes: str,
    data_dir: str,
    in_memory: bool,  # noqa: FBT001
    listen: str,
    page_listen: str,
    page_allow_changes: bool,  # noqa: FBT001
    kubeconfig: str,
    config: str,
    controllers: str,
    authorization_mode: str,
    audit_log_path: str,
    enable_admission_plugins: str,
    disable_admission_plugins: str,
    single_process: bool,  # noqa: FBT001
    log_level: str,
    log_json: bool,  # noqa: FBT001
) -> None:
    """Start a Kubernetes control plane with gang scheduling on this machine.

    Starts the API server, controllers, scheduler and simulated nodes, prints the line to
    set KUBECONFIG and, when everything answers, a line with the word "ready". Then the page
    prints the address at which a browser can log in.
    Ctrl-C or SIGTERM stops it.
    """
    if in_memory and data_dir:
        raise BadInputError("--in-memory keeps no state: leave --data-dir out")
    run_up(
        UpOptions(
            kubernetes_version=release.kubernetes_version,
            gates=release.gates,
            runtime_config=release.runtime_config,
            components=_components(components),
            nodes=nodes,
            data_dir="" if in_memory else data_dir or str(default_data_dir(dict(os.environ))),
            listen=listen,
            page_listen=page_listen,
            page_allow_changes=page_allow_changes,
            kubeconfig=kubeconfig,
            config=config,
            controllers=controllers,
            authorization_mode=authorization_mode,
            audit_log_path=audit_log_path and str(Path(audit_log_path).absolute()),
            enable_admission_plugins=enable_admission_plugins,
            disable_admission_plugins=disable_admission_plugins,
            single_process=single_process,
            log_level=log_level,
            log_json=log_json,
        ),
        say=click.echo,
    )


def _components(text: str) -> tuple[ComponentName, ...]:
    wanted = [word.strip() for word in text.split(",") if word.strip()]
    unknown = [word for word in wanted if word not in COMPONENTS]
    if unknown or not wanted:
        raise BadInputError(f"--components: need some of {', '.join(COMPONENTS)}, found {text!r}")
    return tuple(name for name in COMPONENTS if name in wanted)
