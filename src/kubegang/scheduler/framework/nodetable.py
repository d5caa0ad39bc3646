"""The cluster's nodes as a structure of arrays: what plugins may read.

One row per node, one column per quantity, ``int64`` for everything that is counted. Rows
are dense, ``0`` to ``size - 1``; a row number is good for one cycle only. ``snapshot``
fills the table; plugins never change it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kubegang.scheduler.framework.nodes import NodeInfo, Taint
from kubegang.scheduler.framework.pods import HostPort, NodeName

BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
RowArray: TypeAlias = NDArray[np.intp]
"""Row numbers, and everything else that is used to gather: NumPy is fastest with ``intp``."""

Rows: TypeAlias = RowArray | slice
"""Some rows, or (as a slice) all of them without copying."""


class LabelColumn(Protocol):
    """One label of all nodes, with equal values interned.

    Attributes:
        ids: per row the position of its value in ``values``, or -1 where the label is
            missing.
        values: the distinct values; some may no longer be in use.
    """

    @property
    def ids(self) -> RowArray:
        """Per row the position of its value, or -1."""
        ...

    @property
    def values(self) -> Sequence[str]:
        """The distinct values."""
        ...


class NodeTable(Protocol):
    """All nodes, by row.

    ``version`` changes whenever anything of any Node object that a static filter may read
    has changed, or rows have moved. What pods count is not part of it.
    """

    @property
    def size(self) -> int:
        """How many nodes there are."""
        ...

    @property
    def version(self) -> int:
        """The version of the node objects' static parts and of the row numbers."""
        ...

    @property
    def names(self) -> Sequence[NodeName]:
        """Node names by row."""
        ...

    @property
    def infos(self) -> Sequence[NodeInfo]:
        """Node objects by row."""
        ...

    @property
    def scan_order(self) -> RowArray:
        """All rows in the order in which nodes are looked at: zones take turns."""
        ...

    @property
    def unschedulable(self) -> BoolArray:
        """Per row, whether the node is cordoned."""
        ...

    @property
    def taint_set_ids(self) -> RowArray:
        """Per row the position of its set of taints in ``taint_sets``."""
        ...

    @property
    def taint_sets(self) -> Sequence[tuple[Taint, ...]]:
        """The distinct sets of taints; some may no longer be in use."""
        ...

    @property
    def allowed_pods(self) -> IntArray:
        """Allocatable pods by row."""
        ...

    @property
    def pod_count(self) -> IntArray:
        """Pods by row."""
        ...

    @property
    def score_milli_cpu(self) -> IntArray:
        """Requested milli-CPU by row, with a minimum for containers that ask for none."""
        ...

    @property
    def score_memory_bytes(self) -> IntArray:
        """Requested memory by row, with a minimum for containers that ask for none."""
        ...

    @property
    def resources(self) -> Sequence[str]:
        """The names of all resources that some node has or some pod asks for."""
        ...

    def row(self, name: NodeName) -> int | None:
        """Return the row of a node, or ``None``."""
        ...

    def allocatable(self, resource: str) -> IntArray:
        """Return what nodes have of a resource; zeros where nobody has it."""
        ...

    def is_everywhere(self, resource: str) -> bool:
        """Return whether every node has some of a resource."""
        ...

    def requested(self, resource: str) -> IntArray:
        """Return what pods on each node ask of a resource."""
        ...

    def label(self, key: str) -> LabelColumn:
        """Return one label of all nodes."""
        ...

    def port_users(self, port: int) -> Mapping[int, Sequence[HostPort]]:
        """Return who uses a port number on the host: row → what is taken there."""
        ...

    def image_nodes(self, name: str) -> tuple[int, RowArray]:
        """Return the size of an image and the rows that have it."""
        ...

    def changed_rows(self, since: int) -> RowArray | None:
        """Return the rows whose counts changed after ``since``; ``None`` if too many to say."""
        ...

    @property
    def changes(self) -> int:
        """How many changes of counts there were; the clock of ``changed_rows``."""
        ...


ALL_ROWS = slice(None)
