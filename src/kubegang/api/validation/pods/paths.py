"""Paths inside containers and volumes.

Pure.
"""

from __future__ import annotations

from kubegang.api.validation.checks import Errors
from kubegang.apimachinery.field import Path, invalid_value


def no_steps_back(path: Path, text: str) -> Errors:
    """Check that no element of a path is ``..``."""
    if ".." in text.split("/"):
        yield invalid_value(path, text, "must not contain '..'")


def relative_below(path: Path, text: str) -> Errors:
    """Check a path that stays below where it starts."""
    if text.startswith("/"):
        yield invalid_value(path, text, "must be a relative path")
    yield from no_steps_back(path, text)


def relative_file(path: Path, text: str) -> Errors:
    """Check the path of a file that is projected: names with leading ``..`` are reserved."""
    yield from relative_below(path, text)
    if text.startswith("..") and not text.startswith("../"):
        yield invalid_value(path, text, "must not start with '..'")
