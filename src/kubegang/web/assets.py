"""The page's files, read from the installation once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import msgspec
from starlette.responses import Response

_FOLDER: Final = Path(__file__).resolve().parent / "static"
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Asset(msgspec.Struct, frozen=True):
    """A file and what it is."""

    content: bytes
    type: str

    def response(self, *, status: int = 200) -> Response:
        """Return it as an answer."""
        return Response(self.content, status_code=status, headers={"content-type": self.type})


@cache
def _assets() -> dict[str, Asset]:
    return {
        file.name: Asset(file.read_bytes(), _TYPES[file.suffix])
        for file in _FOLDER.iterdir()
        if file.suffix in _TYPES
    }


def asset(name: str) -> Asset:
    """Return a file of the page.

    Raises:
        KeyError: there is none of this name.
    """
    return _assets()[name]
