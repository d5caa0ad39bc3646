"""When history is trimmed: a revision goes once it is both old and far behind.

Runs as a task of the API server. kube-apiserver compacts etcd every five minutes and keeps the
last five; a busy store here also keeps a number of revisions, for watchers that fell behind.
"""

from __future__ import annotations

from collections import deque

import msgspec

from kubegang.base.clock import Clock
from kubegang.store.interface import Revision, Store


class Retention(msgspec.Struct, frozen=True):
    """How much history is kept at least: so many seconds, and so many revisions."""

    seconds: float = 300
    revisions: int = 10_000


class CompactionPolicy:
    """Remembers when which revision was the latest, and says what may go."""

    def __init__(self, retention: Retention) -> None:
        self._retention = retention
        self._marks: deque[tuple[float, Revision]] = deque()

    def compactable(self, *, now: float, revision: Revision) -> Revision:
        """Note the latest revision, and return the one up to which history may go; 0 is none."""
        if not self._marks or self._marks[-1][1] != revision:
            self._marks.append((now, revision))
        limit = revision - self._retention.revisions
        oldest = Revision(0)
        while self._marks and self._marks[0][0] <= now - self._retention.seconds:
            oldest = self._marks[0][1]
            if oldest > limit:
                break
            self._marks.popleft()
        return Revision(max(min(oldest, limit), 0))


async def compact_regularly(
    store: Store, clock: Clock, *, every_seconds: float = 60, retention: Retention | None = None
) -> None:
    """Compact from time to time until cancelled.

    Raises:
        StoreClosedError: the store takes no more writes.
    """
    policy = CompactionPolicy(retention or Retention())
    while True:
        keep_after = policy.compactable(now=clock.now(), revision=store.revision)
        if keep_after > store.compacted:
            await store.compact(keep_after)
        await clock.sleep(every_seconds)
