"""Growable NumPy columns: of numbers, of amounts by resource, of interned label values.

All columns of a table have the same length. A column keeps spare room at its end, so that
nodes can be added one by one, and hands out a view of the part in use. Pure.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kubegang.scheduler.framework.nodetable import RowArray

ScalarT = TypeVar("ScalarT", bound=np.generic)

_SPARE = 64
"""Room that a column starts with; it doubles when full."""


class Column(Generic[ScalarT]):
    """One number per row.

    Attributes:
        view: the part in use; replaced when the number of rows changes.
    """

    __slots__ = ("_data", "_fill", "view")

    def __init__(self, dtype: type[ScalarT], fill: int, size: int) -> None:
        self._fill = fill
        self._data: NDArray[ScalarT] = np.full(max(size, _SPARE), fill, dtype=dtype)
        self.view: NDArray[ScalarT] = self._data[:size]

    def resize(self, size: int) -> None:
        """Set the number of rows; new rows hold the fill value."""
        old = len(self.view)
        if size > len(self._data):
            grown = np.full(max(size, 2 * len(self._data)), self._fill, dtype=self._data.dtype)
            grown[:old] = self.view
            self._data = grown
        self._data[min(old, size) : max(old, size)] = self._fill
        self.view = self._data[:size]

    def move(self, source: int, target: int) -> None:
        """Copy one row's number to another row."""
        self._data[target] = self._data[source]


class ResourceColumns:
    """One amount per row and resource; a resource that nobody named has none anywhere."""

    __slots__ = ("_columns", "_size")

    def __init__(self) -> None:
        self._columns: dict[str, Column[np.int64]] = {}
        self._size = 0

    def names(self) -> Set[str]:
        """Return the resources that were named."""
        return self._columns.keys()

    def read(self, resource: str) -> NDArray[np.int64]:
        """Return the amounts of a resource, not to be changed."""
        column = self._columns.get(resource)
        return column.view if column is not None else np.zeros(self._size, dtype=np.int64)

    def kept(self, resource: str) -> NDArray[np.int64]:
        """Return the amounts of a resource, to be changed."""
        column = self._columns.get(resource)
        if column is None:
            column = self._columns[resource] = Column(np.int64, 0, self._size)
        return column.view

    def resize(self, size: int) -> None:
        """Set the number of rows; new rows have nothing."""
        self._size = size
        for column in self._columns.values():
            column.resize(size)

    def move(self, source: int, target: int) -> None:
        """Copy one row's amounts to another row."""
        for column in self._columns.values():
            column.move(source, target)


class InternedLabels:
    """One label of all nodes: a position per row, and the distinct values.

    Attributes:
        values: grows with every new value; ``stale`` tells when a rebuild pays.
    """

    __slots__ = ("_column", "_positions", "values")

    def __init__(self, size: int) -> None:
        self._column: Column[np.intp] = Column(np.intp, -1, size)
        self._positions: dict[str, int] = {}
        self.values: list[str] = []

    @property
    def ids(self) -> RowArray:
        """Per row the position of its value in ``values``, or -1 without the label."""
        return self._column.view

    @property
    def stale(self) -> bool:
        """Whether many more values are kept than rows can use."""
        return len(self.values) > 2 * len(self._column.view) + _SPARE

    def set(self, row: int, value: str | None) -> None:
        """Give a row a value, or none."""
        if value is None:
            self._column.view[row] = -1
            return
        position = self._positions.get(value)
        if position is None:
            position = self._positions[value] = len(self.values)
            self.values.append(value)
        self._column.view[row] = position

    def resize(self, size: int) -> None:
        """Set the number of rows; new rows have no value."""
        self._column.resize(size)

    def move(self, source: int, target: int) -> None:
        """Copy one row's value to another row."""
        self._column.move(source, target)
