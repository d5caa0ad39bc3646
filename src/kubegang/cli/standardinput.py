"""Standard input as a text that may be asked for more than once."""

from __future__ import annotations

import sys

from kubegang.app.configuration import text_of


class StandardInput:
    """Reads standard input when it is first asked, and remembers what was there.

    ``-f - --submit -`` and several releases ask for it again, when nothing is left of it.
    """

    def __init__(self) -> None:
        """Read nothing yet."""
        self._text: str | None = None

    def __call__(self) -> str:
        """Return all of it.

        Raises:
            BadInputError: it is not UTF-8.
        """
        if self._text is None:
            self._text = text_of(sys.stdin.buffer.read(), "stdin")
        return self._text
