"""A store against a naive model: a list of all changes ever made, replayed for each question.

Groups of writes are submitted in one turn of the loop, so that later ones are decided while
earlier ones are not durable yet.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Literal, NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
)

from kubegang.store.interface import (
    Change,
    CompactedError,
    Encode,
    Item,
    KeyExistsError,
    KeyMissingError,
    Revision,
    RevisionConflictError,
    SlowWatcherError,
    Store,
    StoreClosedError,
    Watch,
)
from kubegang.store.memory import MemoryStore
from kubegang.store.sqlite import open_sqlite_store

Kind = Literal["created", "updated", "deleted"]

KEYS = ("/a/1", "/a/2", "/a/3", "/ab/1", "/b/1")
PREFIXES = ("", "/a/", "/a", "/b/", "/none/")


class Write(NamedTuple):
    """A write to try; ``stale`` gives it an expected revision that is wrong."""

    verb: str
    key: str
    stale: bool


WRITES = st.builds(
    Write, st.sampled_from(("create", "update", "delete")), st.sampled_from(KEYS), st.booleans()
)


class OpenWatch:
    """A watch of the store and how far it was read."""

    def __init__(self, watch: Watch, store: Store, prefix: str, *, after: Revision) -> None:
        self.watch = watch
        self.store = store
        self.prefix = prefix
        self.position = after


class StoreMachine(RuleBasedStateMachine):
    """Drives one store; subclasses say which."""

    watches = Bundle("watches")

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.history: list[Change] = []
        self.compacted = Revision(0)
        self.store: Store

    async def open(self) -> Store:
        raise NotImplementedError

    @initialize()
    def start(self) -> None:
        self.store = self.loop.run_until_complete(self.open())
        self.first = self.store.revision

    def teardown(self) -> None:
        self.loop.run_until_complete(self.store.close())
        self.loop.close()

    # The model

    def state(self, at: Revision) -> dict[str, Item]:
        items: dict[str, Item] = {}
        for change in self.history:
            if change.revision > at:
                break
            items.pop(change.key, None)
            if change.type != "deleted":
                items[change.key] = Item(change.key, change.value, change.revision)
        return dict(sorted(items.items()))

    def listed(self, prefix: str, at: Revision) -> list[Item]:
        return [item for key, item in self.state(at).items() if key.startswith(prefix)]

    @property
    def now(self) -> Revision:
        return self.history[-1].revision if self.history else self.first

    # Rules

    @rule(writes=st.lists(WRITES, min_size=1, max_size=6))
    def write(self, writes: list[Write]) -> None:
        outcomes = self.loop.run_until_complete(self._submit(writes))
        assert [type(outcome) for outcome in outcomes] == self.wanted

    async def _submit(self, writes: list[Write]) -> list[Item | BaseException]:
        """Submit all in one turn; the model decides each as it is submitted."""
        self.wanted: list[type] = []
        tasks = []
        for write in writes:
            tasks.append(asyncio.ensure_future(self._try(write)))
            # One turn: the task decides and submits, the disk has not answered.
            await asyncio.wait(tasks[-1:], timeout=0)
        return await asyncio.gather(*tasks, return_exceptions=True)

    async def _try(self, write: Write) -> Item:
        found = self.state(Revision(2**62)).get(write.key)
        expected = Revision((found.revision if found else 1) - int(write.stale))
        if write.verb == "create":
            self.wanted.append(KeyExistsError if found else Item)
            return await self.store.create(write.key, self._encoder("created", write.key, None))
        if found is None:
            self.wanted.append(KeyMissingError)
        else:
            self.wanted.append(RevisionConflictError if write.stale else Item)
        if write.verb == "update":
            encode = self._encoder("updated", write.key, found)
            return await self.store.update(write.key, encode, expected=expected)
        encode = self._encoder("deleted", write.key, found)
        return await self.store.delete(write.key, encode, expected=expected)

    def _encoder(self, kind: Kind, key: str, found: Item | None) -> Encode:
        def encode(revision: Revision) -> bytes:
            value = f"{kind} {key} at {revision}".encode()
            before = found.value if found else None
            self.history.append(Change(kind, key, revision, value, before))
            return value

        return encode

    @rule(prefix=st.sampled_from(PREFIXES), back=st.integers(0, 20), limit=st.integers(0, 3))
    def list_the_past(self, prefix: str, back: int, limit: int) -> None:
        at = Revision(max(self.now - back, 0))
        if at < self.compacted:
            with pytest.raises(CompactedError) as caught:
                self.store.list(prefix, at=at, limit=limit)
            assert caught.value.oldest == self.compacted
            return
        page = self.store.list(prefix, at=at, limit=limit)
        wanted = self.listed(prefix, at)
        shown = wanted[:limit] if limit else wanted
        assert list(page.items) == shown
        assert page.remaining == len(wanted) - len(shown)
        if page.remaining:
            rest = self.store.list(prefix, at=at, after=shown[-1].key)
            assert list(rest.items) == wanted[limit:]

    @rule(target=watches, prefix=st.sampled_from(PREFIXES), back=st.integers(-2, 20))
    def watch(self, prefix: str, back: int) -> OpenWatch | None:
        after = Revision(max(self.now - back, 0))
        try:
            return OpenWatch(self.store.watch(prefix, after=after), self.store, prefix, after=after)
        except CompactedError:
            assert after < self.compacted
            return None

    @rule(open_watch=watches)
    def read(self, open_watch: OpenWatch | None) -> None:
        if open_watch is not None:
            self.loop.run_until_complete(self._read(open_watch))

    async def _read(self, watch: OpenWatch) -> None:
        wanted = [
            change
            for change in self.history
            if change.revision > watch.position and change.key.startswith(watch.prefix)
        ]
        seen: list[Change] = []
        try:
            while len(seen) < len(wanted):
                seen += await watch.watch.next_batch()
        except SlowWatcherError:
            # It had not read all of history when that was compacted.
            assert watch.position < self.compacted
            return
        except StoreClosedError:
            assert watch.store is not self.store
            return
        assert seen == wanted
        watch.position = Revision(max(watch.position, self.now))

    @rule(open_watch=consumes(watches))
    def stop_watching(self, open_watch: OpenWatch | None) -> None:
        if open_watch is not None:
            open_watch.watch.close()

    @rule(back=st.integers(0, 12))
    def compact(self, back: int) -> None:
        keep_after = Revision(max(self.now - back, 0))
        self.loop.run_until_complete(self.store.compact(keep_after))
        self.compacted = Revision(max(self.compacted, keep_after))

    @invariant()
    def the_present_is_right(self) -> None:
        assert self.store.revision == self.now
        assert self.store.compacted == self.compacted
        for prefix in PREFIXES:
            wanted = self.listed(prefix, self.now)
            assert list(self.store.list(prefix).items) == wanted
            assert self.store.count(prefix) == len(wanted)
        for key in KEYS:
            assert self.store.get(key) == self.state(self.now).get(key)


class MemoryMachine(StoreMachine):
    """The store in memory."""

    async def open(self) -> Store:
        return MemoryStore()


class SqliteMachine(StoreMachine):
    """The store in a file, with nearly all history read from the file; reopened at times."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()

    async def open(self) -> Store:
        return await open_sqlite_store(Path(self.folder.name) / "store.db", backlog_entries=3)

    @rule()
    def reopen(self) -> None:
        self.loop.run_until_complete(self.store.close())
        self.store = self.loop.run_until_complete(self.open())

    def teardown(self) -> None:
        super().teardown()
        self.folder.cleanup()


TestMemoryStore = MemoryMachine.TestCase
TestMemoryStore.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestSqliteStore = SqliteMachine.TestCase
TestSqliteStore.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
