"""What one cycle works with: bundled, so that its steps need not pass five things around. Pure."""

from __future__ import annotations

from collections.abc import Collection

from kubegang.api.profile import SchedulerProfile
from kubegang.scheduler.cycle.handle import CycleHandle
from kubegang.scheduler.cycle.nodesearch import NodeSearch
from kubegang.scheduler.framework.pods import PodUid
from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.snapshot.snapshot import Snapshot


class Cycle:
    """One decision's inputs, and its search for nodes.

    Attributes:
        now: seconds since the epoch; the same moment for the whole cycle.
        handle: what plugins may ask.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        profile: SchedulerProfile,
        framework: Framework,
        now: float,
        rng: Rng,
        deciding: Collection[PodUid] = (),
    ) -> None:
        self.snapshot = snapshot
        self.profile = profile
        self.framework = framework
        self.now = now
        self.rng = rng
        self.handle = CycleHandle(snapshot, framework=framework, rng=rng, deciding=deciding)
        self.search = NodeSearch(self.handle, profile)
