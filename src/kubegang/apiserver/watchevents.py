"""Events of a watch as lines of JSON: which kind of event a change is for one watcher.

For a watcher with selectors an object that starts to match is ADDED and one that stops is
DELETED, whatever really happened to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from kubegang.api.dropping import canonicalize
from kubegang.apimachinery.errors import ApiError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver import conversion
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.changes import PreparedChange
from kubegang.apiserver.negotiation import Representation
from kubegang.apiserver.pushing import chunk
from kubegang.apiserver.rendering import shaped
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.selection import Selection
from kubegang.store.interface import Change

EventType = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]

INITIAL_EVENTS_END = {"k8s.io/initial-events-end": "true"}

_ENCODE = msgspec.json.Encoder().encode


class EventWriter:
    """Writes the events of one watch."""

    def __init__(
        self,
        backend: Backend,
        request: ApiRequest,
        selection: Selection,
        representation: Representation,
    ) -> None:
        self._backend = backend
        self._request = request
        self._selection = selection
        self._representation = representation
        self._columns_sent = False

    def initial(self, value: bytes) -> bytes:
        """Return the ADDED event of an object that was there before the watch began."""
        return self._line("ADDED", value)

    def change(self, change: Change) -> bytes:
        """Return the event that a change is for this watcher, empty if it is none."""
        return self._event(change, as_it_is, "line")

    def chunk(self, change: Change) -> bytes:
        """Return the same as a chunk of an answer."""
        return self._event(change, chunk, "chunk")

    def _event(self, change: Change, form: Callable[[bytes], bytes], name: str) -> bytes:
        prepared = self._backend.changes.prepare(change)
        event_type = self._event_type(prepared)
        if event_type is None:
            return b""
        left = event_type == "DELETED" and change.type != "deleted"
        make_value = prepared.previous_at_revision if left else lambda: change.value
        if self._representation.shape == "table":
            # A table tells ages, and the columns only once: it is made for each watcher.
            return form(self._line(event_type, make_value()))
        key = (event_type, self._request.info.gvk, self._representation.shape, left, name)
        return prepared.line(key, lambda: form(self._line(event_type, make_value())))

    def bookmark(self, revision: int, *, initial_events_end: bool = False) -> bytes:
        """Return the event that says up to where this watcher has seen everything."""
        info = self._request.info
        metadata: JsonObject = {"resourceVersion": str(revision)}
        if initial_events_end:
            metadata["annotations"] = INITIAL_EVENTS_END
        obj: JsonObject = {
            "kind": info.kind,
            "apiVersion": str(info.group_version),
            "metadata": metadata,
        }
        canonicalize(obj, info.gvk)
        if self._representation.shape != "object":
            obj = self._shaped(obj, with_columns=False)
        return _line("BOOKMARK", _ENCODE(obj))

    def error(self, error: ApiError) -> bytes:
        """Return the event that ends a watch which cannot go on."""
        return _line("ERROR", _ENCODE(error.to_status()))

    def _event_type(self, prepared: PreparedChange) -> EventType | None:
        change = prepared.change
        selection = self._selection
        if selection.everything:
            return _PLAIN_TYPES[change.type]
        kind = selection.kind
        was = change.type != "created" and selection.matches(prepared.old(kind))
        if change.type == "deleted":
            return "DELETED" if was else None
        if selection.matches(prepared.new(kind)):
            return "MODIFIED" if was else "ADDED"
        return "DELETED" if was else None

    def _line(self, event_type: EventType, value: bytes) -> bytes:
        if self._representation.shape == "object":
            return _line(event_type, conversion.object_bytes(value, self._request.info))
        obj = conversion.from_stored(value, self._request.info)
        shown = self._shaped(obj, with_columns=not self._columns_sent)
        self._columns_sent = True
        return _line(event_type, _ENCODE(shown))

    def _shaped(self, obj: JsonObject, *, with_columns: bool) -> JsonObject:
        return shaped(
            self._backend, self._request, obj, self._representation, with_columns=with_columns
        )


def _line(event_type: EventType, obj: bytes) -> bytes:
    return b'{"type":"%b","object":%b}\n' % (event_type.encode(), obj)


def as_it_is(line: bytes) -> bytes:
    """Return a line unchanged."""
    return line


_PLAIN_TYPES: dict[str, EventType] = {
    "created": "ADDED",
    "updated": "MODIFIED",
    "deleted": "DELETED",
}
