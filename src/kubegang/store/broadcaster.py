"""One writer, many watchers: each change goes to the subscriptions whose prefix it has.

A subscription first catches up from history, part by part, then gets changes as they are
published. Nobody waits for a slow reader: a subscription with too many unread changes is cut,
and its owner lists again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from kubegang.base.turns import next_turn
from kubegang.store.interface import (
    Change,
    CompactedError,
    Revision,
    SlowWatcherError,
    StoreClosedError,
    StoreError,
    Take,
)

HistoryPart = tuple[list[Change], Revision]
"""Some changes, perhaps none, and the revision up to which they are complete."""

ReadHistory = Callable[[str, Revision], HistoryPart]
"""Returns the next part of the changes to a prefix after a revision."""


class Broadcaster:
    """Knows every subscription; only live ones get what is published.

    Attributes:
        closed: whether all subscriptions were ended for good.
    """

    def __init__(self, read_history: ReadHistory, *, max_unread: int) -> None:
        self.closed = False
        self._read_history = read_history
        self._max_unread = max_unread
        self._live: dict[str, dict[Subscription, None]] = {}
        self._catching_up: dict[Subscription, None] = {}
        self._revision = Revision(0)

    def watch(self, prefix: str, *, after: Revision, current: Revision) -> Subscription:
        """Subscribe to the changes to a prefix after a revision."""
        self._revision = current
        subscription = Subscription(self, prefix, after=after, max_unread=self._max_unread)
        self._catching_up[subscription] = None
        return subscription

    def publish(self, changes: list[Change]) -> None:
        """Hand changes to every live subscription that wants them."""
        self._revision = changes[-1].revision
        for prefix, subscriptions in list(self._live.items()):
            wanted = [change for change in changes if change.key.startswith(prefix)]
            if wanted:
                for subscription in list(subscriptions):
                    subscription.push(wanted)

    def catch_up(self, subscription: Subscription, after: Revision) -> tuple[list[Change], bool]:
        """Return the next changes from history, and whether the subscription is live now."""
        if after < self._revision:
            changes, reached = self._read_history(subscription.prefix, after)
            subscription.seen(reached)
            if reached < self._revision:
                return changes, False
        else:
            changes = []
        self._catching_up.pop(subscription, None)
        self._live.setdefault(subscription.prefix, {})[subscription] = None
        return changes, True

    def remove(self, subscription: Subscription) -> None:
        """Forget a subscription that is over."""
        self._catching_up.pop(subscription, None)
        same_prefix = self._live.get(subscription.prefix, {})
        same_prefix.pop(subscription, None)
        if not same_prefix:
            self._live.pop(subscription.prefix, None)

    def close(self) -> None:
        """End every subscription."""
        self.closed = True
        live = [one for subscriptions in self._live.values() for one in subscriptions]
        for subscription in [*live, *self._catching_up]:
            subscription.close()


class Subscription:
    """A ``Watch``: catching up, then live, then over; read by one task."""

    def __init__(
        self, broadcaster: Broadcaster, prefix: str, *, after: Revision, max_unread: int
    ) -> None:
        self.prefix = prefix
        self._broadcaster = broadcaster
        self._after = after
        self._max_unread = max_unread
        self._live = False
        self._unread: list[Change] = []
        self._over: type[StoreError] | None = None
        self._waiting: asyncio.Future[None] | None = None
        self._take: Take | None = None

    async def next_batch(self) -> list[Change]:
        """Wait for changes and return all that are ready, at least one, in order.

        Raises:
            SlowWatcherError: too many changes are waiting, or history was compacted before
                it was read; the subscription is over.
            StoreClosedError: the store or the subscription was closed.
        """
        while True:
            if self._over is not None:
                raise self._over(f"the watch of {self.prefix} is over")
            if not self._live:
                changes = self._next_from_history()
                # A long history is read in parts; others run in between.
                await next_turn()
                if changes:
                    return changes
            elif self._unread:
                changes, self._unread = self._unread, []
                return changes
            else:
                await self._wait()

    def drain(self) -> list[Change]:
        """Return all changes that are ready, perhaps none, without waiting.

        Raises:
            SlowWatcherError: too many changes were waiting, or history was compacted before
                it was read; the subscription is over.
            StoreClosedError: the store or the subscription was closed.
        """
        ready: list[Change] = []
        while not self._live and self._over is None:
            ready += self._next_from_history()
        if self._over is not None:
            raise self._over(f"the watch of {self.prefix} is over")
        if self._unread:
            ready += self._unread
            self._unread = []
        return ready

    def push(self, changes: list[Change]) -> None:
        """Take changes that have just been published."""
        if changes[0].revision <= self._after:
            # Only for a watch that starts in the future: the rest of history is older.
            changes = [change for change in changes if change.revision > self._after]
        if len(self._unread) + len(changes) > self._max_unread:
            self._end(SlowWatcherError)
        elif changes and not self._is_taken(changes):
            self._unread.extend(changes)
            self._wake()

    def offer_to(self, take: Take) -> None:
        """Offer changes to a function first, as they happen, while ``next_batch`` waits."""
        self._take = take

    def _is_taken(self, changes: list[Change]) -> bool:
        # Only while the reader waits: what it is working on comes first.
        waiting = self._waiting
        if self._take is None or waiting is None or waiting.done():
            return False
        return self._take(changes)

    def seen(self, revision: Revision) -> None:
        """Note that history has been read up to here."""
        self._after = max(self._after, revision)

    def close(self) -> None:
        """End the subscription; a waiting ``next_batch`` raises ``StoreClosedError``."""
        if self._over is None:
            self._end(StoreClosedError)

    def _next_from_history(self) -> list[Change]:
        try:
            changes, self._live = self._broadcaster.catch_up(self, self._after)
        except CompactedError:
            self._end(SlowWatcherError)
            return []
        return changes

    async def _wait(self) -> None:
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            await self._waiting
        finally:
            self._waiting = None

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def _end(self, error: type[StoreError]) -> None:
        self._over = error
        self._unread = []
        self._broadcaster.remove(self)
        self._wake()
