"""Print how fast the stores are: creates in groups, listing, history, opening, memory.

Usage: python bench/store.py [--dir DIR] [--writes N] [--switch-interval SECONDS]

Each figure is the median of three runs on a fresh store. Values have 4 KB. A "batch" is that
many creates under way at once: the next batch starts when all are answered. "busy" is the same
while the event loop also computes all the time, as an API server does. Then the writing thread
has to wait for the interpreter's lock, up to the switch interval (Python's default: 0.005).
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import resource
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import uvloop

from kubegang.base.turns import next_turn
from kubegang.store.interface import Revision, Store
from kubegang.store.memory import MemoryStore
from kubegang.store.sqlite import open_sqlite_store

VALUE = b"x" * 4096
RUNS = 3


async def create_batches(store: Store, *, writes: int, batch: int) -> float:
    """Return creates per second."""
    started = time.perf_counter()
    for first in range(0, writes, batch):
        await asyncio.gather(
            *(
                store.create(f"/core/pods/default/pod-{number:06}", lambda _: VALUE)
                for number in range(first, first + batch)
            )
        )
    return writes / (time.perf_counter() - started)


async def create_while_busy(store: Store, *, writes: int, batch: int) -> float:
    """Return creates per second while another task never lets the loop wait."""
    stop = asyncio.Event()

    async def compute() -> None:
        while not stop.is_set():
            sum(range(3_000))
            await next_turn()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(compute())
        rate = await create_batches(store, writes=writes, batch=batch)
        stop.set()
    return rate


async def update_watched(store: Store, *, writes: int, watchers: int) -> float:
    """Return events delivered per second, all watchers together."""
    await create_batches(store, writes=200, batch=200)
    watches = [store.watch("/core/pods/", after=store.revision) for _ in range(watchers)]
    wanted = writes // 200 * 200

    async def read(at: int) -> None:
        seen = 0
        while seen < wanted:
            seen += len(await watches[at].next_batch())

    started = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for at in range(watchers):
            tasks.create_task(read(at))
        for _ in range(wanted // 200):
            items = store.list("/core/pods/").items
            await asyncio.gather(
                *(store.update(i.key, lambda _: VALUE, expected=i.revision) for i in items)
            )
    return wanted * watchers / (time.perf_counter() - started)


async def list_all(store: Store, *, items: int) -> float:
    """Return milliseconds for one listing of that many items."""
    await create_batches(store, writes=items, batch=500)
    started = time.perf_counter()
    page = store.list("/core/pods/")
    elapsed = time.perf_counter() - started
    if len(page.items) != items:
        raise SystemExit(f"{len(page.items)} of {items} items listed")
    return elapsed * 1000


async def list_past(store: Store, *, items: int, changed: int) -> float:
    """Return milliseconds for a page of 500 as things were ``changed`` updates ago."""
    await create_batches(store, writes=items, batch=500)
    then = store.revision
    for _ in range(changed // items):
        page = store.list("/core/pods/")
        for first in range(0, items, 500):
            await asyncio.gather(
                *(
                    store.update(i.key, lambda _: VALUE, expected=i.revision)
                    for i in page.items[first : first + 500]
                )
            )
    started = time.perf_counter()
    store.list("/core/pods/", limit=500, at=then)
    return (time.perf_counter() - started) * 1000


async def compact_all(store: Store, *, items: int, changed: int) -> float:
    """Return seconds for compacting away ``changed`` updates."""
    await list_past(store, items=items, changed=changed)
    started = time.perf_counter()
    await store.compact(Revision(store.revision))
    return time.perf_counter() - started


Measure = Callable[[Store], Awaitable[float]]


def run(name: str, measure: Measure, *, folder: Path | None, unit: str) -> None:
    """Run a measurement three times and print the median and the range."""

    async def once() -> float:
        if folder is None:
            store: Store = MemoryStore(max_unread=1_000_000)
            return await measure(store)
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            store = await open_sqlite_store(Path(fresh) / "store.db", max_unread=1_000_000)
            try:
                return await measure(store)
            finally:
                await store.close()

    figures = []
    for _ in range(RUNS):
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            figures.append(runner.run(once()))
    where = "memory" if folder is None else "sqlite"
    low, median, high = min(figures), statistics.median(figures), max(figures)
    print(f"{where:7} {name:44} {median:10,.1f} {unit:9} [{low:,.1f} .. {high:,.1f}]", flush=True)


def measure_opening(folder: Path, *, items: int) -> None:
    """Print the time to open a file with many items, and memory per item."""

    async def fill(path: Path) -> None:
        store = await open_sqlite_store(path)
        await create_batches(store, writes=items, batch=1_000)
        await store.close()

    async def reopen(path: Path) -> tuple[float, float]:
        before = _resident_bytes()
        started = time.perf_counter()
        store = await open_sqlite_store(path)
        elapsed = time.perf_counter() - started
        grown = _resident_bytes() - before
        await store.close()
        return elapsed, grown

    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        path = Path(fresh) / "store.db"
        asyncio.run(fill(path))
        size = path.stat().st_size
        elapsed, grown = asyncio.run(reopen(path))
    print(f"sqlite  open a file of {items:,} items: {elapsed:.2f} s, {size / items:,.0f} B of file")
    print(f"        memory per item beside its value: {grown / items - len(VALUE):,.0f} B")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"        peak memory of this whole run: {peak:,.0f} MB")


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dir", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--writes", type=int, default=20_000)
    parser.add_argument("--switch-interval", type=float, default=sys.getswitchinterval())
    options = parser.parse_args()
    sys.setswitchinterval(options.switch_interval)
    print(
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version},"
        f" switch interval {sys.getswitchinterval():g} s"
    )
    measure_opening(options.dir, items=50_000)
    for folder in (options.dir, None):
        for batch in (1, 20, 200, 1_000):
            writes = options.writes if batch > 1 else options.writes // 10

            async def create(store: Store, writes: int = writes, batch: int = batch) -> float:
                return await create_batches(store, writes=writes, batch=batch)

            async def busy(store: Store, writes: int = writes, batch: int = batch) -> float:
                return await create_while_busy(store, writes=writes, batch=batch)

            run(f"creates, batch {batch}", create, folder=folder, unit="per s")
            run(f"creates, batch {batch}, busy loop", busy, folder=folder, unit="per s")
        run(
            "events delivered to 10 watchers",
            lambda store: update_watched(store, writes=20_000, watchers=10),
            folder=folder,
            unit="per s",
        )
        run(
            "list 10,000 items",
            lambda store: list_all(store, items=10_000),
            folder=folder,
            unit="ms",
        )
        run(
            "page of 500 as it was 20,000 changes ago",
            lambda store: list_past(store, items=10_000, changed=20_000),
            folder=folder,
            unit="ms",
        )
        run(
            "compact 20,000 changes",
            lambda store: compact_all(store, items=10_000, changed=20_000),
            folder=folder,
            unit="s",
        )


if __name__ == "__main__":
    main()
