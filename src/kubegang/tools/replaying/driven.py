"""A rehearsal that is driven from outside: pods come and go, and time passes, when told. Pure.

While a cluster is full, many that are alike wait, and each pod that ends wakes them all. What
was decided about one of them is true of the others until something changes, so it is decided
once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import msgspec

from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.cycle.decision import Decision, FailPod, SetPodGroupCondition
from kubegang.scheduler.cycle.findings import Findings
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import QueuedEntity, members_of
from kubegang.scheduler.framework.pods import PodInfo, PodUid
from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.queue.changes import ASSIGNED_POD_DELETE
from kubegang.tools.rehearsal.deciders import Deciders
from kubegang.tools.rehearsal.rehearsal import Rehearsal
from kubegang.tools.replaying.objects import JobObjects

Likeness = Callable[[PodUid], Hashable]
"""Says what a pod's job is like; equal ones may differ in nothing that a decision reads."""


class _Refusal(NamedTuple):
    """A decision that changed nothing, and about whom it was."""

    decision: Decision
    members: tuple[PodUid, ...]

    def about(self, pods: Sequence[PodInfo]) -> Decision:
        """Return the same decision about others, who are like these one by one."""
        others = dict(zip(self.members, pods, strict=True))
        return msgspec.structs.replace(
            self.decision,
            unbound=tuple(others[pod.uid] for pod in self.decision.unbound),
            instructions=tuple(
                msgspec.structs.replace(one, pod=others[one.pod.uid])
                for one in self.decision.instructions
                if isinstance(one, FailPod)
            ),
        )


class DrivenRehearsal(Rehearsal):
    """The scheduler's loop; ``attempt_due`` runs it for one moment."""

    def __init__(
        self,
        cache: Cache,
        deciders: Deciders,
        *,
        now: float,
        rng: Rng,
        backoff: BackoffPolicy,
        likeness: Likeness,
    ) -> None:
        """Prepare a rehearsal.

        Args:
            cache: the cluster; the rehearsal changes it.
            deciders: what decides.
            now: when it begins.
            rng: breaks ties.
            backoff: how long whoever failed pauses.
            likeness: says who is alike.
        """
        super().__init__(cache, deciders, now=now, rng=rng, backoff=backoff)
        self._likeness = likeness
        self._refusals: dict[Hashable, _Refusal] = {}

    # --- time ----------------------------------------------------------------------------

    def next_due(self) -> float | None:
        """Return when something is due by the clock alone; ``None`` while nothing waits."""
        due = [t for t in (self.queue.next_tick(), self._held.next_deadline()) if t is not None]
        return min(due, default=None)

    def advance(self, to: float) -> None:
        """Let it be so late, and what is due by then happen."""
        self.now = max(self.now, to)
        self.queue.tick(now=self.now)
        for plugin, uid in self._held.overdue(now=self.now):
            self._refusals.clear()
            self._reject(plugin, uid)

    def attempt_due(self) -> None:
        """Decide about everybody whose turn it is now."""
        while (entity := self.queue.pop(now=self.now)) is not None:
            self._attempt(entity)

    # --- what comes and goes -------------------------------------------------------------

    def submit(self, objects: JobObjects) -> None:
        """Let a job's objects come into being now, all at once."""
        for workload in objects.workloads:
            self.cache.groups.set_workload(workload.namespace, workload.name)
        for group in objects.groups:
            self.cache.set_pod_group(group)
        for pod in objects.pods:
            self.cache.set_pod(pod)
        for group in objects.groups:
            self.queue.add_pod_group(group, now=self.now)
        for pod in objects.pods:
            self.queue.add_pod(pod, now=self.now)

    def end(self, objects: JobObjects) -> None:
        """Let a job's objects be gone, the pods first."""
        self._refusals.clear()
        for pod in objects.pods:
            self._end_pod(pod)
        for group in objects.groups:
            self.cache.remove_pod_group(group.key)
            self.queue.delete_pod_group(group.key, now=self.now)
            self.decisions.pop(group.key, None)
        for workload in objects.workloads:
            self.cache.groups.remove_workload(workload.namespace, workload.name)

    def _end_pod(self, pod: PodInfo) -> None:
        self._held.drop(pod.uid)
        known = self.cache.pod(pod.uid)
        if known is None or not known.node:
            self.queue.delete_pod(pod, now=self.now)
        self.cache.remove_pod(pod.uid)
        if known is not None and known.node:
            gone = msgspec.structs.replace(pod, node_name=known.node)
            self.queue.handle(ASSIGNED_POD_DELETE, gone, None, now=self.now)
        # Nobody of this name comes back; a long trace has many.
        self._tried.discard(pod.uid)
        self._begun.discard(pod.uid)
        self._notes.pop(pod.uid, None)
        self.decisions.pop(pod.uid, None)

    # --- deciding once about those that are alike ----------------------------------------

    def _decide(
        self, entity: QueuedEntity, findings: Findings | None
    ) -> tuple[Decision, dict[PodUid, CycleState]]:
        pods = [member.pod for member in members_of(entity)]
        key = (len(pods), *(self._likeness(pod.uid) for pod in pods))
        known = self._refusals.get(key)
        if known is not None:
            return known.about(pods), {}
        decision, notes = super()._decide(entity, findings)
        if not _is_plain_refusal(decision, pods):
            self._refusals.clear()
        elif not self._held.all():
            self._refusals[key] = _Refusal(decision, tuple(pod.uid for pod in pods))
        return decision, notes


def _is_plain_refusal(decision: Decision, pods: Sequence[PodInfo]) -> bool:
    """Return whether all pods are refused, and nothing else happens."""
    return (
        decision.status == "unschedulable"
        and {pod.uid for pod in decision.unbound} == {pod.uid for pod in pods}
        and all(isinstance(one, FailPod | SetPodGroupCondition) for one in decision.instructions)
    )
