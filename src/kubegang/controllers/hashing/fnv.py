"""FNV hashes and the letters in which upstream writes them. Pure."""

from __future__ import annotations

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""Without vowels and what looks like one, so that no words come out."""

_OFFSET, _PRIME = 2166136261, 16777619


def fnv1_32(data: bytes) -> int:
    """Return the 32 bit FNV-1 hash."""
    value = _OFFSET
    for byte in data:
        value = ((value * _PRIME) & 0xFFFFFFFF) ^ byte
    return value


def fnv1a_32(data: bytes) -> int:
    """Return the 32 bit FNV-1a hash."""
    value = _OFFSET
    for byte in data:
        value = ((value ^ byte) * _PRIME) & 0xFFFFFFFF
    return value


def safe_text(number: int) -> str:
    """Return a hash as it stands in names: its decimal digits, each as a letter."""
    return "".join(_ALPHABET[ord(digit) % len(_ALPHABET)] for digit in str(number))
