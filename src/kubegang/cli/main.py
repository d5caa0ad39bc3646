"""The program ``kubegang``, also installed as ``kubectl-gang``.

Exit status: 0 fine, 1 the answer is "no", 2 bad input or usage, 3 the cluster could not be
reached.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from typing import Final

import click

from kubegang.app.errors import BadInputError, ClusterUnreachableError, ComponentFailedError

EXIT_NO, EXIT_BAD_INPUT, EXIT_UNREACHABLE = 1, 2, 3


_COMMANDS: Final = {
    "check": ("check", "check_command"),
    "convert": ("convert", "convert"),
    "dashboard": ("dashboard", "dashboard"),
    "dump": ("dump", "dump"),
    "explain": ("explain", "explain"),
    "replay": ("replay", "replay"),
    "run": ("run", "run"),
    "scheduler": ("scheduler", "scheduler"),
    "top": ("top", "top"),
    "up": ("up", "up"),
    "upgrade": ("upgrade", "upgrade"),
    "user": ("user", "user"),
    "what-if": ("whatif", "what_if_command"),
}
"""Module in this package, and the command in it."""


class Commands(click.Group):
    """Imports a command when it is asked for.

    All of them together take more than a second, which nobody should wait for who wants one.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names."""
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command."""
        if cmd_name not in _COMMANDS:
            return None
        module, member = _COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f"kubegang.cli.{module}"), member)
        return command


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="kubegang", prog_name="kubegang")
def commands() -> None:
    """Gang scheduling for Kubernetes: all pods of a training job start together, or none."""


def main() -> None:
    """Run the command line and end the process with its status."""
    if "up" in sys.argv[1:2]:
        # From the first moment on; once it has something to stop in order it does that.
        signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
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
