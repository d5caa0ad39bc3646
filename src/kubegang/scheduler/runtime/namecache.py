"""The names of all nodes as a value, made once per version of the node table. Pure."""

from __future__ import annotations

from kubegang.scheduler.framework.nodetable import NodeTable
from kubegang.scheduler.framework.pods import NodeName


class NameCache:
    """Remembers names by row for one node table at one version."""

    def __init__(self) -> None:
        self._table: NodeTable | None = None
        self._version = -1
        self._names: tuple[NodeName, ...] = ()

    def of(self, table: NodeTable) -> tuple[NodeName, ...]:
        """Return the names by row."""
        # Another table may have reached the same version by another way.
        if self._table is not table or self._version != table.version:
            self._table, self._version = table, table.version
            self._names = tuple(table.names)
        return self._names
