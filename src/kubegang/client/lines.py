"""Cuts a stream of bytes into lines.

Pure: no clock, no I/O.
"""

from __future__ import annotations


class LineSplitter:
    """Takes pieces as they come and gives lines that are complete, without their ends."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the lines that end in this piece; empty ones are left out."""
        *lines, rest = piece.split(b"\n")
        if lines:
            # A line may come in many pieces: they are joined once, when its end is here.
            lines[0] = b"".join([*self._rest, lines[0]])
            self._rest = []
        if rest:
            self._rest.append(rest)
        return [line for line in lines if line]
