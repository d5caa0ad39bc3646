"""``kubegang scheduler``: the scheduler alone, against any cluster."""

from __future__ import annotations

import click

from kubegang.app.options import GateFlags
from kubegang.app.secureserving import ServingOptions
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
@click.option(
    "--bind-address",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Where health, metrics and the configuration are served.",
)
@click.option(
    "--secure-port",
    type=click.IntRange(0, 65535),
    default=None,
    metavar="PORT",
    help="The port; 0 serves nothing. Default: 10259, or a free one if that is taken.",
)
@click.option("--tls-cert-file", default="", metavar="FILE", help="Certificate for serving, PEM.")
@click.option("--tls-private-key-file", default="", metavar="FILE", help="Its key, PEM.")
@click.option(
    "--authorization-always-allow-paths",
    "open_paths",
    default="/healthz,/readyz,/livez",
    show_default=True,
    metavar="PATHS",
    help="What everybody may ask; for the rest the API server is asked.",
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
    bind_address: str,
    secure_port: int | None,
    tls_cert_file: str,
    tls_private_key_file: str,
    open_paths: str,
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
            serving=ServingOptions(
                host=bind_address,
                port=secure_port,
                certificate=tls_cert_file,
                key=tls_private_key_file,
                open_paths=tuple(filter(None, open_paths.split(","))),
            ),
            log_level=log_level,
            log_json=log_json,
        )
    )
