"""The flags of the tools that read a cluster: from files, or through its API."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import click
import msgspec
from rich.console import Console, RenderableType

from kubegang.app.clustersource import SourceOptions
from kubegang.cli.rendering.structured import as_json, as_yaml
from kubegang.cli.rendering.tables import print_parts

Output = Literal["table", "wide", "json", "yaml"]

EXIT_NO = 1

_FILES = click.option(
    "-f",
    "--file",
    "files",
    multiple=True,
    metavar="FILE",
    help="A dump, manifests, a directory of them, or - for standard input; repeatable. "
    "Default: the live cluster.",
)
_LIVE = (
    click.option(
        "--kubeconfig",
        default="",
        metavar="FILE",
        help="The cluster. Default: $KUBECONFIG, in-cluster, ~/.kube/config.",
    ),
    click.option("--context", "kube_context", default="", metavar="NAME", help="Its context."),
    click.option(
        "--kubernetes-version",
        default="",
        metavar="VERSION",
        help="By the rules of this release. Default: the cluster's or the dump's.",
    ),
    click.option(
        "--feature-gates", default="", metavar="A=true,B=false", help="Edit that release's gates."
    ),
    click.option("--config", default="", metavar="FILE", help="A KubeSchedulerConfiguration."),
)


def source_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags that choose a cluster; the command gets them as ``source``."""
    return _with_source(command, (_FILES, *_LIVE))


def live_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add those that choose a live cluster; the command gets them as ``source``."""
    return _with_source(command, _LIVE)


def _with_source(
    command: Callable[..., Any], options: Sequence[Callable[..., Any]]
) -> Callable[..., Any]:
    @functools.wraps(command)
    def with_source(*args: Any, **flags: Any) -> Any:
        source = SourceOptions(
            files=flags.pop("files", ()),
            kubeconfig=flags.pop("kubeconfig"),
            context=flags.pop("kube_context"),
            kubernetes_version=flags.pop("kubernetes_version"),
            feature_gates=flags.pop("feature_gates"),
            config=flags.pop("config"),
        )
        return command(*args, source=source, **flags)

    decorated: Callable[..., Any] = with_source
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


output_flag = click.option(
    "-o",
    "--output",
    type=click.Choice(["table", "wide", "json", "yaml"]),
    default="table",
    show_default=True,
    help="How to print the answer.",
)


def show(
    report: msgspec.Struct, output: Output, parts: Callable[[bool], list[RenderableType]]
) -> None:
    """Print a report; ``parts`` makes it of tables, all of them if asked with ``True``."""
    match output:
        case "json":
            click.echo(as_json(report), nl=False)
        case "yaml":
            click.echo(as_yaml(report), nl=False)
        case _:
            print_parts(parts(output == "wide"), Console(highlight=False))


@contextlib.contextmanager
def progress(begin: str = "reading the cluster") -> Iterator[Callable[[str], None]]:
    """Show on a terminal what is being done, at first that it begins."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _text: None
        return
    with console.status(begin) as status:
        yield status.update
