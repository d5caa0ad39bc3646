"""PEM as Go reads it: blocks between lines of dashes, whatever stands around them.

An end belongs to the last beginning before it; a beginning without an end is skipped
(encoding/pem of Go 1.26). One pass over the lines: requests and Secrets come from users.

Pure.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

_BEGIN = b"-----BEGIN "
_END = b"-----END "
_DASHES = b"-----"
_BLANKS = b" \t\r"


class Block(NamedTuple):
    """A block of PEM."""

    label: str
    content: bytes
    has_headers: bool = False


def pem_blocks(text: bytes) -> Iterator[Block]:
    """Yield the blocks that can be read; what stands between them does not matter."""
    label: bytes | None = None
    body: list[bytes] = []
    for line in text.split(b"\n"):
        if line.startswith(_BEGIN):
            label, body = _label(line, _BEGIN), []
        elif line.startswith(_END):
            if label is not None and label == _label(line, _END):
                yield from _block(label, body)
            label = None
        elif label is not None:
            body.append(line)


def _label(line: bytes, start: bytes) -> bytes | None:
    """Return what stands between the dashes; ``None`` if the line does not end with some."""
    rest = line.rstrip(_BLANKS).removeprefix(start)
    return rest.removesuffix(_DASHES) if rest.endswith(_DASHES) else None


def _block(label: bytes, body: Sequence[bytes]) -> Iterator[Block]:
    headers = len(list(takewhile(lambda line: b":" in line, body)))
    encoded = b"".join(body[headers:]).translate(None, _BLANKS)
    try:
        content = b64decode(encoded, validate=True)
    except binascii.Error:
        return
    yield Block(label.decode(errors="replace"), content, has_headers=headers > 0)
