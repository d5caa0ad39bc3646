"""Semantic versions 2.0.0, as Kubernetes' expressions parse and compare them.

Pure. Build metadata is accepted and says nothing about order or equality.
"""

from __future__ import annotations

import re
from functools import total_ordering
from typing import Final

_NUMBER: Final = r"0|[1-9][0-9]*"
_TEXT: Final = re.compile(
    rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})"
    r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
)
_IDENTIFIER: Final = re.compile(r"[0-9A-Za-z-]+")
_PARTS: Final = 3
_LARGEST: Final = 2**64


class SemverError(ValueError):
    """A text that is no semantic version."""


@total_ordering
class Semver:
    """One version; never changed after it was made."""

    __slots__ = ("major", "minor", "patch", "prerelease")

    def __init__(self, major: int, minor: int, *, patch: int, prerelease: tuple[str, ...]) -> None:
        self.major = major
        self.minor = minor
        self.patch = patch
        self.prerelease = prerelease

    @staticmethod
    def parse(text: str) -> Semver:
        """Parse a strict version: three numbers without leading zeros, no ``v``.

        Raises:
            SemverError: the text is malformed.
        """
        found = _TEXT.fullmatch(text)
        if found is None:
            raise SemverError(_complaint(text))
        numbers = [int(found[group]) for group in (1, 2, 3)]
        prerelease = tuple(found[4].split(".")) if found[4] else ()
        if max(numbers) >= _LARGEST or any(_has_leading_zero(part) for part in prerelease):
            raise SemverError(_complaint(text))
        return Semver(numbers[0], numbers[1], patch=numbers[2], prerelease=prerelease)

    @staticmethod
    def normalise(text: str) -> Semver:
        """Parse leniently: a ``v``, leading zeros and missing numbers are mended.

        Raises:
            SemverError: the text is malformed even so.
        """
        parts = [_without_zeros(part) for part in text.removeprefix("v").split(".", _PARTS - 1)]
        if len(parts) < _PARTS:
            if any(sign in parts[-1] for sign in "+-"):
                raise SemverError("short version cannot contain PreRelease/Build meta data")
            parts += ["0"] * (_PARTS - len(parts))
        return Semver.parse(".".join(parts))

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        return f"{text}-{'.'.join(self.prerelease)}" if self.prerelease else text

    def __repr__(self) -> str:
        return f"Semver({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Semver) and self._order() == other._order()

    def __lt__(self, other: Semver) -> bool:
        return self._order() < other._order()

    def __hash__(self) -> int:
        return hash(self._order())

    def _order(self) -> tuple[object, ...]:
        # A version without a prerelease is later than all its prereleases; in these, numbers
        # come before words, and a longer list after a shorter one that it starts with.
        words = tuple((0, int(w), "") if w.isdigit() else (1, 0, w) for w in self.prerelease)
        return (self.major, self.minor, self.patch, not self.prerelease, words)


def _without_zeros(part: str) -> str:
    if not part.startswith("0"):
        return part
    rest = part.lstrip("0")
    return rest if rest[:1].isdigit() else f"0{rest}"


def _has_leading_zero(part: str) -> bool:
    return part.isdigit() and len(part) > 1 and part.startswith("0")


def _complaint(text: str) -> str:
    if not text:
        return "Version string empty"
    parts = text.split(".", _PARTS - 1)
    if len(parts) != _PARTS:
        return "No Major.Minor.Patch elements found"
    for name, part in zip(("major", "minor"), parts, strict=False):
        if not part.isascii() or not part.isdigit():
            return f'Invalid character(s) found in {name} number "{part}"'
        if _has_leading_zero(part):
            return f'{name.capitalize()} number must not contain leading zeroes "{part}"'
    rest, plus, build = parts[2].partition("+")
    patch, dash, prerelease = rest.partition("-")
    if _has_leading_zero(patch):
        return f'Patch number must not contain leading zeroes "{patch}"'
    if not patch.isascii() or not patch.isdigit():
        return f'Invalid character(s) found in patch number "{patch}"'
    if dash:
        return _prerelease_complaint(prerelease.split("."))
    return _build_complaint(build.split(".")) if plus else "invalid version"


def _prerelease_complaint(parts: list[str]) -> str:
    for part in parts:
        if not part:
            return "Prerelease is empty"
        if _has_leading_zero(part):
            return f'Numeric PreRelease version must not contain leading zeroes "{part}"'
        if not _IDENTIFIER.fullmatch(part):
            return f'Invalid character(s) found in prerelease "{part}"'
    return "invalid version"


def _build_complaint(parts: list[str]) -> str:
    for part in parts:
        if not part:
            return "Build meta data is empty"
        if not _IDENTIFIER.fullmatch(part):
            return f'Invalid character(s) found in build meta data "{part}"'
    return "invalid version"
