"""``kubegang what-if``: what would start, go or stay if something were otherwise."""

from __future__ import annotations

import re

import click

from kubegang.app.clustersource import SourceOptions
from kubegang.app.supposed import AddedNodes, Suppositions
from kubegang.app.whatif import what_if
from kubegang.base.logging import configure_logging
from kubegang.cli.rendering.whatifreport import what_if_parts
from kubegang.cli.sourceflags import EXIT_NO, Output, output_flag, progress, show, source_flags
from kubegang.cli.standardinput import StandardInput

EXAMPLES = """\b
Examples:
  kubegang what-if --add-nodes 2=gpu-0                       # two more like node gpu-0
  kubegang what-if --add-nodes 0..8=cpu=16,memory=64Gi -f dump.json   # how many are enough?
  kubegang what-if --drain node-3 --submit job.yaml
  kubegang what-if --set-priority job/train=1000 -n research -o json
  kubegang what-if --defrag                                  # who would have to move?
  kubegang what-if --as 1.36 --as 1.37 --submit job.yaml     # side by side
"""

_ADDED = re.compile(r"(?P<least>\d+)(?:\.\.(?P<most>\d+))?=(?P<shape>.+)")
MOST_NODES = 10_000


def _added(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[AddedNodes, ...]:
    return tuple(_one_added(value) for value in values)


def _one_added(value: str) -> AddedNodes:
    found = _ADDED.fullmatch(value)
    if found is None:
        raise click.BadParameter(f"need K=SHAPE or MIN..MAX=SHAPE, found {value!r}")
    least = int(found["least"])
    most = int(found["most"]) if found["most"] else least
    if not least <= most <= MOST_NODES:
        raise click.BadParameter(f"need numbers that rise, up to {MOST_NODES}, found {value!r}")
    return AddedNodes(least, most, found["shape"])


@click.command("what-if", epilog=EXAMPLES)
@source_flags
@click.option(
    "--add-nodes",
    multiple=True,
    callback=_added,
    metavar="K=SHAPE",
    help="Add K nodes; MIN..MAX finds the least number that is enough. SHAPE is a node's name, "
    "a node file, or cpu=16,memory=64Gi,label:KEY=VALUE,taint:KEY=VALUE:EFFECT.",
)
@click.option("--cordon", multiple=True, metavar="NODE", help="Nothing new starts there.")
@click.option(
    "--drain", multiple=True, metavar="NODE", help="Cordon it, and evict what runs there."
)
@click.option(
    "--set-priority",
    multiple=True,
    metavar="KIND/NAME=VALUE",
    help="Another priority, a number or a PriorityClass; a group takes its pods along.",
)
@click.option(
    "--submit", multiple=True, metavar="FILE", help="Create these manifests too; repeatable."
)
@click.option(
    "--defrag",
    is_flag=True,
    help="Look for the fewest running pods that would have to move for more to start.",
)
@click.option(
    "--as",
    "releases",
    multiple=True,
    metavar="VERSION",
    help="By the rules of this release; several stand side by side.",
)
@click.option(
    "-n",
    "--namespace",
    default="default",
    show_default=True,
    metavar="NAME",
    help="For names of --set-priority.",
)
@output_flag
@click.pass_context
def what_if_command(  # noqa: PLR0917 - click hands over one argument per flag
    context: click.Context,
    source: SourceOptions,
    add_nodes: tuple[AddedNodes, ...],
    cordon: tuple[str, ...],
    drain: tuple[str, ...],
    set_priority: tuple[str, ...],
    submit: tuple[str, ...],
    defrag: bool,  # noqa: FBT001
    releases: tuple[str, ...],
    namespace: str,
    output: Output,
) -> None:
    """Say what would start, be evicted and stay pending, without touching anything.

    The scheduler's own decisions are played through on the cluster as it is supposed to be,
    in virtual time, until nothing changes any more; and once on the cluster as it is, to tell
    what happens anyway.

    Exit status: 0 nothing stays pending; 1 something does; 2 bad input; 3 the cluster could
    not be reached.
    """
    configure_logging(component="what-if", json=False, level="error")
    suppositions = Suppositions(
        add_nodes=add_nodes,
        cordon=cordon,
        drain=drain,
        priorities=set_priority,
        submit=submit,
        defrag=defrag,
        releases=releases,
        namespace=namespace,
    )
    with progress() as told:
        report = what_if(source, suppositions, read_standard_input=StandardInput(), progress=told)
    show(report, output, lambda wide: what_if_parts(report, wide=wide))
    if not report.is_fine:
        context.exit(EXIT_NO)
