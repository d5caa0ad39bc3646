"""Reading a subscription without waiting: whatever is ready, perhaps nothing."""

from __future__ import annotations

import pytest

from kubegang.store.interface import SlowWatcherError, StoreClosedError
from kubegang.store.memory import MemoryStore


async def test_what_is_ready_is_returned_once_from_history_and_live() -> None:
    store = MemoryStore()
    await store.create("/a/1", lambda _revision: b"1")
    watch = store.watch("/a/", after=store.compacted)
    await store.create("/b/1", lambda _revision: b"other")
    assert [change.key for change in watch.drain()] == ["/a/1"]
    assert watch.drain() == []
    await store.create("/a/2", lambda _revision: b"2")
    assert [change.key for change in watch.drain()] == ["/a/2"]


async def test_too_many_changes_end_it_as_they_end_a_watcher() -> None:
    store = MemoryStore(max_unread=2)
    watch = store.watch("/a/", after=store.revision)
    watch.drain()
    for number in range(3):
        await store.create(f"/a/{number}", lambda _revision: b"")
    with pytest.raises(SlowWatcherError):
        watch.drain()


async def test_a_closed_subscription_says_so() -> None:
    store = MemoryStore()
    watch = store.watch("/a/", after=store.revision)
    watch.close()
    with pytest.raises(StoreClosedError):
        watch.drain()
