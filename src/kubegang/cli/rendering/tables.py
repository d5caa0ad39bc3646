"""Tables without lines, as kubectl prints them.

On a terminal they are as wide as it is, and long texts are wrapped. Elsewhere nothing is
wrapped, so that every row is one line for grep.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

UNLIMITED_WIDTH = 100_000


def table(columns: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> Table:
    """Return a table; the last column takes what room is left."""
    made = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    last = len(columns) - 1
    for position, column in enumerate(columns):
        made.add_column(column, overflow="fold", no_wrap=position != last)
    for row in rows:
        made.add_row(*row)
    return made


def print_parts(parts: Sequence[RenderableType], console: Console) -> None:
    """Print parts with an empty line between them."""
    spaced = [part for position, part in enumerate(parts) for part in _spaced(position, part)]
    whole = Group(*spaced)
    if console.is_terminal:
        console.print(whole)
        return
    unwrapped = Console(file=io.StringIO(), width=UNLIMITED_WIDTH, color_system=None)
    with unwrapped.capture() as capture:
        unwrapped.print(whole)
    lines = (line.rstrip() for line in capture.get().splitlines())
    console.file.write("".join(f"{line}\n" for line in lines))


def _spaced(position: int, part: RenderableType) -> list[RenderableType]:
    return [Text(), part] if position else [part]
