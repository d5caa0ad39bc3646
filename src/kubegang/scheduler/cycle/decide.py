"""The decision of one cycle, as a plain function.

The live scheduler, ``run``, ``explain`` and ``what-if`` all call it. Same snapshot, entity,
profile, moment and seed: same decision. What it tried is taken back before it returns. Pure.
"""

from __future__ import annotations

from collections.abc import MutableMapping

import msgspec

from kubegang.api.profile import SchedulerProfile
from kubegang.scheduler.cycle.batch import Batch
from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.decision import Decision
from kubegang.scheduler.cycle.findings import Findings
from kubegang.scheduler.cycle.gathered import decide_gathered
from kubegang.scheduler.cycle.pluginfailure import failed_by_plugin
from kubegang.scheduler.cycle.pod import decide_pod
from kubegang.scheduler.cycle.podgroup import decide_pod_group
from kubegang.scheduler.framework.binding import NOBODY_WAITS, WaitingPods
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import (
    QueuedEntity,
    QueuedPodGroupInfo,
    members_of,
)
from kubegang.scheduler.framework.errors import PluginFailedError
from kubegang.scheduler.framework.pods import PodUid
from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.snapshot.snapshot import Snapshot


def decide(
    snapshot: Snapshot,
    entity: QueuedEntity,
    *,
    profile: SchedulerProfile,
    framework: Framework,
    now: float,
    rng: Rng,
    waiting: WaitingPods = NOBODY_WAITS,
    notes: MutableMapping[PodUid, CycleState] | None = None,
    batch: Batch | None = None,
    number: int = 0,
    findings: Findings | None = None,
) -> Decision:
    """Decide what to do about one entity of the queue.

    Args:
        snapshot: the cluster as it is; unchanged when this returns.
        entity: a pod, or a group with all members that wait.
        profile: how pods of this schedulerName are decided about.
        framework: the profile's plugins.
        now: the cycle's moment, seconds since the epoch.
        rng: breaks ties.
        waiting: the pods that wait on permit.
        notes: takes the notes of pods that get a node and to which plugins have more to say
            when the decision is carried out.
        batch: what the profile's last decision kept for pods that are alike, ``Batch()`` at
            first; ``None`` turns batching off.
        number: of the cycle; counts what is taken out of the queue.
        findings: takes what the cycle sees on its way, for ``explain``; what is tried once
            more with victims gone is not told apart, so ask without post filters.
    """
    cycle = Cycle(
        snapshot,
        profile=profile,
        framework=framework,
        now=now,
        rng=rng,
        deciding=[queued.pod.uid for queued in members_of(entity)],
        waiting=waiting,
        notes=notes,
        batch=batch,
        number=number,
        findings=findings,
    )
    try:
        decision = _decide(cycle, entity)
    except PluginFailedError as error:
        # What was tried has been taken back on the way here.
        decision = failed_by_plugin(entity, str(error), scan_start=cycle.search.scan_start)
    if cycle.batcher is None:
        return decision
    kept, report = cycle.batcher.batch, cycle.batcher.report
    return msgspec.structs.replace(decision, batch=kept, batching=report)


def _decide(cycle: Cycle, entity: QueuedEntity) -> Decision:
    if isinstance(entity, QueuedPodGroupInfo):
        if cycle.profile.group_cycle == "popped-by-member":
            return decide_gathered(cycle, entity)
        return decide_pod_group(cycle, entity)
    return decide_pod(cycle, entity)
