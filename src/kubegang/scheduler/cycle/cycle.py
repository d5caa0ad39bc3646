"""What one cycle works with: bundled, so that its steps need not pass five things around. Pure."""

from __future__ import annotations

from kubegang.api.profile import SchedulerProfile
from kubegang.scheduler.cycle.nodesearch import NodeSearch
from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.snapshot.snapshot import Snapshot


class Cycle:
    """One decision's inputs, and its search for nodes.

    Attributes:
        now: seconds since the epoch; the same moment for the whole cycle.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        profile: SchedulerProfile,
        framework: Framework,
        now: float,
        rng: Rng,
    ) -> None:
        self.snapshot = snapshot
        self.profile = profile
        self.framework = framework
        self.now = now
        self.rng = rng
        self.search = NodeSearch(snapshot, framework=framework, profile=profile, rng=rng)
