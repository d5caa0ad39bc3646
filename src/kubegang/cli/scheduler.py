"""``kubegang scheduler``: the scheduler alone, against any cluster."""

from __future__ import annotations

import click

from kubegang.app.options import GateFlags
from kubegang.app.standalone import SchedulerOptions, run_standalone
from kubegang.cli.flags import kubernetes_version_flag, log_level_flag

EXAMPLES = """\b
Examples:
  kubegang scheduler --kubeconfig ~/.kube/config         # serves schedulerName: kubegang
  kubegang scheduler --scheduler-name default-scheduler --kubeconfig dev/kubeconfig
  kubegang scheduler --config scheduler.yaml             # names and plugins from the file
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--kubeconfig",
    default="",
    metavar="FILE",
    help="The cluster. Default: $KUBECONFIG, in-cluster, ~/.kube/config.",
)
@click.option(
    "--scheduler-name",
    "scheduler_names",
    multiple=True,
    metavar="NAME",
    help="Serve pods with this schedulerName; repeatable. Default: kubegang.",
)
@click.option("--config", default="", metavar="FILE", help="A KubeSchedulerConfiguration.")
@kubernetes_version_flag
@click.option(
    "--feature-gates", default="", metavar="A=true,B=false", help="The scheduler's gates."
)
@click.option(
    "--leader-elect/--no-leader-elect",
    default=None,
    help="Wait for the Lease before scheduling. Default: as configured, on.",
)
@log_level_flag("info")
@click.option("--log-json", is_flag=True, help="Write log lines as JSON.")
def scheduler(  # noqa: PLR0917 - click hands over one argument per flag
    kubeconfig: str,
    scheduler_names: tuple[str, ...],
    config: str,
    kubernetes_version: str,
    feature_gates: str,
    leader_elect: bool | None,  # noqa: FBT001
    log_level: str,
    log_json: bool,  # noqa: FBT001
) -> None:
    """Schedule pods of a cluster, the embedded one or any other.

    It serves only pods whose schedulerName is "kubegang" unless told otherwise, so it is safe
    beside kube-scheduler.
    """
    run_standalone(
        SchedulerOptions(
            kubeconfig=kubeconfig,
            scheduler_names=scheduler_names,
            config=config,
            kubernetes_version=kubernetes_version,
            gates=GateFlags(scheduler=feature_gates),
            leader_elect=leader_elect,
            log_level=log_level,
            log_json=log_json,
        )
    )
