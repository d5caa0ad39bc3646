"""Working through a queue: take a key, look at it, try again later if that failed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import TypeVar

from kubegang.apimachinery.errors import ApiError, ConflictError
from kubegang.base.logging import logger
from kubegang.client.interface import UnreachableError
from kubegang.client.workqueue import WorkQueue

K = TypeVar("K", bound=Hashable)

_log = logger(__name__)


class TryAgainError(Exception):
    """What a reconcile waits for is not there yet; its message says what."""


FAILURES = (ApiError, UnreachableError, TryAgainError)
"""What a reconcile may fail with; after anything else the process is not to be trusted."""


async def work(
    queue: WorkQueue[K], reconcile: Callable[[K], Awaitable[None]], *, workers: int, failed: str
) -> None:
    """Reconcile keys until cancelled; a key whose reconciling failed comes back later.

    Args:
        queue: the keys.
        reconcile: brings what a key stands for to where it should be.
        workers: how many keys are worked on at a time.
        failed: what to say in the log when reconciling fails.
    """
    free = asyncio.Semaphore(workers)

    async def attempt(key: K) -> None:
        try:
            await reconcile(key)
        except FAILURES as error:
            # A conflict only says that the object has changed: its news is on the way.
            if not isinstance(error, ConflictError):
                _log.warning(failed, key=key, error=str(error))
            queue.add_rate_limited(key)
        else:
            queue.forget(key)
        finally:
            queue.done(key)
            free.release()

    async with asyncio.TaskGroup() as tasks:
        while True:
            # Only one waits at the queue, however many work: each key wakes whoever waits.
            await free.acquire()
            tasks.create_task(attempt(await queue.get()))
