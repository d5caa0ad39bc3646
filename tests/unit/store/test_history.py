"""The backlog's bounds."""

from __future__ import annotations

from kubegang.store.history import Backlog, Entry, make_entry
from kubegang.store.interface import Item, Revision


def entry(revision: int, size: int = 1) -> Entry:
    return make_entry(
        "created", Item(f"/{revision}", b"x" * size, Revision(revision)), previous=None
    )


def revisions(backlog: Backlog, after: int, limit: int | None = None) -> list[int]:
    return [one.item.revision for one in backlog.after(Revision(after), limit=limit)]


def test_entries_after_a_revision_come_in_order() -> None:
    backlog = Backlog(Revision(1), max_entries=10, max_bytes=100)
    for revision in (2, 5, 6):
        backlog.append(entry(revision))

    assert revisions(backlog, 1) == [2, 5, 6]
    assert revisions(backlog, 3) == [5, 6]
    assert revisions(backlog, 1, limit=2) == [2, 5]
    assert backlog.start == 1


def test_the_oldest_quarter_goes_when_there_are_too_many() -> None:
    backlog = Backlog(Revision(1), max_entries=8, max_bytes=1_000)
    for revision in range(2, 11):
        backlog.append(entry(revision))

    assert backlog.start == 3
    assert revisions(backlog, 3) == [4, 5, 6, 7, 8, 9, 10]


def test_large_values_shorten_the_backlog() -> None:
    backlog = Backlog(Revision(1), max_entries=100, max_bytes=10)
    for revision in (2, 3, 4):
        backlog.append(entry(revision, size=4))

    assert revisions(backlog, backlog.start) == [3, 4]

    backlog.append(entry(5, size=11))
    assert (len(backlog), backlog.start) == (0, 5)


def test_forgetting_moves_the_start_even_between_entries() -> None:
    backlog = Backlog(Revision(1), max_entries=10, max_bytes=100)
    for revision in (2, 5, 9):
        backlog.append(entry(revision))

    backlog.forget(Revision(7))

    assert backlog.start == 7
    assert revisions(backlog, 7) == [9]
