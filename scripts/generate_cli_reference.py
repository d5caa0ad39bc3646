"""Write docs/reference/cli.md from the program's own help; ``--check`` only compares."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kubegang.cli.main import commands

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "cli.md"
WIDTH = 100
HEAD = """# The commands

Written by `scripts/generate_cli_reference.py` from the program's help.
Exit status: 0 fine, 1 the answer is "no", 2 bad input or usage, 3 the cluster could not be reached.
"""


def reference() -> str:
    """Return the whole page."""
    parts = [HEAD]
    parent = click.Context(commands, info_name="kubegang", terminal_width=WIDTH)
    for name in commands.list_commands(parent):
        command = commands.get_command(parent, name)
        if command is None:
            raise RuntimeError(f"there is no command {name}")
        context = click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH)
        lines = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
        parts.append(f"## kubegang {name}\n\n```\n{lines}\n```\n")
    return "\n".join(parts)


def main() -> int:
    """Write the page, or say that it is not up to date."""
    text = reference()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"{TARGET.name} is not what the program says: run scripts/generate_cli_reference.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
