"""What the API server may ask of a store, and the errors it may get.

Keys are text such as ``/pods/default/web-0``; values are bytes that the store never looks
into. Every change gets a revision from one counter for all keys. The caller encodes a value
once it knows the revision, so the bytes can carry it and go to readers and watchers as they
are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NewType, Protocol

import msgspec

Revision = NewType("Revision", int)
"""A point in the history of the whole store; larger is later."""

Encode = Callable[[Revision], bytes]
"""Makes the value for the revision that the change will have."""


class StoreError(Exception):
    """Base of what a store may raise."""


class KeyExistsError(StoreError):
    """The key to create exists."""


class KeyMissingError(StoreError):
    """The key to change does not exist."""


class RevisionConflictError(StoreError):
    """The key exists at another revision than the caller expected.

    Attributes:
        current: the item as it is.
    """

    def __init__(self, current: Item) -> None:
        super().__init__(f"{current.key} is at revision {current.revision}")
        self.current = current


class CompactedError(StoreError):
    """The revision asked for is older than the history that is kept.

    Attributes:
        oldest: the oldest revision after which a watch can start.
    """

    def __init__(self, oldest: Revision) -> None:
        super().__init__(f"history starts after revision {oldest}")
        self.oldest = oldest


class FutureRevisionError(StoreError):
    """The revision asked for has not happened yet."""

    def __init__(self, current: Revision) -> None:
        super().__init__(f"the store is at revision {current}")
        self.current = current


class SlowWatcherError(StoreError):
    """The watcher did not read fast enough and was cut; it must list again."""


class StoreClosedError(StoreError):
    """The store was closed, or its file is damaged; nothing more is accepted."""


class StoreUnavailableError(StoreError):
    """The disk refused. Reads go on, and writes are taken again once the disk takes them.

    Whoever waited for a write does not know whether it happened: mostly it did not, but what
    reached the disk all the same appears when the store has looked there again.
    """


class StoreFullError(StoreUnavailableError):
    """The disk refused for want of space."""


class Item(msgspec.Struct, frozen=True, gc=False):
    """A key with its current value."""

    key: str
    value: bytes
    revision: Revision


class Change(msgspec.Struct, frozen=True, gc=False):
    """One step of history.

    Attributes:
        value: the new value; for ``deleted`` the last state, encoded with the revision of
            the deletion.
        previous: the value before, ``None`` for ``created``.
    """

    type: Literal["created", "updated", "deleted"]
    key: str
    revision: Revision
    value: bytes
    previous: bytes | None


class Page(msgspec.Struct, frozen=True):
    """A part of a listing.

    Attributes:
        revision: the point in history that the whole listing shows.
        remaining: how many more items follow, 0 at the end.
    """

    items: tuple[Item, ...]
    revision: Revision
    remaining: int


Take = Callable[[list[Change]], bool]
"""Offered changes in order; returns whether it has taken them."""


class Watch(Protocol):
    """A subscription. Iterate by calling ``next_batch`` until it raises; then ``close``."""

    async def next_batch(self) -> list[Change]:
        """Wait for changes and return all that are ready, at least one, in order.

        Raises:
            SlowWatcherError: too many changes are waiting; the subscription is over.
            StoreClosedError: the store was closed.
        """
        ...

    def drain(self) -> list[Change]:
        """Return all changes that are ready, perhaps none, without waiting.

        Raises:
            SlowWatcherError: too many changes were waiting; the subscription is over.
            StoreClosedError: the store was closed.
        """
        ...

    def offer_to(self, take: Take) -> None:
        """Offer changes to a function first, as they happen, while ``next_batch`` waits.

        What it takes ``next_batch`` does not return. It must not raise.
        """
        ...

    def close(self) -> None:
        """End the subscription; a waiting ``next_batch`` raises ``StoreClosedError``."""
        ...


class Store(Protocol):
    """Durable, ordered, watchable keys.

    A write returns after it is as durable as the store can make it. Reads see what has been
    acknowledged, or more recent durable state, never a write that may still fail. Every
    write may raise ``StoreUnavailableError``. All methods are called on one event loop.
    """

    @property
    def revision(self) -> Revision:
        """The latest readable revision."""
        ...

    @property
    def compacted(self) -> Revision:
        """The oldest revision after which ``watch`` can start."""
        ...

    @property
    def problem(self) -> str:
        """Why no writes are taken now; empty while all is well."""
        ...

    def get(self, key: str) -> Item | None:
        """Return the item, or ``None``."""
        ...

    def list(
        self, prefix: str, *, after: str = "", limit: int = 0, at: Revision | None = None
    ) -> Page:
        """Return the items whose keys start with ``prefix``, in the order of their keys.

        Args:
            prefix: the common beginning of the keys.
            after: return only keys greater than this one.
            limit: at most so many items; 0 is all.
            at: list as things were at this revision (needed for the further pages of a
                listing); ``None`` is now.

        Raises:
            CompactedError: ``at`` is too old.
            FutureRevisionError: ``at`` has not happened.
        """
        ...

    def count(self, prefix: str) -> int:
        """Return how many keys start with ``prefix``."""
        ...

    async def create(self, key: str, encode: Encode) -> Item:
        """Add a key.

        Raises:
            KeyExistsError: it exists, or another create of it is under way.
        """
        ...

    async def update(self, key: str, encode: Encode, *, expected: Revision) -> Item:
        """Replace the value if the key is still at ``expected``.

        Raises:
            KeyMissingError: the key does not exist.
            RevisionConflictError: it has another revision.
        """
        ...

    async def delete(self, key: str, encode: Encode, *, expected: Revision) -> Item:
        """Remove the key if it is still at ``expected``; the final value is for watchers.

        Raises:
            KeyMissingError: the key does not exist.
            RevisionConflictError: it has another revision.
        """
        ...

    def watch(self, prefix: str, *, after: Revision) -> Watch:
        """Subscribe to every change after a revision to keys that start with ``prefix``.

        A revision that has not happened yet is fine: earlier changes are passed over.

        Raises:
            CompactedError: the history does not reach back that far.
        """
        ...

    async def compact(self, keep_after: Revision) -> None:
        """Forget history up to and including ``keep_after``; current values stay."""
        ...

    async def close(self) -> None:
        """Write what was accepted, release the files, end all watches."""
        ...
