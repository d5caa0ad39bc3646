"""Clocks: the real one, and the virtual one that jumps when everyone waits.

A clock tells two times. ``now`` is the time of day, for what objects say and for comparing it
with what they say; people and NTP set it, also back. ``steady`` only goes on: everything that
measures how long something takes, or waits for it, uses that one.

Whoever needs the time or a pause gets a ``Clock``; nothing else in the project asks the
operating system what time it is. ``run_virtual`` drives a whole program in virtual time:
whenever every task waits, time jumps to the next timer, so two simulated hours pass in
seconds and a run with the same input repeats exactly.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Clock(Protocol):
    """The time, and waiting for it to pass."""

    def now(self) -> float:
        """Return seconds since the Unix epoch."""
        ...

    def steady(self) -> float:
        """Return seconds of a time that nobody can set; only differences mean something."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after ``seconds`` have passed on this clock."""
        ...


_STEADY_ZERO = time.time() - time.monotonic()
"""So both times are alike as long as nobody sets the time of day."""


class RealClock:
    """The operating system's clock."""

    def now(self) -> float:
        """Return seconds since the Unix epoch."""
        return time.time()

    def steady(self) -> float:
        """Return seconds of a time that nobody can set; only differences mean something."""
        return _STEADY_ZERO + time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Return after ``seconds``."""
        await asyncio.sleep(seconds)


class VirtualClock:
    """The time of a ``VirtualTimeLoop``, counted from ``start``.

    Attributes:
        set_forward: by how many seconds the time of day was set forward; negative is back.
    """

    def __init__(self, start: float) -> None:
        self._start = start
        self.set_forward = 0.0

    def now(self) -> float:
        """Return ``start`` plus the virtual seconds that have passed."""
        return self.steady() + self.set_forward

    def steady(self) -> float:
        """Return what ``now`` would be had nobody set it."""
        return self._start + asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        """Return after ``seconds`` of virtual time."""
        await asyncio.sleep(seconds)


class _JumpingSelector(selectors.DefaultSelector):
    """Advances virtual time instead of waiting for real time to pass."""

    def __init__(self) -> None:
        super().__init__()
        self.virtual_seconds = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            # No timer is set, so only another thread or a socket can go on: wait for it.
            return super().select(None)
        self.virtual_seconds += timeout
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only when every task waits for it."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return virtual seconds since the loop was made."""
        return self._jumping.virtual_seconds


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """Run ``main`` to its end in virtual time and return its result."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main)
