"""The columns of a table, and the printer that joins them with the rule for a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from kubegang.apimachinery.objects import JsonObject

Cell = str | int | float | bool


class Column(NamedTuple):
    """One column as a table declares it.

    Attributes:
        wide: shown with ``-o wide`` only.
        value_type: how JSON has the cells; kubectl prints all of them as text.
        priority: as a definition of a custom kind wrote it; anything above 0 is wide.
    """

    name: str
    description: str
    wide: bool = False
    value_type: Literal["string", "integer", "number", "boolean", "date"] = "string"
    value_format: str = ""
    priority: int = 0

    def definition(self) -> JsonObject:
        """Return the column as ``meta.k8s.io`` TableColumnDefinition."""
        return {
            "name": self.name,
            "type": self.value_type,
            "format": self.value_format,
            "description": self.description,
            "priority": 1 if self.wide else self.priority,
        }


def _no_conditions(_: JsonObject) -> list[JsonObject]:
    return []


def _no_marks(_: Sequence[JsonObject]) -> Mapping[str, str]:
    return {}


class Printer(NamedTuple):
    """The columns of a kind, and how an object fills them.

    Attributes:
        cells: returns one cell per column, ``None`` for one that has no value; the second
            argument is the current time.
        conditions: what is true of the row as a whole, as pods tell that they have ended.
        marks: names that a list shows differently, since they depend on the other objects.
    """

    columns: tuple[Column, ...]
    cells: Callable[[JsonObject, float], Sequence[Cell | None]]
    conditions: Callable[[JsonObject], list[JsonObject]] = _no_conditions
    marks: Callable[[Sequence[JsonObject]], Mapping[str, str]] = _no_marks


NAME = Column("Name", "Unique among the objects of its kind and namespace.", value_format="name")
AGE = Column("Age", "Time since the object was created.")
CONTAINERS = Column("Containers", "Names of the template's containers.", wide=True)
IMAGES = Column("Images", "Images of the template's containers.", wide=True)
SELECTOR = Column("Selector", "Labels of the pods that belong to the object.", wide=True)
CREATED_AT = Column("Created At", "When the object was created.", value_type="date")
