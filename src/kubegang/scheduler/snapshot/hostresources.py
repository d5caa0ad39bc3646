"""What nodes have that is looked up by name, not by row: taken host ports, and images. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from kubegang.scheduler.framework.nodes import NodeImage
from kubegang.scheduler.framework.nodetable import RowArray
from kubegang.scheduler.framework.pods import HostPort

_NOBODY: Final[Mapping[int, Sequence[HostPort]]] = {}


class PortIndex:
    """Which rows have a host port taken, and by which address and protocol."""

    def __init__(self) -> None:
        self._users: dict[int, dict[int, list[HostPort]]] = {}

    def users(self, port: int) -> Mapping[int, Sequence[HostPort]]:
        """Return row → what is taken there under this port number."""
        return self._users.get(port, _NOBODY)

    def take(self, row: int, ports: Iterable[HostPort]) -> None:
        """Count a pod's ports as taken on a row."""
        for port in ports:
            self._users.setdefault(port.port, {}).setdefault(row, []).append(port)

    def free(self, row: int, ports: Iterable[HostPort]) -> None:
        """Take back ``take``."""
        for port in ports:
            rows = self._users[port.port]
            rows[row].remove(port)
            if not rows[row]:
                del rows[row]
            if not rows:
                del self._users[port.port]

    def move(self, source: int, target: int) -> None:
        """Give what one row has taken to another, empty row."""
        for rows in self._users.values():
            if source in rows:
                rows[target] = rows.pop(source)

    def taken(self) -> list[tuple[int, HostPort]]:
        """Return every taken port with its row, sorted."""
        return sorted(
            (row, port)
            for rows in self._users.values()
            for row, ports in rows.items()
            for port in ports
        )


class _ImageUse:
    """The rows that have one image; the size is the one first reported, as upstream keeps it."""

    __slots__ = ("array", "rows", "size_bytes")

    def __init__(self, size_bytes: int) -> None:
        self.size_bytes = size_bytes
        self.rows: dict[int, None] = {}
        self.array: RowArray | None = None


class ImageIndex:
    """Which rows have an image."""

    def __init__(self) -> None:
        self._uses: dict[str, _ImageUse] = {}

    def nodes(self, name: str) -> tuple[int, RowArray]:
        """Return an image's size and the rows that have it."""
        use = self._uses.get(name)
        if use is None:
            return 0, np.empty(0, dtype=np.intp)
        if use.array is None:
            use.array = np.fromiter(sorted(use.rows), dtype=np.intp, count=len(use.rows))
        return use.size_bytes, use.array

    def add(self, row: int, images: Iterable[NodeImage]) -> None:
        """Note that a row has images."""
        for image in images:
            use = self._uses.get(image.name)
            if use is None:
                use = self._uses[image.name] = _ImageUse(image.size_bytes)
            use.rows[row] = None
            use.array = None

    def discard(self, row: int, images: Iterable[NodeImage]) -> None:
        """Note that a row no longer has images."""
        for image in images:
            use = self._uses.get(image.name)
            if use is None:
                continue
            use.rows.pop(row, None)
            use.array = None
            if not use.rows:
                del self._uses[image.name]
