"""Working through a queue: so many at a time, again after a failure."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from kubegang.apimachinery.errors import ConflictError, InternalError
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.backoff import NO_CHANCE
from kubegang.client.interface import UnreachableError
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue

CLOCK = VirtualClock(0.0)


def run(
    reconcile: Callable[[str], Awaitable[None]], *keys: str, workers: int = 2, seconds: float = 60
) -> None:
    """Work on keys for a while."""

    async def main() -> None:
        queue: WorkQueue[str] = WorkQueue(CLOCK, NO_CHANCE, first_seconds=1)
        for key in keys:
            queue.add(key)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await work(queue, reconcile, workers=workers, failed="not done")

    run_virtual(main())


def test_every_key_is_worked_on() -> None:
    seen: list[str] = []

    async def reconcile(key: str) -> None:
        seen.append(key)

    run(reconcile, "a", "b", "c")

    assert seen == ["a", "b", "c"]


def test_only_so_many_are_worked_on_at_a_time() -> None:
    at_work: set[str] = set()
    most = 0

    async def reconcile(key: str) -> None:
        nonlocal most
        at_work.add(key)
        most = max(most, len(at_work))
        await CLOCK.sleep(1)
        at_work.remove(key)

    run(reconcile, *"abcdefg", workers=3)

    assert most == 3


def test_a_key_that_failed_comes_back_later_and_later() -> None:
    errors = [UnreachableError("away"), InternalError("oops"), ConflictError("changed")]
    moments: list[float] = []

    async def reconcile(_key: str) -> None:
        moments.append(CLOCK.now())
        if errors:
            raise errors.pop(0)

    run(reconcile, "a")

    assert moments == [0, 0.75, 2.25, 5.25]


def test_a_success_ends_the_growing_of_the_pauses() -> None:
    moments: list[float] = []

    async def reconcile(key: str) -> None:
        moments.append(CLOCK.now())
        if len(moments) in (1, 2, 4):
            raise InternalError(key)
        if len(moments) == 3:
            again.set()

    again = asyncio.Event()

    async def main() -> None:
        queue: WorkQueue[str] = WorkQueue(CLOCK, NO_CHANCE, first_seconds=1)
        queue.add("a")
        working = asyncio.create_task(work(queue, reconcile, workers=1, failed="not done"))
        await again.wait()
        await CLOCK.sleep(10)
        queue.add("a")
        await CLOCK.sleep(10)
        working.cancel()
        await asyncio.wait({working})

    run_virtual(main())

    assert moments == [0, 0.75, 2.25, 12.25, 13]
