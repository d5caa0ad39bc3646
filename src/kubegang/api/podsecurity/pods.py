"""A pod as the checks of pod security look at it, and the words that they share.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from kubegang.apimachinery.objects import JsonObject

_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")


class Violation(NamedTuple):
    """Why a pod is not allowed: in short, and what would have to change."""

    reason: str
    detail: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.detail})" if self.detail else self.reason


class CheckedPod(NamedTuple):
    """A pod, or the template of pods."""

    annotations: JsonObject
    spec: JsonObject

    @property
    def context(self) -> JsonObject:
        """The security context of the pod as a whole."""
        found: JsonObject = self.spec.get("securityContext") or {}
        return found

    @property
    def is_for_windows(self) -> bool:
        """Whether it says that it runs on Windows."""
        return (self.spec.get("os") or {}).get("name") == "windows"

    @property
    def has_own_users(self) -> bool:
        """Whether it runs in a user namespace, so that its root is none."""
        return self.spec.get("hostUsers") is False

    def containers(self) -> Iterator[JsonObject]:
        """Yield all containers, in the order in which upstream visits them."""
        for member in _CONTAINERS:
            yield from self.spec.get(member) or ()

    def contexts(self) -> Iterator[tuple[str, JsonObject]]:
        """Yield each container's name and security context."""
        for container in self.containers():
            yield container.get("name") or "", container.get("securityContext") or {}


Check = Callable[[CheckedPod], Violation | None]


def quoted(items: Iterable[str]) -> str:
    """Return texts in quotes, with commas between them."""
    return ", ".join(f'"{item}"' for item in items)


def counted(noun: str, names: Sequence[str]) -> str:
    """Return a noun, in the plural for several, with the names in quotes."""
    return f"{noun if len(names) == 1 else f'{noun}s'} {quoted(names)}"


def setters(*, pod: bool, containers: Sequence[str]) -> str:
    """Return who set something: the pod, containers, or both; empty if nobody did."""
    found = ["pod"] if pod else []
    if containers:
        found.append(counted("container", containers))
    return " and ".join(found)


def member(obj: JsonObject, *path: str) -> Any:
    """Return a member by its path, ``None`` where the path ends early."""
    value: Any = obj
    for name in path:
        value = (value or {}).get(name)
    return value
