"""Waiting for something, but not for ever, by the clock that was given."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from kubegang.base.clock import Clock

T = TypeVar("T")


async def within(clock: Clock, seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """Return what ``work`` returns, or cancel it when the time is over.

    Raises:
        TimeoutError: it was not done in time.
    """
    working = asyncio.ensure_future(work)
    alarm = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait((working, alarm), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise TimeoutError(f"not done within {seconds:g} s")
        return working.result()
    finally:
        working.cancel()
        alarm.cancel()
        await asyncio.gather(working, alarm, return_exceptions=True)
