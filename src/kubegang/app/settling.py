"""When a simulated cluster has settled: nothing changes any more, and nothing will."""

from __future__ import annotations

import msgspec

from kubegang.controllers.job.backoff import LONGEST_BACKOFF_SECONDS
from kubegang.scheduler.queue.resting import MAX_REST_SECONDS, REST_CHECK_SECONDS

IDLE_SECONDS = 30.0
"""How long nothing must change where nothing waits: longer than any repeated request."""

PATIENCE_SECONDS = 60.0
"""So much longer than the longest pause between two attempts is waited."""


class SettlingRule(msgspec.Struct, frozen=True):
    """Decides whether waiting longer can bring anything.

    A cluster that does not change can still come to life by a timer. Timers whose end is
    known (a pod's run time, a Job's deadline) are waited for, however long they take. The
    others are pauses between attempts: the scheduler's backoff, its flush of pods that have
    rested for five minutes, the Job controller's backoff. Attempts that fail again and again
    in an unchanged cluster, chance included, will go on failing; so after the longest of
    these pauses and a margin, what is pending stays pending.

    Attributes:
        max_backoff: the scheduler's longest backoff, in seconds.
    """

    max_backoff: float

    @property
    def quiet_seconds(self) -> float:
        """How long nothing must change while something waits."""
        pauses = (
            self.max_backoff,
            MAX_REST_SECONDS + REST_CHECK_SECONDS + self.max_backoff,
            LONGEST_BACKOFF_SECONDS,
        )
        return max(pauses) + PATIENCE_SECONDS

    def is_settled(self, *, quiet: float, something_waits: bool, something_is_due: bool) -> bool:
        """Return whether the end has been reached.

        Args:
            quiet: seconds since the last change of anything but Events and Leases.
            something_waits: a pod has no node, or a Job not all of its pods.
            something_is_due: a timer with a known end is running.
        """
        if something_is_due:
            return False
        return quiet >= (self.quiet_seconds if something_waits else IDLE_SECONDS)
