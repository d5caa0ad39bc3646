"""A program that writes to a store as fast as it can and says what was acknowledged.

Started by tests with the path of the store; goes on until it is killed. With a second argument
files may grow to that size only; once the store has refused writes for that, files may grow
again, and the program ends after a few more writes. Lines on standard output: ``drawn
REVISION`` when a write is submitted, ``ok REVISION KEY`` when it is acknowledged, ``gone
REVISION KEY`` for an acknowledged deletion, ``refused MESSAGE`` when the disk refused.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
from pathlib import Path

from kubegang.base.turns import next_turn
from kubegang.store.interface import Item, Revision, StoreUnavailableError
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


async def write_all(store: SqliteStore) -> None:
    async with asyncio.TaskGroup() as tasks:
        for number in range(WRITERS):
            tasks.create_task(write_for_ever(store, str(number)))


async def main(path: Path) -> None:
    store = await open_sqlite_store(path)
    try:
        await write_all(store)
    except* StoreUnavailableError as group:
        say(f"refused {group.exceptions[0]}")
        # The store still answers reads and watches.
        say(f"readable {len(store.list('').items)}")
        limit_file_size(resource.RLIM_INFINITY)
        while store.problem:
            await next_turn()
        key = f"/{os.getpid()}/afterwards"
        item = await store.create(key, lambda revision: value_of(key, revision))
        say(f"drawn {item.revision}")
        say(f"ok {item.revision} {key}")
        await store.close()
        say("closed")


def limit_file_size(size: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        limit_file_size(int(sys.argv[2]))
    asyncio.run(main(Path(sys.argv[1])))
