"""The node table: rows, columns and indexes, kept up to date step by step.

Fulfils the ``NodeTable`` contract. A changed node costs its own row, a pod costs a few
additions; nothing is rebuilt per cycle except the scan order after nodes came or went.
Counts are exact integers, so taking a step back restores every array bit for bit. Pure.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

import numpy as np

from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.nodes import NodeInfo, Taint
from kubegang.scheduler.framework.nodetable import BoolArray, IntArray, RowArray
from kubegang.scheduler.framework.pods import HostPort, NodeName, PodInfo, Requests
from kubegang.scheduler.snapshot.changelog import ChangeLog
from kubegang.scheduler.snapshot.columns import Column, InternedLabels, ResourceColumns
from kubegang.scheduler.snapshot.hostresources import ImageIndex, PortIndex
from kubegang.scheduler.snapshot.requestcolumns import RequestColumns, rows_by_requests
from kubegang.scheduler.snapshot.scanorder import interleave_zones, zone_of

_WORTHWHILE_ROWS: Final = 4
"""Fewer pods of one shape are counted one by one: that costs less than an array of rows."""

_NO_TAINTS: Final[tuple[Taint, ...]] = ()


class _Resizable(Protocol):
    def resize(self, size: int) -> None: ...

    def move(self, source: int, target: int) -> None: ...


class SnapshotTable:
    """All nodes as a structure of arrays; changed by ``Snapshot`` only.

    Rows are dense: removing a node moves the last row into its place.
    """

    def __init__(self) -> None:
        self.version = 0
        self.names: list[NodeName] = []
        self.infos: list[NodeInfo] = []
        self.taint_sets: list[tuple[Taint, ...]] = [_NO_TAINTS]
        self._taint_positions: dict[tuple[Taint, ...], int] = {_NO_TAINTS: 0}
        self._rows: dict[NodeName, int] = {}
        # The order of coming decides the scan order, and must outlive moves of rows.
        self._arrivals: dict[NodeName, None] = {}
        self._scan_order: RowArray | None = None
        self._unschedulable: Column[np.bool_] = Column(np.bool_, 0, 0)
        self._taint_set_ids: Column[np.intp] = Column(np.intp, 0, 0)
        self._allowed_pods: Column[np.int64] = Column(np.int64, 0, 0)
        self._allocatable = ResourceColumns()
        self._requested = RequestColumns()
        self._everywhere: dict[str, bool] = {}
        self._labels: dict[str, InternedLabels] = {}
        self._ports = PortIndex()
        self._images = ImageIndex()
        self._changes = ChangeLog()

    # --- reading -------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.names)

    @property
    def scan_order(self) -> RowArray:
        """All rows, zones taking turns."""
        if self._scan_order is None:
            arrived = (
                (row, self.infos[row]) for row in map(self._rows.__getitem__, self._arrivals)
            )
            self._scan_order = np.array(interleave_zones(arrived), dtype=np.intp)
            self._scan_order.flags.writeable = False
        return self._scan_order

    @property
    def unschedulable(self) -> BoolArray:
        """Per row, whether the node is cordoned."""
        return self._unschedulable.view

    @property
    def taint_set_ids(self) -> RowArray:
        """Per row the position of its taints in ``taint_sets``."""
        return self._taint_set_ids.view

    @property
    def allowed_pods(self) -> IntArray:
        """Allocatable pods by row."""
        return self._allowed_pods.view

    @property
    def pod_count(self) -> IntArray:
        """Pods by row."""
        return self._requested.pods.view

    @property
    def score_milli_cpu(self) -> IntArray:
        """Requested milli-CPU by row, as scoring counts it."""
        return self._requested.score_milli_cpu.view

    @property
    def score_memory_bytes(self) -> IntArray:
        """Requested memory by row, as scoring counts it."""
        return self._requested.score_memory_bytes.view

    @property
    def resources(self) -> Sequence[str]:
        """The names of all resources that some node has or some pod asks for, sorted."""
        return sorted(self._allocatable.names() | self._requested.amounts.names())

    @property
    def changes(self) -> int:
        """How many changes of counts there were."""
        return self._changes.count

    def changed_rows(self, since: int) -> RowArray | None:
        """Return the rows whose counts changed after ``since``; ``None``: too many to say."""
        return self._changes.rows(since)

    @property
    def stamp(self) -> int:
        """Names what is counted at this moment: the same stamp, the same counts."""
        return self._changes.stamp

    @property
    def next_stamp(self) -> int:
        """The stamp that the next change will bring."""
        return self._changes.next_stamp

    def restore_stamp(self, stamp: int) -> None:
        """Say that the counts are again what they were when they had this stamp."""
        self._changes.stamp = stamp

    def row(self, name: NodeName) -> int | None:
        """Return the row of a node, or ``None``."""
        return self._rows.get(name)

    def allocatable(self, resource: str) -> IntArray:
        """Return what nodes have of a resource."""
        return self._allocatable.read(resource)

    def is_everywhere(self, resource: str) -> bool:
        """Return whether every node has some of a resource."""
        answer = self._everywhere.get(resource)
        if answer is None:
            answer = self._everywhere[resource] = bool(self.allocatable(resource).all())
        return answer

    def requested(self, resource: str) -> IntArray:
        """Return what pods on each node ask of a resource."""
        return self._requested.amounts.read(resource)

    def label(self, key: str) -> InternedLabels:
        """Return one label of all nodes, from now on kept up to date."""
        column = self._labels.get(key)
        if column is None or column.stale:
            column = self._labels[key] = InternedLabels(self.size)
            for row, info in enumerate(self.infos):
                column.set(row, info.labels.get(key))
        return column

    def port_users(self, port: int) -> Mapping[int, Sequence[HostPort]]:
        """Return who uses a port number: row → what is taken there."""
        return self._ports.users(port)

    def image_nodes(self, name: str) -> tuple[int, RowArray]:
        """Return the size of an image and the rows that have it."""
        return self._images.nodes(name)

    def taken_ports(self) -> list[tuple[int, HostPort]]:
        """Return every taken host port with its row."""
        return self._ports.taken()

    def arrivals(self) -> list[NodeName]:
        """Return node names in the order in which the nodes came."""
        return list(self._arrivals)

    # --- nodes ---------------------------------------------------------------------------

    def set_node(self, node: NodeInfo) -> int:
        """Add a node or replace its object, and return its row."""
        row = self._rows.get(node.name)
        if row is None:
            row = self._append(node.name)
            old = None
        else:
            old = self.infos[row]
            self.infos[row] = node
            if old.same_for_scheduling(node):
                return row
            self._images.discard(row, old.images)
        if old is None:
            self.infos.append(node)
        self._fill_row(row, node, old)
        return row

    def remove_node(self, name: NodeName) -> tuple[int, int]:
        """Remove a node on which nothing is counted any more.

        Returns:
            The row that became free and the row that was moved there; equal if none was.
        """
        row = self._rows.pop(name)
        if self._requested.pods.view[row]:
            raise InvariantError(f"node {name} is removed while pods are counted on its row")
        del self._arrivals[name]
        self._images.discard(row, self.infos[row].images)
        last = self.size - 1
        if row != last:
            self._move_row(last, row)
        self.names.pop()
        self.infos.pop()
        self._resize(last)
        self._rows_changed()
        return row, last

    def _append(self, name: NodeName) -> int:
        row = len(self.names)
        self.names.append(name)
        self._rows[name] = row
        self._arrivals[name] = None
        self._resize(row + 1)
        self._rows_changed()
        return row

    def _fill_row(self, row: int, node: NodeInfo, old: NodeInfo | None) -> None:
        self._unschedulable.view[row] = node.unschedulable
        self._taint_set_ids.view[row] = self._taint_position(node.taints)
        self._allowed_pods.view[row] = node.allowed_pods
        if old is not None:
            for resource, _ in old.allocatable:
                self._allocatable.kept(resource)[row] = 0
        for resource, amount in node.allocatable:
            self._allocatable.kept(resource)[row] = amount
        for key, column in self._labels.items():
            column.set(row, node.labels.get(key))
        self._images.add(row, node.images)
        if old is None or zone_of(old.labels) != zone_of(node.labels):
            self._scan_order = None
        self._everywhere.clear()
        self._changes.append(row)
        self.version += 1

    def _taint_position(self, taints: tuple[Taint, ...]) -> int:
        position = self._taint_positions.get(taints)
        if position is None:
            position = self._taint_positions[taints] = len(self.taint_sets)
            self.taint_sets.append(taints)
        return position

    def _move_row(self, source: int, target: int) -> None:
        for column in self._columns():
            column.move(source, target)
        self._ports.move(source, target)
        moved = self.infos[source]
        self._images.discard(source, moved.images)
        self._images.add(target, moved.images)
        self.infos[target] = moved
        self.names[target] = moved.name
        self._rows[moved.name] = target

    def _resize(self, size: int) -> None:
        for column in self._columns():
            column.resize(size)

    def _columns(self) -> Iterator[_Resizable]:
        yield from (self._unschedulable, self._taint_set_ids, self._allowed_pods)
        yield from (self._allocatable, self._requested)
        yield from self._labels.values()

    def _rows_changed(self) -> None:
        self.version += 1
        self._everywhere.clear()
        self._scan_order = None
        self._changes.forget()

    # --- pods ----------------------------------------------------------------------------

    def touch(self, row: int) -> None:
        """Note that what counts on a row means something else now, though no count changed."""
        self._changes.append(row)

    def count_pod(self, row: int, pod: PodInfo) -> None:
        """Count a pod on a row."""
        self._add_counts(row, pod.requests, 1)
        if pod.host_ports:
            self._ports.take(row, pod.host_ports)

    def uncount_pod(self, row: int, pod: PodInfo) -> None:
        """Take back ``count_pod``."""
        self._add_counts(row, pod.requests, -1)
        if pod.host_ports:
            self._ports.free(row, pod.host_ports)

    def count_many(self, pods: Sequence[tuple[int, PodInfo]], sign: int) -> None:
        """Count pods on their rows (1), or take that back (-1): faster than one by one."""
        for requests, rows in rows_by_requests(pods):
            if len(rows) < _WORTHWHILE_ROWS:
                for row in rows:
                    self._add_counts(row, requests, sign)
                continue
            self._requested.count_many(np.array(rows, dtype=np.intp), requests, sign)
            self._changes.extend(rows)
        for row, pod in pods:
            if pod.host_ports and sign > 0:
                self._ports.take(row, pod.host_ports)
            elif pod.host_ports:
                self._ports.free(row, pod.host_ports)

    @contextlib.contextmanager
    def padded(self, additions: Sequence[tuple[Requests, IntArray]]) -> Iterator[None]:
        """Show every row as it would be with more pods; to be left before anything changes.

        Nobody is told of a change: as soon as this is left there has been none.

        Args:
            additions: requests, and per row how many such pods there are more.
        """
        self._requested.pad(additions, 1)
        try:
            yield
        finally:
            self._requested.pad(additions, -1)

    def _add_counts(self, row: int, requests: Requests, sign: int) -> None:
        self._requested.count(row, requests, sign)
        self._changes.append(row)
