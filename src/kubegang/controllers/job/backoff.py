"""Pauses before failed pods are replaced: 10 s, doubled with each failure, at most 10 min.

One success starts the count anew. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.job.pods import ended_at

FIRST_BACKOFF_SECONDS = 10.0
LONGEST_BACKOFF_SECONDS = 600.0


class Backoff(msgspec.Struct, frozen=True):
    """How often pods of a Job failed since one succeeded, and when last."""

    failures: int = 0
    last_failure: float = 0.0

    def after(self, succeeded: Sequence[JsonObject], failed: Sequence[JsonObject]) -> Backoff:
        """Return the backoff when some more pods have ended."""
        failures = [ended_at(pod) for pod in failed]
        if succeeded:
            last_success = max(ended_at(pod) for pod in succeeded)
            since = [moment for moment in failures if moment > last_success]
            return Backoff(len(since), max(since, default=0.0))
        if not failures:
            return self
        return Backoff(self.failures + len(failures), max(failures))

    def remaining(self, *, now: float) -> float:
        """Return how many seconds to wait before the next pod is made."""
        return remaining_pause(self.failures, last_failure=self.last_failure, now=now)


def remaining_pause(failures: int, *, last_failure: float, now: float) -> float:
    """Return what is left of the pause after so many failures, 0 if it is over."""
    if not failures:
        return 0.0
    # The exponent is bounded, since a float overflows where the longest pause is long reached.
    pause = min(FIRST_BACKOFF_SECONDS * 2.0 ** min(failures - 1, 10), LONGEST_BACKOFF_SECONDS)
    return max(0.0, last_failure + pause - now)
