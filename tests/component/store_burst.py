"""A program that writes to a store as fast as it can and says what was acknowledged.

Started by tests with the path of the store; ends when it is killed or its disk refuses. Lines
on standard output: ``drawn REVISION`` when a write is submitted, ``ok REVISION KEY`` when it
is acknowledged, ``gone REVISION KEY`` for an acknowledged deletion, ``refused MESSAGE`` when
the store has closed itself.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
from pathlib import Path

from kubegang.store.interface import Item, Revision, StoreClosedError
from kubegang.store.sqlite import SqliteStore, open_sqlite_store

WRITERS = 20


def say(line: str) -> None:
    # One system call, so that a killed process leaves whole lines only.
    os.write(1, f"{line}\n".encode())


def value_of(key: str, revision: Revision) -> bytes:
    return f"{key} at {revision} ".encode() * 100


async def write_for_ever(store: SqliteStore, name: str) -> None:
    """Create, update, update, delete, again and again, under changing keys."""

    def encode(revision: Revision) -> bytes:
        say(f"drawn {revision}")
        return value_of(key, revision)

    round_number = 0
    while True:
        key = f"/{os.getpid()}/{name}/{round_number}"
        item: Item = await store.create(key, encode)
        say(f"ok {item.revision} {key}")
        for _ in range(2):
            item = await store.update(key, encode, expected=item.revision)
            say(f"ok {item.revision} {key}")
        if round_number % 2:
            item = await store.delete(key, encode, expected=item.revision)
            say(f"gone {item.revision} {key}")
        if round_number % 5 == 4 and name == "0":
            await store.compact(Revision(store.revision - 50))
        round_number += 1


async def main(path: Path) -> None:
    store = await open_sqlite_store(path)
    try:
        async with asyncio.TaskGroup() as tasks:
            for number in range(WRITERS):
                tasks.create_task(write_for_ever(store, str(number)))
    except* StoreClosedError as group:
        say(f"refused {group.exceptions[0]}")
        # The store still answers reads and watches.
        say(f"readable {len(store.list('').items)}")
        await store.close()
        say("closed")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        limit = int(sys.argv[2])
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    asyncio.run(main(Path(sys.argv[1])))
