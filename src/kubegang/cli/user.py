"""``kubegang user``: further users for the embedded API server."""

from __future__ import annotations

import os

import click

from kubegang.app.datadir import default_data_dir
from kubegang.app.users import NewUser, add_user
from kubegang.base.clock import RealClock

EXAMPLES = """\b
Examples:
  kubegang user add alice --kubeconfig alice.kubeconfig
  kubegang user add bob --group developers --group reviewers > bob.kubeconfig
  kubectl create clusterrolebinding alice --clusterrole=view --user=alice
"""


@click.group()
def user() -> None:
    """Manage users of the embedded API server."""


@user.command(epilog=EXAMPLES)
@click.argument("name")
@click.option("--group", "groups", multiple=True, metavar="G", help="A group; may be repeated.")
@click.option(
    "--kubeconfig", default="", metavar="FILE", help="Write it here. Default: standard output."
)
@click.option(
    "--data-dir",
    default="",
    metavar="DIR",
    help="Of the cluster. Default: $XDG_DATA_HOME/kubegang.",
)
@click.option(
    "--server", default="", metavar="URL", help="Where the API is. Default: where it last was."
)
def add(name: str, groups: tuple[str, ...], kubeconfig: str, data_dir: str, server: str) -> None:
    """Make a kubeconfig for a further user, signed by the cluster's authority.

    The user has a certificate for a year and no rights: give them some with
    kubectl create rolebinding or clusterrolebinding.
    """
    text = add_user(
        NewUser(
            name=name,
            groups=groups,
            data_dir=data_dir or str(default_data_dir(dict(os.environ))),
            server=server,
            output=kubeconfig,
        ),
        now=RealClock().now(),
    )
    if kubeconfig:
        click.echo(f"{kubeconfig}: user {name}")
    else:
        click.echo(text, nl=False)
