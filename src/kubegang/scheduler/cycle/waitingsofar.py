"""Who will wait on permit once the decision so far is carried out. Pure.

Members of a group are decided about together, so each must see the others that wait already,
although nobody has been told to yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubegang.scheduler.framework.binding import WaitingPod, WaitingPods
from kubegang.scheduler.framework.pods import PodGroupKey, PodUid
from kubegang.scheduler.runtime.binding import PermitOutcome


class WaitingSoFar:
    """The pods that wait, with what a decision changes about it; fulfils ``WaitingPods``."""

    def __init__(self, before: WaitingPods) -> None:
        """Begin with those that waited before."""
        self._before = before
        # In the place of what was before; None for one that does not wait any longer.
        self._changed: dict[PodUid, WaitingPod | None] = {}

    def get(self, uid: PodUid) -> WaitingPod | None:
        """Return a waiting pod, or ``None``."""
        return self._changed[uid] if uid in self._changed else self._before.get(uid)

    def all(self) -> Sequence[WaitingPod]:
        """Return all waiting pods, oldest first."""
        return list(self._merged(self._before.all()))

    def members(self, key: PodGroupKey) -> Sequence[WaitingPod]:
        """Return the waiting pods of a group, oldest first."""
        merged = self._merged(self._before.members(key))
        return [waiting for waiting in merged if waiting.pod.pod_group == key]

    def follow(self, outcome: PermitOutcome, waiting: WaitingPod | None = None) -> None:
        """Take over what permits came to, for the pod itself and for others."""
        for verdict in outcome.allowed:
            known = self.get(verdict.pod)
            if known is not None:
                left = tuple(wait for wait in known.waits if wait.plugin != verdict.plugin)
                self._changed[verdict.pod] = known._replace(waits=left) if left else None
        for verdict in outcome.rejected:
            self._changed[verdict.pod] = None
        if waiting is not None:
            self._changed[waiting.pod.uid] = waiting

    def _merged(self, before: Sequence[WaitingPod]) -> Iterator[WaitingPod]:
        seen = set()
        for waiting in before:
            uid = waiting.pod.uid
            seen.add(uid)
            now = self._changed.get(uid, waiting)
            if now is not None:
                yield now
        yield from (w for uid, w in self._changed.items() if w is not None and uid not in seen)
