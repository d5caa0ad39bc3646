"""One pod or group that is explained, with all that was asked about it so far. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kubegang.scheduler.cycle.findings import Findings, RefusedMember
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey, PodInfo
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.tools.rehearsal.stage import Outcome, Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An entity of the queue on a stage.

    Attributes:
        key: a pod, or the root of a group's tree.
        group: the group's object, if it is one and exists.
        waiting: its pods without a node.
        placed: its pods with one.
        outcome: what the scheduler would decide now, nobody being evicted.
        findings: what it saw on its way.
    """

    stage: Stage
    key: EntityKey
    group: PodGroupInfo | None
    waiting: Sequence[PodInfo]
    placed: Sequence[PodInfo]
    outcome: Outcome
    findings: Findings

    @property
    def namespace(self) -> str:
        """Where it is."""
        return self.key.namespace if isinstance(self.key, PodGroupKey) else self.pods[0].namespace

    @property
    def pods(self) -> Sequence[PodInfo]:
        """All its pods that are not finished."""
        return (*self.placed, *self.waiting)

    @property
    def quorum(self) -> int:
        """How many members are needed; 1 for a pod."""
        return 1 if self.group is None else self.group.quorum

    @property
    def priority(self) -> int:
        """What counts in preemption."""
        if self.group is not None:
            return self.group.priority
        return self.pods[0].priority if self.pods else 0

    @property
    def refused(self) -> Sequence[RefusedMember]:
        """Per placement the first member that found no room there."""
        first: dict[tuple[str, int], RefusedMember] = {}
        for member in self.findings.refused:
            rows = member.placement.rows
            first.setdefault((member.placement.name, -1 if rows is None else int(rows[0])), member)
        return tuple(first.values())

    def starts(self) -> bool:
        """Return whether it starts as the stage is set now, with nobody evicted."""
        return has_started(self.key, self.stage.outcome(self.key))


def has_started(key: EntityKey, outcome: Outcome) -> bool:
    """Return whether an outcome is a start: the pod is bound, or the group's minimum."""
    if not outcome.bound:
        return False
    return isinstance(key, PodGroupKey) or key in outcome.bound


def case_of(stage: Stage, key: EntityKey) -> Case:
    """Ask the scheduler about an entity."""
    findings = Findings()
    outcome = stage.outcome(key, findings=findings)
    group = stage.cache.groups.pod_group(key) if isinstance(key, PodGroupKey) else None
    return Case(
        stage=stage,
        key=key,
        group=group,
        waiting=stage.members(key),
        placed=_placed(stage, key),
        outcome=outcome,
        findings=findings,
    )


def _placed(stage: Stage, key: EntityKey) -> list[PodInfo]:
    if isinstance(key, PodGroupKey):
        return list(stage.cache.groups.scheduled_members(key))
    known = stage.cache.pod(key)
    return [known.pod] if known is not None and known.node else []
