"""Flags that several commands share, each written once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import click

from kubegang.app.options import DEFAULT_VERSION, GateFlags, UpOptions

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


class ReleaseFlags(NamedTuple):
    """Which Kubernetes release, with which gates and API versions."""

    kubernetes_version: str
    gates: GateFlags
    runtime_config: str


def release_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags that choose a release; the command gets them as ``release``."""

    @functools.wraps(command)
    def with_release(*args: Any, **flags: Any) -> Any:
        release = ReleaseFlags(
            kubernetes_version=flags.pop("kubernetes_version"),
            gates=GateFlags(
                all=flags.pop("feature_gates"),
                apiserver=flags.pop("apiserver_feature_gates"),
                controllers=flags.pop("controllers_feature_gates"),
                scheduler=flags.pop("scheduler_feature_gates"),
                kubelet=flags.pop("kubelet_feature_gates"),
            ),
            runtime_config=flags.pop("runtime_config"),
        )
        return command(*args, release=release, **flags)

    decorated: Callable[..., Any] = with_release
    for option in reversed(_RELEASE_OPTIONS):
        decorated = option(decorated)
    return decorated


def played_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags of what is played in virtual time, as ``cluster`` and ``seed``."""

    @functools.wraps(command)
    def with_cluster(*args: Any, release: ReleaseFlags, **flags: Any) -> Any:
        cluster = UpOptions(
            kubernetes_version=release.kubernetes_version,
            gates=release.gates,
            runtime_config=release.runtime_config,
            nodes=flags.pop("nodes"),
            config=flags.pop("config"),
        )
        return command(*args, cluster=cluster, **flags)

    decorated: Callable[..., Any] = release_flags(with_cluster)
    for option in reversed(_PLAYED_OPTIONS):
        decorated = option(decorated)
    return decorated


def log_level_flag(default: str) -> Callable[[CommandT], CommandT]:
    """Return the decorator for ``--log-level``."""
    return click.option(
        "--log-level",
        type=click.Choice(["debug", "info", "warning", "error"]),
        default=default,
        show_default=True,
    )


_PLAYED_OPTIONS = (
    click.option(
        "--nodes",
        default="0",
        show_default=True,
        metavar="N|FILE",
        help="Simulated nodes: so many plain ones, or those of a node file.",
    ),
    click.option(
        "--seed",
        default=0,
        show_default=True,
        help="Of chance; the same seed repeats it all.",
    ),
    click.option("--config", default="", metavar="FILE", help="A KubeSchedulerConfiguration."),
)

kubernetes_version_flag = click.option(
    "--kubernetes-version",
    default=DEFAULT_VERSION,
    show_default=True,
    metavar="VERSION",
    help="Behave as this release: 1.35, 1.36 or 1.37.",
)

_RELEASE_OPTIONS = (
    kubernetes_version_flag,
    click.option(
        "--feature-gates",
        default="",
        metavar="A=true,B=false",
        help="Edit gates in every component that knows them. All gang-scheduling gates start on.",
    ),
    *(
        click.option(f"--{component}-feature-gates", default="", metavar="…", help=f"For {who}.")
        for component, who in (
            ("apiserver", "the API server only"),
            ("controllers", "the controllers only"),
            ("scheduler", "the scheduler only"),
            ("kubelet", "the nodes only"),
        )
    ),
    click.option(
        "--runtime-config",
        default="",
        metavar="GROUP/VERSION=true",
        help="API versions to serve or not; those of the gang-scheduling gates start served.",
    ),
)
