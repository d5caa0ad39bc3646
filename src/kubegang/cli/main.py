"""The program ``kubegang``, also installed as ``kubectl-gang``.

Exit status: 0 fine, 1 the answer is "no", 2 bad input or usage, 3 the cluster could not be
reached.
"""

from __future__ import annotations

import sys

import click

from kubegang.app.errors import BadInputError, ClusterUnreachableError, ComponentFailedError
from kubegang.cli.run import run
from kubegang.cli.scheduler import scheduler
from kubegang.cli.up import up

EXIT_NO, EXIT_BAD_INPUT, EXIT_UNREACHABLE = 1, 2, 3


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="kubegang", prog_name="kubegang")
def commands() -> None:
    """Gang scheduling for Kubernetes: all pods of a training job start together, or none."""


commands.add_command(up)
commands.add_command(run)
commands.add_command(scheduler)


def main() -> None:
    """Run the command line and end the process with its status."""
    try:
        commands(prog_name="kubegang")
    except BadInputError as error:
        _end(str(error), EXIT_BAD_INPUT)
    except ClusterUnreachableError as error:
        _end(str(error), EXIT_UNREACHABLE)
    except ComponentFailedError as error:
        _end(str(error), EXIT_NO)


def _end(message: str, status: int) -> None:
    click.echo(f"kubegang: {message}", err=True)
    sys.exit(status)


if __name__ == "__main__":
    main()
