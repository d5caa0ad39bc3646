"""API calls in flight: so many at a time, one per object, the important ones first.

Binding a pod matters more than saying why another one waits, and that matters more than an
event. A call that is still waiting when a newer one for the same object comes is replaced
by it; one that is in flight is finished first.
"""

from __future__ import annotations

import asyncio
import enum
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from typing import Final

Action = Callable[[], Awaitable[None]]

DEFAULT_LIMIT: Final = 64
"""Calls in flight; more would only queue up inside the client."""


class Lane(enum.IntEnum):
    """How important a call is; the smallest number goes first."""

    BIND = 0
    STATUS = 1
    EVENT = 2


class Dispatcher:
    """Runs the calls given to it while ``run`` runs.

    Invariant: of each key at most one call is in flight and at most one is waiting. Behind
    these there may be one more per lane: news about a pod never stands for its binding. An
    action must handle what the API may answer; anything it raises ends ``run``.
    """

    def __init__(self, *, limit: int = DEFAULT_LIMIT) -> None:
        self._limit = limit
        self._lanes: tuple[deque[Hashable], ...] = tuple(deque() for _ in Lane)
        self._waiting: dict[Hashable, tuple[Lane, Action]] = {}
        self._running: set[Hashable] = set()
        self._next: dict[Hashable, dict[Lane, Action]] = {}
        self._workers = 0
        self._group: asyncio.TaskGroup | None = None
        self._idle = asyncio.Event()
        self._idle.set()
        self._stopped = asyncio.Event()

    def submit(self, key: Hashable, action: Action, *, lane: Lane) -> None:
        """Have a call made, after or in place of an older one for the same key."""
        if self._put(key, action, lane):
            self._start_worker()

    def lane_length(self, lane: Lane) -> int:
        """Return about how many calls wait in a lane."""
        return len(self._lanes[lane])

    async def run(self) -> None:
        """Make the calls until ``stop``; then finish those that were given before."""
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                for _ in range(min(self._limit, len(self._waiting))):
                    self._start_worker()
                await self._stopped.wait()
        finally:
            self._group = None

    def stop(self) -> None:
        """Let ``run`` end once every call is done."""
        self._stopped.set()

    async def wait_idle(self) -> None:
        """Return when no call is waiting or in flight."""
        await self._idle.wait()

    def _put(self, key: Hashable, action: Action, lane: Lane) -> bool:
        """Let a call wait for a worker, or behind another of its key; return which."""
        waiting = self._waiting.get(key)
        if key in self._running or (waiting is not None and waiting[0] < lane):
            self._next.setdefault(key, {})[lane] = action
            return False
        if waiting is None or waiting[0] is not lane:
            self._lanes[lane].append(key)
        self._waiting[key] = (lane, action)
        self._idle.clear()
        return True

    def _start_worker(self) -> None:
        if self._group is not None and self._workers < self._limit:
            self._workers += 1
            self._group.create_task(self._work())

    async def _work(self) -> None:
        try:
            while (taken := self._take()) is not None:
                key, action = taken
                self._running.add(key)
                try:
                    await action()
                finally:
                    self._finish(key)
        finally:
            self._workers -= 1
            if not self._running and not self._waiting:
                self._idle.set()

    def _take(self) -> tuple[Hashable, Action] | None:
        for lane in Lane:
            keys = self._lanes[lane]
            while keys:
                key = keys.popleft()
                waiting = self._waiting.get(key)
                # A key that moved to a more important lane leaves a trace in its old one.
                if waiting is not None and waiting[0] is lane:
                    del self._waiting[key]
                    return key, waiting[1]
        return None

    def _finish(self, key: Hashable) -> None:
        self._running.discard(key)
        # The most important first: it takes the place, the others go behind it again. Whoever
        # finished goes on with it; another worker could not begin while all are cancelled.
        for lane, action in sorted(self._next.pop(key, {}).items()):
            self._put(key, action, lane)
