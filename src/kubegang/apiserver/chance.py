"""Chance as an argument: uids, name suffixes and the length of watches are drawn from it."""

from __future__ import annotations

from typing import Protocol

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""Letters of generated names: no vowels, so that no words come out (upstream's set)."""

_SUFFIX_LENGTH = 5
_LONGEST_BASE = 63 - _SUFFIX_LENGTH


class Rng(Protocol):
    """A source of chance; ``random.Random`` is one."""

    def random(self) -> float:
        """Return a number from [0, 1)."""
        ...

    def getrandbits(self, bits: int, /) -> int:
        """Return a non-negative number of so many bits."""
        ...


def new_uid(rng: Rng) -> str:
    """Return a random UUID (version 4) as text."""
    bits = rng.getrandbits(128) & ~(0xF000 << 64) & ~(0xC000 << 48) | (4 << 76) | (0x8000 << 48)
    text = f"{bits:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def generated_name(base: str, rng: Rng) -> str:
    """Return ``base`` (cut so that the whole has 63 characters) and five random characters."""
    suffix = "".join(_ALPHABET[int(rng.random() * len(_ALPHABET))] for _ in range(_SUFFIX_LENGTH))
    return base[:_LONGEST_BASE] + suffix
