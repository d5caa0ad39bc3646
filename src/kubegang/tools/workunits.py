"""What people submitted and look for in a report: a Job, a group of pods, or one pod.

Pods and groups that a controller made are told under the name of what it made them for.
Pure.
"""

from __future__ import annotations

import re

import msgspec

DEFAULT_NAMESPACE = "default"

_DIGITS = re.compile(r"(\d+)")


class WorkUnit(msgspec.Struct, frozen=True, order=True):
    """A Job, a PodGroup that no Job controls, or a pod that belongs to neither."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """Return the name people use; the default namespace goes without saying."""
        if self.namespace == DEFAULT_NAMESPACE:
            return self.name
        return f"{self.namespace}/{self.name}"


def natural_order(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key by which ``gpu-2`` comes before ``gpu-10``."""
    return tuple(
        (0, int(part), part) if part.isdigit() else (1, 0, part)
        for part in _DIGITS.split(text)
        if part
    )


def count_of(number: int, noun: str) -> str:
    """Return ``1 pod`` or ``6 pods``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
