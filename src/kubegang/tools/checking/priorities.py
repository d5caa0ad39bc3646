"""What names of priority classes come to, as far as the classes are known. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.apimachinery.objects import JsonObject
from kubegang.tools.cluster.reading import SYSTEM_PRIORITIES

_UNKNOWN = -(2**30)
"""Stands for the first class that is not here; the next ones count down from it."""


class Priorities:
    """Values by name; a class that is not here has a value that no other has."""

    def __init__(self, classes: Iterable[JsonObject]) -> None:
        """Take PriorityClasses."""
        self._values = dict(SYSTEM_PRIORITIES)
        self._names: dict[int, str] = {}
        for one in classes:
            self._values[one["metadata"]["name"]] = int(one.get("value") or 0)
            if one.get("globalDefault"):
                self._values[""] = int(one.get("value") or 0)

    def fill_in(self, spec: JsonObject) -> None:
        """Set a priority as admission would."""
        if spec.get("priority") is None:
            spec["priority"] = self._value(spec.get("priorityClassName") or "")

    def told(self, value: int) -> str:
        """Return a priority as people know it."""
        return f"that of class {self._names[value]}" if value in self._names else str(value)

    def _value(self, name: str) -> int:
        if name in self._values or not name:
            return self._values.get(name, 0)
        value = _UNKNOWN - len(self._names)
        self._values[name] = value
        self._names[value] = name
        return value
