"""A local copy of the objects of one resource, with indexes and handlers.

It is told what a list or a watch said, leaves out what it knows already, and tells handlers
what changed. Pure: no clock, no I/O; handlers run at once, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from kubegang.base.logging import logger
from kubegang.client.interface import RawObject

T = TypeVar("T")

ObjectKey = tuple[str, str]
"""Namespace and name."""

IndexFunction = Callable[[T], Iterable[str]]

_log = logger(__name__)

_DECODING_ERRORS = (msgspec.MsgspecError, ValueError, TypeError, KeyError)


class _Known(NamedTuple, Generic[T]):
    uid: str
    resource_version: str
    object: T


class _Handlers(NamedTuple, Generic[T]):
    on_add: Callable[[T], Any] | None
    on_update: Callable[[T, T], Any] | None
    on_delete: Callable[[T], Any] | None


class _Index(Generic[T]):
    """Objects by the keys that a function gives them."""

    def __init__(self, keys_of: IndexFunction[T]) -> None:
        self._keys_of = keys_of
        self._found: dict[str, dict[ObjectKey, T]] = {}

    def add(self, key: ObjectKey, obj: T) -> None:
        for index_key in self._keys_of(obj):
            self._found.setdefault(index_key, {})[key] = obj

    def remove(self, key: ObjectKey, obj: T) -> None:
        for index_key in self._keys_of(obj):
            same = self._found.get(index_key, {})
            same.pop(key, None)
            if not same:
                self._found.pop(index_key, None)

    def get(self, index_key: str) -> list[T]:
        return list(self._found.get(index_key, {}).values())


class LocalCopy(Generic[T]):
    """What the server has, as far as we were told.

    Every object is announced as added before it is updated or deleted, and an object that was
    deleted and made anew under its name is announced as both.
    """

    def __init__(self, decode: Callable[[bytes], T], *, resource: str) -> None:
        """Keep what ``decode`` makes of each object; ``resource`` is for the log."""
        self._decode = decode
        self._resource = resource
        self._known: dict[ObjectKey, _Known[T]] = {}
        self._indexes: dict[str, _Index[T]] = {}
        self._handlers: list[_Handlers[T]] = []

    # Reading

    def get(self, namespace: str, name: str) -> T | None:
        """Return one object."""
        known = self._known.get((namespace, name))
        return known.object if known is not None else None

    def items(self) -> list[T]:
        """Return all objects."""
        return [known.object for known in self._known.values()]

    def index(self, name: str, keys_of: IndexFunction[T]) -> None:
        """Keep objects findable by the keys that a function gives them."""
        index = self._indexes[name] = _Index(keys_of)
        for key, known in self._known.items():
            index.add(key, known.object)

    def by_index(self, name: str, index_key: str) -> list[T]:
        """Return the objects that have a key in an index."""
        return self._indexes[name].get(index_key)

    def add_handler(
        self,
        on_add: Callable[[T], Any] | None,
        on_update: Callable[[T, T], Any] | None,
        on_delete: Callable[[T], Any] | None,
    ) -> None:
        """Call these from now on; what is there already is added at once."""
        self._handlers.append(_Handlers(on_add, on_update, on_delete))
        if on_add is not None:
            for known in list(self._known.values()):
                on_add(known.object)

    # Being told

    def replace(self, objects: Iterable[RawObject]) -> None:
        """Take over a listing: whatever is not in it was deleted unseen."""
        listed = {(raw.namespace, raw.name): raw for raw in objects}
        for key in [key for key in self._known if key not in listed]:
            self._remove(key, self._known[key].object)
        for raw in listed.values():
            # A listing is the truth, even if the server went back in time.
            known = self._known.get((raw.namespace, raw.name))
            if known is None or (known.uid, known.resource_version) != _identity(raw):
                self._put(raw)

    def changed(self, raw: RawObject) -> None:
        """Take over an object that was added or modified."""
        known = self._known.get((raw.namespace, raw.name))
        if known is None or is_newer(raw.resource_version, known.resource_version):
            self._put(raw)

    def deleted(self, raw: RawObject) -> None:
        """Remove an object; handlers get its final state."""
        key = (raw.namespace, raw.name)
        known = self._known.get(key)
        if known is None or not is_newer(raw.resource_version, known.resource_version):
            return
        try:
            last = self._decode(raw.body)
        except _DECODING_ERRORS as error:
            self._log_undecodable(raw, error)
            last = known.object
        self._remove(key, last)

    def _put(self, raw: RawObject) -> None:
        try:
            obj = self._decode(raw.body)
        except _DECODING_ERRORS as error:
            self._log_undecodable(raw, error)
            return
        key = (raw.namespace, raw.name)
        known = self._known.get(key)
        if known is not None and known.uid != raw.uid:
            self._remove(key, known.object)
            known = None
        for index in self._indexes.values():
            if known is not None:
                index.remove(key, known.object)
            index.add(key, obj)
        self._known[key] = _Known(raw.uid, raw.resource_version, obj)
        for handlers in self._handlers:
            if known is None:
                if handlers.on_add is not None:
                    handlers.on_add(obj)
            elif handlers.on_update is not None:
                handlers.on_update(known.object, obj)

    def _remove(self, key: ObjectKey, last: T) -> None:
        known = self._known.pop(key)
        for index in self._indexes.values():
            index.remove(key, known.object)
        for handlers in self._handlers:
            if handlers.on_delete is not None:
                handlers.on_delete(last)

    def _log_undecodable(self, raw: RawObject, error: Exception) -> None:
        _log.error(
            "skipping an object that cannot be decoded",
            resource=self._resource,
            namespace=raw.namespace,
            name=raw.name,
            error=str(error)[:500],
        )


def is_newer(version: str, than: str) -> bool:
    """Return whether a resourceVersion is later than another of the same resource.

    They may be compared as numbers where they are numbers (KEP-5504); otherwise all that can
    be said is whether they differ.
    """
    if version.isdecimal() and than.isdecimal():
        return int(version) > int(than)
    return version != than


def _identity(raw: RawObject) -> tuple[str, str]:
    return raw.uid, raw.resource_version
