"""What every store promises, on each implementation.

``sqlite-log`` keeps two changes in memory, so that nearly all history is read from the file.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from kubegang.store.interface import (
    Change,
    CompactedError,
    FutureRevisionError,
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

MAX_UNREAD = 5


@pytest.fixture(params=["memory", "sqlite", "sqlite-log"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    opened: Store
    if request.param == "memory":
        opened = MemoryStore(max_unread=MAX_UNREAD)
    elif request.param == "sqlite":
        opened = await open_sqlite_store(tmp_path / "store.db", max_unread=MAX_UNREAD)
    else:
        opened = await open_sqlite_store(
            tmp_path / "store.db", max_unread=MAX_UNREAD, backlog_entries=2
        )
    yield opened
    await opened.close()


def text(words: str) -> Callable[[Revision], bytes]:
    return lambda revision: f"{words} at {revision}".encode()


async def put(store: Store, key: str, words: str) -> Item:
    item = store.get(key)
    if item is None:
        return await store.create(key, text(words))
    return await store.update(key, text(words), expected=item.revision)


async def drop(store: Store, key: str) -> Item:
    item = store.get(key)
    assert item is not None
    return await store.delete(key, text("gone"), expected=item.revision)


async def collect(watch: Watch, count: int) -> list[Change]:
    changes: list[Change] = []
    while len(changes) < count:
        changes += await watch.next_batch()
    assert len(changes) == count
    return changes


def short(changes: list[Change]) -> list[tuple[str, str]]:
    return [(change.type, change.key) for change in changes]


async def test_a_created_key_can_be_read(store: Store) -> None:
    item = await store.create("/pods/a", text("new"))

    assert store.get("/pods/a") == item
    assert item.value == f"new at {item.revision}".encode()
    assert store.revision == item.revision


async def test_a_key_that_was_never_written_reads_as_none(store: Store) -> None:
    assert store.get("/pods/a") is None


async def test_an_empty_store_is_not_at_revision_zero(store: Store) -> None:
    # In the API, resourceVersion 0 means "any".
    assert store.revision > 0
    assert store.list("").revision == store.revision


async def test_revisions_grow_by_one_counter_for_all_keys(store: Store) -> None:
    first = await store.create("/pods/a", text("a"))
    second = await store.create("/nodes/b", text("b"))
    third = await put(store, "/pods/a", "a again")

    assert first.revision < second.revision < third.revision


async def test_creating_an_existing_key_fails_and_changes_nothing(store: Store) -> None:
    item = await store.create("/pods/a", text("first"))

    with pytest.raises(KeyExistsError):
        await store.create("/pods/a", text("second"))

    assert store.get("/pods/a") == item
    assert store.revision == item.revision


async def test_of_two_creates_at_the_same_time_the_first_wins(store: Store) -> None:
    first, second = await asyncio.gather(
        store.create("/pods/a", text("first")),
        store.create("/pods/a", text("second")),
        return_exceptions=True,
    )

    assert isinstance(first, Item)
    assert isinstance(second, KeyExistsError)
    assert store.get("/pods/a") == first


async def test_an_update_at_another_revision_is_a_conflict_that_tells_the_state(
    store: Store,
) -> None:
    old = await store.create("/pods/a", text("old"))
    new = await store.update("/pods/a", text("new"), expected=old.revision)

    with pytest.raises(RevisionConflictError) as caught:
        await store.update("/pods/a", text("late"), expected=old.revision)

    assert caught.value.current == new
    assert store.get("/pods/a") == new


async def test_of_two_updates_at_the_same_time_the_first_wins(store: Store) -> None:
    old = await store.create("/pods/a", text("old"))

    first, second = await asyncio.gather(
        store.update("/pods/a", text("first"), expected=old.revision),
        store.update("/pods/a", text("second"), expected=old.revision),
        return_exceptions=True,
    )

    assert isinstance(first, Item)
    assert isinstance(second, RevisionConflictError)
    assert second.current == first


async def test_after_a_conflict_a_read_shows_the_winner(store: Store) -> None:
    """Otherwise a caller that reads and tries again would turn in circles."""
    old = await store.create("/pods/a", text("old"))
    winner = asyncio.ensure_future(store.update("/pods/a", text("first"), expected=old.revision))
    await asyncio.wait([winner], timeout=0)

    with pytest.raises(RevisionConflictError) as caught:
        await store.update("/pods/a", text("second"), expected=old.revision)

    assert store.get("/pods/a") == caught.value.current
    await winner


async def test_a_write_can_rest_on_one_that_is_still_under_way(store: Store) -> None:
    drawn: list[Revision] = []

    def first(revision: Revision) -> bytes:
        drawn.append(revision)
        return b"first"

    earlier = asyncio.ensure_future(store.create("/pods/a", first))
    await asyncio.wait([earlier], timeout=0)
    later = await store.update("/pods/a", text("second"), expected=drawn[0])

    assert store.get("/pods/a") == later
    assert (await earlier).revision == drawn[0]


@pytest.mark.parametrize("verb", ["update", "delete"])
async def test_changing_a_missing_key_fails(store: Store, verb: str) -> None:
    change = store.update if verb == "update" else store.delete
    with pytest.raises(KeyMissingError):
        await change("/pods/a", text("x"), expected=Revision(1))


async def test_a_deleted_key_is_gone_and_can_be_created_again(store: Store) -> None:
    item = await store.create("/pods/a", text("first"))
    gone = await store.delete("/pods/a", text("last words"), expected=item.revision)
    assert store.get("/pods/a") is None
    assert gone.value == f"last words at {gone.revision}".encode()

    again = await store.create("/pods/a", text("second"))

    assert store.get("/pods/a") == again
    assert again.revision > gone.revision


async def test_a_delete_and_a_create_at_the_same_time_both_happen_in_order(
    store: Store,
) -> None:
    item = await store.create("/pods/a", text("first"))

    gone, again = await asyncio.gather(
        store.delete("/pods/a", text("gone"), expected=item.revision),
        store.create("/pods/a", text("second")),
    )

    assert gone.revision < again.revision
    assert store.get("/pods/a") == again


async def test_an_encoder_that_fails_burns_its_revision_and_nothing_else(store: Store) -> None:
    before = await store.create("/pods/a", text("a"))
    drawn: list[Revision] = []

    def fail(revision: Revision) -> bytes:
        drawn.append(revision)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await store.create("/pods/b", fail)

    after = await store.create("/pods/b", text("b"))
    assert before.revision < drawn[0] < after.revision


async def test_a_cancelled_caller_does_not_disturb_the_others(store: Store) -> None:
    writes = [asyncio.ensure_future(store.create(f"/pods/{n}", text("x"))) for n in range(3)]
    await asyncio.wait(writes, timeout=0)
    writes[1].cancel()

    await asyncio.gather(writes[0], writes[2])

    assert store.count("/pods/") == 3


async def test_a_listing_is_sorted_and_keeps_to_its_prefix(store: Store) -> None:
    for key in ("/pods/b/x", "/pods/a/z", "/podsx/a", "/nodes/n", "/pods/a/y"):
        await store.create(key, text(key))

    page = store.list("/pods/")

    assert [item.key for item in page.items] == ["/pods/a/y", "/pods/a/z", "/pods/b/x"]
    assert page.remaining == 0
    assert page.revision == store.revision
    assert store.count("/pods/") == 3
    assert store.count("") == 5


async def test_a_listing_can_be_cut_and_continued(store: Store) -> None:
    for name in "abcde":
        await store.create(f"/pods/{name}", text(name))

    first = store.list("/pods/", limit=2)
    rest = store.list("/pods/", after=first.items[-1].key, limit=10)

    assert [item.key for item in first.items] == ["/pods/a", "/pods/b"]
    assert first.remaining == 3
    assert [item.key for item in rest.items] == ["/pods/c", "/pods/d", "/pods/e"]
    assert rest.remaining == 0


async def test_a_continued_listing_shows_things_as_they_were(store: Store) -> None:
    for name in "abcde":
        await store.create(f"/pods/{name}", text(name))
    first = store.list("/pods/", limit=2)
    before = store.list("/pods/")
    await put(store, "/pods/c", "changed")
    await put(store, "/pods/c", "changed again")
    await drop(store, "/pods/d")
    await store.create("/pods/cc", text("new"))

    rest = store.list("/pods/", after=first.items[-1].key, limit=2, at=first.revision)

    assert rest.items == before.items[2:4]
    assert rest.remaining == 1
    assert rest.revision == first.revision


async def test_every_past_revision_can_be_listed(store: Store) -> None:
    seen = {store.revision: store.list("/")}
    for step in range(12):
        if step % 4 == 3:
            await drop(store, f"/pods/{step // 4}")
        else:
            await put(store, f"/pods/{step % 3}", f"step {step}")
        seen[store.revision] = store.list("/")

    for revision, page in seen.items():
        assert store.list("/", at=revision) == page


async def test_the_future_cannot_be_listed(store: Store) -> None:
    with pytest.raises(FutureRevisionError) as caught:
        store.list("/", at=Revision(store.revision + 1))
    assert caught.value.current == store.revision


async def test_a_watch_gets_every_change_with_the_value_before(store: Store) -> None:
    watch = store.watch("/pods/", after=store.revision)
    created = await store.create("/pods/a", text("one"))
    updated = await store.update("/pods/a", text("two"), expected=created.revision)
    deleted = await store.delete("/pods/a", text("three"), expected=updated.revision)

    changes = await collect(watch, 3)

    assert changes == [
        Change("created", "/pods/a", created.revision, created.value, None),
        Change("updated", "/pods/a", updated.revision, updated.value, created.value),
        Change("deleted", "/pods/a", deleted.revision, deleted.value, updated.value),
    ]


async def test_a_watch_waits_for_changes_to_come(store: Store) -> None:
    watch = store.watch("/pods/", after=store.revision)
    waiting = asyncio.ensure_future(watch.next_batch())
    await asyncio.wait([waiting], timeout=0)

    await store.create("/nodes/n", text("not for this watch"))
    await store.create("/pods/a", text("a"))

    assert short(await waiting) == [("created", "/pods/a")]


async def test_a_watch_from_the_past_goes_on_into_the_present(store: Store) -> None:
    start = store.revision
    for name in "abcd":
        await store.create(f"/pods/{name}", text(name))
        await store.create(f"/nodes/{name}", text(name))
    watch = store.watch("/pods/", after=start)

    assert short(await collect(watch, 4)) == [("created", f"/pods/{name}") for name in "abcd"]

    await store.create("/pods/e", text("e"))
    assert short(await collect(watch, 1)) == [("created", "/pods/e")]


async def test_a_long_history_is_read_in_parts_without_loss(store: Store) -> None:
    start = store.revision
    await asyncio.gather(*(store.create(f"/pods/{n:04}", text("x")) for n in range(1_200)))
    watch = store.watch("/pods/", after=start)

    changes: list[Change] = []
    while len(changes) < 1_200:
        changes += await watch.next_batch()

    assert [change.key for change in changes] == [f"/pods/{n:04}" for n in range(1_200)]


async def test_what_is_written_while_a_watch_catches_up_comes_once(store: Store) -> None:
    start = store.revision
    await asyncio.gather(*(store.create(f"/pods/{n:04}", text("x")) for n in range(600)))
    watch = store.watch("/pods/", after=start)
    first = await watch.next_batch()
    assert len(first) < 600
    await asyncio.gather(*(store.create(f"/pods/{n:04}", text("x")) for n in range(600, 1_200)))

    changes = first
    while len(changes) < 1_200:
        changes += await watch.next_batch()

    assert [change.key for change in changes] == [f"/pods/{n:04}" for n in range(1_200)]


async def test_a_watch_from_the_future_passes_over_what_is_earlier(store: Store) -> None:
    watch = store.watch("/pods/", after=Revision(store.revision + 2))
    for name in "abcd":
        await store.create(f"/pods/{name}", text(name))

    assert short(await collect(watch, 2)) == [("created", "/pods/c"), ("created", "/pods/d")]


async def test_a_watcher_that_does_not_read_is_cut(store: Store) -> None:
    slow = store.watch("/pods/", after=store.revision)
    quick = store.watch("/pods/", after=store.revision)
    await store.create("/pods/first", text("x"))
    # Both are past history now: from here on changes are pushed to them.
    await collect(slow, 1)
    await collect(quick, 1)

    for name in range(MAX_UNREAD + 1):
        await store.create(f"/pods/{name}", text("x"))
        await collect(quick, 1)

    with pytest.raises(SlowWatcherError):
        await slow.next_batch()


async def test_a_closed_watch_ends_the_one_who_waits(store: Store) -> None:
    watch = store.watch("/pods/", after=store.revision)
    waiting = asyncio.ensure_future(watch.next_batch())
    await asyncio.wait([waiting], timeout=0)

    watch.close()

    with pytest.raises(StoreClosedError):
        await waiting
    watch.close()


async def test_compaction_keeps_current_values_and_forgets_history(store: Store) -> None:
    start = store.revision
    await put(store, "/pods/a", "one")
    await put(store, "/pods/a", "two")
    await put(store, "/pods/b", "b")
    await drop(store, "/pods/b")
    kept = store.list("/")

    await store.compact(store.revision)

    assert store.compacted == store.revision
    assert store.list("/") == kept
    with pytest.raises(CompactedError) as caught:
        store.watch("/pods/", after=start)
    assert caught.value.oldest == store.compacted
    with pytest.raises(CompactedError):
        store.list("/", at=start)


async def test_history_after_the_compacted_revision_is_whole(store: Store) -> None:
    await put(store, "/pods/a", "one")
    await put(store, "/pods/b", "one")
    boundary = store.revision
    page = store.list("/")
    await put(store, "/pods/a", "two")
    await drop(store, "/pods/b")

    await store.compact(boundary)

    assert store.list("/", at=boundary) == page
    changes = await collect(store.watch("/", after=boundary), 2)
    assert short(changes) == [("updated", "/pods/a"), ("deleted", "/pods/b")]
    assert [change.previous for change in changes] == [item.value for item in page.items]


async def test_compacting_twice_or_backwards_does_nothing(store: Store) -> None:
    await put(store, "/pods/a", "one")
    await store.compact(store.revision)
    compacted = store.compacted

    await store.compact(Revision(1))
    await store.compact(compacted)

    assert store.compacted == compacted


async def test_the_future_cannot_be_compacted(store: Store) -> None:
    with pytest.raises(FutureRevisionError):
        await store.compact(Revision(store.revision + 1))


async def test_a_watch_that_catches_up_too_slowly_for_compaction_is_cut(store: Store) -> None:
    start = store.revision
    await asyncio.gather(*(store.create(f"/pods/{n:04}", text("x")) for n in range(1_200)))
    watch = store.watch("/pods/", after=start)
    await watch.next_batch()

    await store.compact(store.revision)

    with pytest.raises(SlowWatcherError):
        await watch.next_batch()


async def test_a_closed_store_refuses_writes_and_ends_watches(store: Store) -> None:
    item = await store.create("/pods/a", text("a"))
    watch = store.watch("/pods/", after=store.revision)
    waiting = asyncio.ensure_future(watch.next_batch())
    await asyncio.wait([waiting], timeout=0)

    await store.close()

    with pytest.raises(StoreClosedError):
        await waiting
    with pytest.raises(StoreClosedError):
        await store.create("/pods/b", text("b"))
    with pytest.raises(StoreClosedError):
        await store.update("/pods/a", text("b"), expected=item.revision)
    with pytest.raises(StoreClosedError):
        store.watch("/pods/", after=store.revision)
    await store.close()


async def test_closing_answers_what_was_accepted(store: Store) -> None:
    write = asyncio.ensure_future(store.create("/pods/a", text("a")))
    await asyncio.wait([write], timeout=0)

    await store.close()

    assert (await write).key == "/pods/a"


async def test_changes_are_offered_first_while_the_reader_waits(store: Store) -> None:
    watch = store.watch("/pods/", after=store.revision)
    taken: list[Change] = []
    willing = True

    def take(changes: list[Change]) -> bool:
        if willing:
            taken.extend(changes)
        return willing

    watch.offer_to(take)
    # Nobody waits yet, so it is not offered: what is read comes first.
    first = await put(store, "/pods/a", "one")
    assert (taken, [change.revision for change in await watch.next_batch()]) == (
        [],
        [first.revision],
    )
    waiting = asyncio.ensure_future(watch.next_batch())
    await asyncio.wait([waiting], timeout=0)
    second = await put(store, "/pods/a", "two")
    await put(store, "/other/a", "one")
    assert [change.revision for change in taken] == [second.revision]
    assert not waiting.done()

    willing = False
    third = await put(store, "/pods/a", "three")
    assert [change.revision for change in await waiting] == [third.revision]
    assert len(taken) == 1
    watch.close()
