"""Events, in the core group's form and in that of events.k8s.io.

Both forms show the same columns; only the members have other names.
"""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import UNKNOWN, member, name, number, since, text
from kubegang.apiserver.printers.columns import NAME, Cell, Column, Printer


def _core_cells(event: JsonObject, now: float) -> list[Cell]:
    first = since(member(event, "firstTimestamp") or member(event, "eventTime"), now)
    last = since(member(event, "lastTimestamp"), now)
    count = number(event, "count") or 1
    if (series := member(event, "series")) is not None:
        last = since(member(series, "lastObservedTime"), now)
        count = number(series, "count")
    elif last == UNKNOWN:
        last = first
    involved = member(event, "involvedObject")
    kind = text(involved, "kind").lower()
    component = text(event, "source", "component") or text(event, "reportingComponent")
    instance = text(event, "source", "host") or text(event, "reportingInstance")
    return [
        last,
        text(event, "type"),
        text(event, "reason"),
        f"{kind}/{text(involved, 'name')}" if text(involved, "name") else kind,
        text(involved, "fieldPath"),
        f"{component}, {instance}" if instance else component,
        text(event, "message").strip(),
        first,
        count,
        name(event),
    ]


_CORE_NAMES = {
    "regarding": "involvedObject",
    "note": "message",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}


def _cells(event: JsonObject, now: float) -> list[Cell]:
    renamed = {_CORE_NAMES.get(key, key): value for key, value in event.items()}
    return _core_cells(renamed, now)


_COLUMNS = (
    Column("Last Seen", "Time since it was seen last."),
    Column("Type", "Normal or Warning."),
    Column("Reason", "Why, in one word."),
    Column("Object", "The object it is about."),
    Column("Subobject", "The part of the object it is about.", wide=True),
    Column("Source", "Who has seen it.", wide=True),
    Column("Message", "What has happened."),
    Column("First Seen", "Time since it was seen first.", wide=True),
    Column("Count", "How often it was seen.", wide=True),
    NAME._replace(wide=True),
)

CORE_EVENT = Printer(_COLUMNS, _core_cells)
EVENT = Printer(_COLUMNS, _cells)
