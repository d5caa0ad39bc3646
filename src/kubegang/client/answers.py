"""Reads what the server answered: objects, lists, and the events of a watch.

Pure: no clock, no I/O.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeVar, cast

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.failures import error_of_status
from kubegang.client.interface import (
    ObjectList,
    RawList,
    RawObject,
    Resource,
    Response,
    UnreachableError,
)

T = TypeVar("T")

EventType = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]
_EVENT_TYPES = frozenset({"ADDED", "MODIFIED", "DELETED", "BOOKMARK"})


class Event(NamedTuple):
    """A watch event whose object is still bytes of the line that it came in."""

    type: EventType
    body: msgspec.Raw


class _Metadata(msgspec.Struct, gc=False, rename="camel"):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""


class _Head(msgspec.Struct, gc=False):
    metadata: _Metadata


class _ListMetadata(msgspec.Struct, gc=False, rename="camel"):
    resource_version: str = ""
    continue_: str | None = msgspec.field(default=None, name="continue")


class _List(msgspec.Struct):
    metadata: _ListMetadata
    items: list[JsonObject] | None = None


class _RawList(msgspec.Struct):
    metadata: _ListMetadata
    items: list[msgspec.Raw] | None = None


class _Event(msgspec.Struct, gc=False):
    type: str
    object: msgspec.Raw


_objects = msgspec.json.Decoder(JsonObject)
_heads = msgspec.json.Decoder(_Head)
_lists = msgspec.json.Decoder(_List)
_raw_lists = msgspec.json.Decoder(_RawList)
_events = msgspec.json.Decoder(_Event)


def read_object(response: Response) -> JsonObject:
    """Return the object in an answer.

    Raises:
        UnreachableError: it is not JSON, so it does not come from an API server.
    """
    return _read(_objects, response.body)


def read_list(response: Response, resource: Resource) -> ObjectList:
    """Return a listing; its items get the apiVersion and kind that a List leaves out."""
    listing = _read(_lists, response.body)
    items = [
        {"apiVersion": resource.api_version, "kind": resource.kind, **item}
        for item in listing.items or ()
    ]
    return ObjectList(items, listing.metadata.resource_version, listing.metadata.continue_ or "")


def read_raw_list(response: Response) -> RawList:
    """Return a listing whose objects are still bytes."""
    listing = _read(_raw_lists, response.body)
    items = [read_raw_object(body) for body in listing.items or ()]
    return RawList(items, listing.metadata.resource_version)


def read_raw_object(body: msgspec.Raw) -> RawObject:
    """Return an object with its metadata read."""
    metadata = _read(_heads, body).metadata
    return RawObject(
        body, metadata.namespace, metadata.name, metadata.uid, metadata.resource_version
    )


def read_event(line: bytes) -> Event:
    """Return the event in a line of a watch.

    Raises:
        ApiError: it is an ERROR event.
    """
    event = _read(_events, line)
    if event.type == "ERROR":
        status: dict[str, Any] = _read(_objects, event.object)
        raise error_of_status(status, code=status.get("code") or 500)
    if event.type not in _EVENT_TYPES:
        raise UnreachableError(f"the server sent an event of the unknown type {event.type!r}")
    return Event(cast("EventType", event.type), event.object)


def _read(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    try:
        return decoder.decode(body)
    except msgspec.DecodeError as error:
        start = body[:200].decode(errors="replace")
        raise UnreachableError(f"the answer is not from an API server: {start!r}") from error
