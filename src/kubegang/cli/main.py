"""The program ``kubegang``, also installed as ``kubectl-gang``.

Exit status: 0 fine, 1 the answer is "no", 2 bad input or usage, 3 the cluster could not be
reached.
"""

from __future__ import annotations

import os
import sys

import click

from kubegang.app.errors import BadInputError, ClusterUnreachableError, ComponentFailedError
from kubegang.cli.check import check_command
from kubegang.cli.convert import convert
from kubegang.cli.dashboard import dashboard
from kubegang.cli.dump import dump
from kubegang.cli.explain import explain
from kubegang.cli.replay import replay
from kubegang.cli.run import run
from kubegang.cli.scheduler import scheduler
from kubegang.cli.top import top
from kubegang.cli.up import up
from kubegang.cli.upgrade import upgrade
from kubegang.cli.user import user
from kubegang.cli.whatif import what_if_command

EXIT_NO, EXIT_BAD_INPUT, EXIT_UNREACHABLE = 1, 2, 3


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="kubegang", prog_name="kubegang")
def commands() -> None:
    """Gang scheduling for Kubernetes: all pods of a training job start together, or none."""


commands.add_command(up)
commands.add_command(run)
commands.add_command(replay)
commands.add_command(scheduler)
commands.add_command(explain)
commands.add_command(dump)
commands.add_command(dashboard)
commands.add_command(top)
commands.add_command(check_command)
commands.add_command(convert)
commands.add_command(what_if_command)
commands.add_command(upgrade)
commands.add_command(user)


def main() -> None:
    """Run the command line and end the process with its status."""
    _open_standard_streams()
    try:
        commands(prog_name="kubegang")
    except BadInputError as error:
        _end(str(error), EXIT_BAD_INPUT)
    except ClusterUnreachableError as error:
        _end(str(error), EXIT_UNREACHABLE)
    except ComponentFailedError as error:
        _end(str(error), EXIT_NO)
    except OSError as error:
        # Standard output is full or gone; everything else is caught where it happens.
        _end(f"cannot write the answer: {error.strerror or error}", EXIT_NO)


def _open_standard_streams() -> None:
    """Take the place of standard streams that are closed.

    Otherwise the next file or socket gets their number, and what is meant for the one is
    done to the other.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")


def _end(message: str, status: int) -> None:
    click.echo(f"kubegang: {message}", err=True)
    sys.exit(status)


if __name__ == "__main__":
    main()
