"""What a simulated kubelet remembers of a pod beyond what it has reported.

The API keeps whole seconds only, and nothing of the pauses between restarts. As with a real
kubelet this is lost when it stops; then the reported moments have to do.
"""

from __future__ import annotations

import msgspec

from kubegang.apimachinery.times import parse_time
from kubegang.client.localcopy import is_newer
from kubegang.nodesim.forms import SimulatedPod

# The kubelet's pauses before it starts a container again: doubled each time, then capped;
# a container that ran for twice the longest pause begins anew.
FIRST_RESTART_SECONDS = 10.0
LONGEST_RESTART_SECONDS = 300.0

PATIENCE_SECONDS = 30.0
"""So long is waited to see what was written; a server that was restored from a backup may
never show it."""

SCHEDULED = "PodScheduled"


class PodMemory(msgspec.Struct):
    """Exact moments of one pod, in the clock's steady time.

    Attributes:
        bound: when it was bound to its node.
        marked: when it was marked for deletion.
        started: when its containers started last.
        ended: when they ended last, if they wait to be started again.
        pause: before the next restart; 0 before the first.
        written: the resourceVersion of our last write, and when it was.
    """

    bound: float
    marked: float | None = None
    started: float | None = None
    ended: float | None = None
    pause: float = 0.0
    written: tuple[str, float] = ("0", 0.0)

    @classmethod
    def of(cls, pod: SimulatedPod, *, now: float, ahead: float = 0.0) -> PodMemory:
        """Begin to remember a bound pod.

        Args:
            pod: as it is.
            now: the steady time.
            ahead: by how much that is ahead of the time of day, in which the pod tells times.
        """
        moments = (c.last_transition_time for c in pod.status.conditions if c.type == SCHEDULED)
        return cls(bound=_not_after(now, next(moments, None), less=-ahead))

    def see(self, pod: SimulatedPod, *, now: float, ahead: float = 0.0) -> None:
        """Note what is new about the pod; the times are those of ``of``."""
        deadline = pod.metadata.deletion_timestamp
        if deadline and self.marked is None:
            # The mark lies one grace period ahead of the moment of the deletion.
            grace = float(pod.metadata.deletion_grace_period_seconds or 0)
            self.marked = _not_after(now, deadline, less=grace - ahead)

    def is_outdated(self, pod: SimulatedPod, *, now: float) -> bool:
        """Return whether a pod is older than our own last write of it."""
        version, at = self.written
        if now - at > PATIENCE_SECONDS:
            return False
        return is_newer(version, pod.metadata.resource_version)

    def pause_after(self, ended: float) -> float:
        """Return how long containers that end now wait before they start again."""
        ran = ended - self.started if self.started is not None else 0.0
        return 0.0 if ran > 2 * LONGEST_RESTART_SECONDS else self.pause

    def start(self, now: float) -> None:
        """Containers start for the first time."""
        self.started = now

    def end(self, now: float) -> None:
        """Containers end and will be started again."""
        self.pause = self.pause_after(now)
        self.ended = now

    def restart(self, now: float) -> None:
        """Containers are started again."""
        if self.ended is None:
            self.end(now)
        self.started, self.ended = now, None
        self.pause = min(max(2 * self.pause, FIRST_RESTART_SECONDS), LONGEST_RESTART_SECONDS)


def _not_after(now: float, text: str | None, *, less: float = 0.0) -> float:
    """Return when something happened that was seen now and whose second is known.

    Seen at once, it happened now; seen late, its second is better.
    """
    return now if text is None else min(now, parse_time(text) - less + 1.0)
