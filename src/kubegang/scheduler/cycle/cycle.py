"""What one cycle works with: bundled, so that its steps need not pass five things around. Pure."""

from __future__ import annotations

from collections.abc import Collection, MutableMapping

from kubegang.api.profile import SchedulerProfile
from kubegang.scheduler.cycle.batch import Batch
from kubegang.scheduler.cycle.batching import Batcher
from kubegang.scheduler.cycle.findings import Findings
from kubegang.scheduler.cycle.handle import CycleHandle
from kubegang.scheduler.cycle.nodesearch import NodeSearch
from kubegang.scheduler.framework.binding import NOBODY_WAITS, WaitingPods
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import PodUid
from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.snapshot.snapshot import Snapshot


class Cycle:
    """One decision's inputs, and its search for nodes.

    Attributes:
        now: seconds since the epoch; the same moment for the whole cycle.
        handle: what plugins may ask.
        batcher: reuses the ranking of pods that are alike; ``None`` if it is turned off.
        waiting: the pods that wait on permit.
        notes: the notes of pods that get a node and to which plugins have more to say.
        findings: takes what the cycle sees on its way; ``None`` if nobody asks for it.
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
        waiting: WaitingPods = NOBODY_WAITS,
        notes: MutableMapping[PodUid, CycleState] | None = None,
        batch: Batch | None = None,
        number: int = 0,
        findings: Findings | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.profile = profile
        self.framework = framework
        self.now = now
        self.rng = rng
        self.handle = CycleHandle(snapshot, framework=framework, rng=rng, deciding=deciding)
        self.batcher = (
            None
            if batch is None
            else Batcher(self.handle, profile.rules.batching, batch=batch, cycle=number, now=now)
        )
        self.search = NodeSearch(self.handle, profile, batcher=self.batcher)
        self.waiting = waiting
        self.notes: MutableMapping[PodUid, CycleState] = {} if notes is None else notes
        self.findings = findings
