"""The levels that a namespace's labels name: what is enforced, and what is only warned of.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from kubegang.apimachinery.field import FieldError, Path, invalid_value

PRIVILEGED = "privileged"
BASELINE = "baseline"
RESTRICTED = "restricted"

_ORDER = (PRIVILEGED, BASELINE, RESTRICTED)
_PREFIX = "pod-security.kubernetes.io/"
_LABELS = Path("metadata").child("labels")
_VERSION = re.compile(r"v1\.(0|[1-9][0-9]*)")
_MAX_INT = 2**63 - 1
_LATEST = "latest"


class Level(NamedTuple):
    """A level as one release defined it; ``latest`` is the server's own."""

    name: str = PRIVILEGED
    version: str = _LATEST

    def __str__(self) -> str:
        return f"{self.name}:{self.version}"

    def is_stricter_than(self, other: Level) -> bool:
        """Return whether the name stands for more rules than another's."""
        return _ORDER.index(self.name) > _ORDER.index(other.name)

    def minor(self, newest: int) -> int:
        """Return the minor release whose rules count; those of the future are not known."""
        named = _minor(self.version)
        return newest if named is None else min(named, newest)


class Policy(NamedTuple):
    """What counts in a namespace, and what is wrong with its labels."""

    enforce: Level
    audit: Level
    warn: Level
    errors: tuple[FieldError, ...] = ()


def policy_of(labels: Mapping[str, str]) -> Policy:
    """Return what the labels of a namespace ask for.

    A level that does not exist counts as restricted where it is enforced, and as privileged
    elsewhere. Who enforces a level without a word about warnings is warned by it too.
    """
    errors: list[FieldError] = []
    enforce, enforced = _level(labels, "enforce", errors, unknown=RESTRICTED)
    audit, _ = _level(labels, "audit", errors, unknown=PRIVILEGED)
    warn, _ = _level(labels, "warn", errors, unknown=PRIVILEGED)
    says_nothing = f"{_PREFIX}warn" not in labels
    if says_nothing and enforced and enforce.is_stricter_than(warn):
        own_version = f"{_PREFIX}warn-version" in labels
        warn = Level(enforce.name, warn.version if own_version else enforce.version)
    return Policy(enforce, audit, warn, tuple(errors))


def _level(
    labels: Mapping[str, str], mode: str, errors: list[FieldError], *, unknown: str
) -> tuple[Level, bool]:
    """Return the level of a mode, and whether the labels name one that exists."""
    key, version_key = f"{_PREFIX}{mode}", f"{_PREFIX}{mode}-version"
    name, version = labels.get(key, PRIVILEGED), labels.get(version_key, _LATEST)
    is_known = name in _ORDER
    if not is_known:
        detail = f"must be one of {', '.join(_ORDER)}"
        errors.append(invalid_value(_LABELS.key(key), name, detail))
        name = unknown
    if version != _LATEST and _minor(version) is None:
        detail = 'must be "latest" or "v1.x"'
        errors.append(invalid_value(_LABELS.key(version_key), version, detail))
        version = _LATEST
    return Level(name, version), is_known and key in labels


def _minor(version: str) -> int | None:
    """Return the minor release that a text names; Go reads numbers of 64 bits."""
    found = _VERSION.fullmatch(version)
    # As text first: Python refuses to read numbers of thousands of digits.
    if found is None or len(found[1]) > len(str(_MAX_INT)):
        return None
    named = int(found[1])
    return named if named <= _MAX_INT else None
