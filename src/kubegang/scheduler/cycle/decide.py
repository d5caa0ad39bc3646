"""The decision of one cycle, as a plain function.

The live scheduler, ``run``, ``explain`` and ``what-if`` all call it. Same snapshot, entity,
profile, moment and seed: same decision. What it tried is taken back before it returns. Pure.
"""

from __future__ import annotations

from kubegang.api.profile import SchedulerProfile
from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.decision import Decision
from kubegang.scheduler.cycle.pod import decide_pod
from kubegang.scheduler.cycle.podgroup import decide_pod_group
from kubegang.scheduler.framework.entities import (
    QueuedEntity,
    QueuedPodGroupInfo,
    members_of,
)
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
) -> Decision:
    """Decide what to do about one entity of the queue.

    Args:
        snapshot: the cluster as it is; unchanged when this returns.
        entity: a pod, or a group with all members that wait.
        profile: how pods of this schedulerName are decided about.
        framework: the profile's plugins.
        now: the cycle's moment, seconds since the epoch.
        rng: breaks ties.
    """
    cycle = Cycle(
        snapshot,
        profile=profile,
        framework=framework,
        now=now,
        rng=rng,
        deciding=[queued.pod.uid for queued in members_of(entity)],
    )
    if isinstance(entity, QueuedPodGroupInfo):
        return decide_pod_group(cycle, entity)
    return decide_pod(cycle, entity)
