"""What the page shows: reports that somebody else makes. The page writes them as JSON."""

from __future__ import annotations

from typing import Protocol

import msgspec


class NoSuchObjectError(LookupError):
    """What was asked about is not there; the text says what that is."""


class Supposition(msgspec.Struct, frozen=True, kw_only=True):
    """What is supposed about nodes; names are those of nodes that there are.

    Attributes:
        add: so many nodes more, each like ``like``.
        cordon: the node that takes no further pods, or empty.
        drain: the node whose pods must go elsewhere, or empty.
    """

    add: int = 0
    like: str = ""
    cordon: str = ""
    drain: str = ""


class Views(Protocol):
    """Answers of one cluster; they only read."""

    async def overview(self) -> msgspec.Struct:
        """Return the cluster as it is now."""
        ...

    async def explain(self, kind: str, namespace: str, name: str) -> msgspec.Struct:
        """Return why an object waits, or where it is.

        Raises:
            NoSuchObjectError: there is none.
        """
        ...

    async def what_if(self, supposed: Supposition) -> msgspec.Struct:
        """Return what would become of the cluster; nothing is done to it.

        Raises:
            NoSuchObjectError: there is no such node.
        """
        ...

    async def changed_since(self, version: int) -> int:
        """Wait until something has changed since a version; return the newest version."""
        ...
