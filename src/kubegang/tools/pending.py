"""What should run and does not, each with its reason in numbers.

The reason is the scheduler's own Diagnosis. Where the scheduler was never asked (a pod for
another scheduler, a Job that cannot make its pods, a pod bound to a node that is not there)
the reason is found here. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence

import msgspec

from kubegang.scheduler.cycle.decision import Diagnosis, PodDiagnosis
from kubegang.scheduler.framework.pods import PodGroupKey
from kubegang.tools.history import History
from kubegang.tools.records import EntityKey, JobRecord, PodRecord
from kubegang.tools.workunits import WorkUnit

Explain = Callable[[EntityKey], Diagnosis | None]
"""Says why the scheduler holds an entity; ``None`` if it does not know it."""


class NodesRefused(msgspec.Struct, frozen=True, rename="camel"):
    """How many nodes one reason removed."""

    reason: str
    nodes: int


class RefusedPods(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Pods that found no node for the same reasons.

    Attributes:
        pods: how many.
        first: the name of the first.
        nodes: how many nodes were looked at for each.
        message: the sentence about the first.
    """

    pods: int
    first: str
    nodes: int
    reasons: tuple[NodesRefused, ...]
    message: str


class PendingUnit(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A Job, group or pod that waits.

    Attributes:
        group: the PodGroup, or empty.
        pods: how many pods are pending.
        needed: members without which none starts, 0 without a group.
        scheduled: members that have a node.
        outcome: as the scheduler's Diagnosis has it: ``unschedulable``, ``waiting``,
            ``error``, or ``scheduled`` where the minimum runs and further pods wait.
        message: what is needed, what was found, what would help.
        upstream_message: what kube-scheduler says about it in the group's condition.
        refused: why members found no node.
    """

    subject: WorkUnit
    group: str = ""
    pods: int = 0
    needed: int = 0
    scheduled: int = 0
    outcome: str = "waiting"
    message: str
    upstream_message: str = ""
    refused: tuple[RefusedPods, ...] = ()


def pending_of(
    history: History, explain: Explain, *, scheduler_names: Collection[str]
) -> tuple[PendingUnit, ...]:
    """Return everything that should run and does not.

    Args:
        history: what became of everything.
        explain: asks the scheduler.
        scheduler_names: the scheduler names that somebody here serves.
    """
    entities: dict[EntityKey, list[PodRecord]] = {}
    stranded: list[PendingUnit] = []
    for pod in history.pods.values():
        if pod.state == "pending":
            entities.setdefault(pod.group or pod.uid, []).append(pod)
        elif pod.state == "bound" and pod.node not in history.nodes:
            stranded.append(_stranded(history, pod))
    waiting = [
        _waiting(history, key, pods, explain(key), scheduler_names)
        for key, pods in entities.items()
    ]
    incomplete = [_without_pods(job) for job in history.jobs.values() if _lacks_pods(job)]
    return (*waiting, *stranded, *incomplete)


def _waiting(
    history: History,
    key: EntityKey,
    pods: Sequence[PodRecord],
    diagnosis: Diagnosis | None,
    scheduler_names: Collection[str],
) -> PendingUnit:
    subject = history.unit_of(pods[0])
    group = key.name if isinstance(key, PodGroupKey) else ""
    foreign = next((pod for pod in pods if pod.scheduler_name not in scheduler_names), None)
    if diagnosis is None or (foreign is not None and diagnosis.outcome == "waiting"):
        message = _unknown(pods, foreign, scheduler_names)
        if diagnosis is not None:
            message = f"{diagnosis.message}; {message}"
        return PendingUnit(subject=subject, group=group, pods=len(pods), message=message)
    return PendingUnit(
        subject=subject,
        group=group,
        pods=len(pods),
        needed=_needed(history, key, diagnosis),
        scheduled=_scheduled(history, key),
        outcome=diagnosis.outcome,
        message=diagnosis.message,
        upstream_message=diagnosis.upstream_message,
        refused=tuple(_refused(_own(key, diagnosis.pods))),
    )


def _needed(history: History, key: EntityKey, diagnosis: Diagnosis) -> int:
    """Return how many members are needed; a diagnosis of a whole tree counts groups."""
    if diagnosis.group is None or not diagnosis.group.is_composite:
        return diagnosis.quorum
    record = history.groups.get(key) if isinstance(key, PodGroupKey) else None
    return 1 if record is None or record.min_count is None else record.min_count


def _own(key: EntityKey, diagnoses: Iterable[PodDiagnosis]) -> list[PodDiagnosis]:
    """Leave out what is about other groups of the tree."""
    if not isinstance(key, PodGroupKey):
        return list(diagnoses)
    return [diagnosis for diagnosis in diagnoses if diagnosis.pod.pod_group in (None, key)]


def _unknown(
    pods: Sequence[PodRecord], foreign: PodRecord | None, scheduler_names: Collection[str]
) -> str:
    if foreign is not None:
        served = ", ".join(sorted(scheduler_names)) or "none"
        return (
            f"pod {foreign.name} asks for scheduler {foreign.scheduler_name!r}, which does not "
            f"run here; served are: {served}"
        )
    if pods[0].gates:
        gates = ", ".join(pods[0].gates)
        return f"waiting for scheduling gates to be removed from pod {pods[0].name}: {gates}"
    return f"pod {pods[0].name} has not been tried yet"


def _scheduled(history: History, key: EntityKey) -> int:
    """Count afresh: a diagnosis is as old as the last attempt."""
    if not isinstance(key, PodGroupKey):
        return 0
    return sum(pod.group == key and pod.holds_node for pod in history.pods.values())


def _refused(diagnoses: Iterable[PodDiagnosis]) -> Iterator[RefusedPods]:
    alike: dict[Hashable, list[PodDiagnosis]] = {}
    for diagnosis in diagnoses:
        alike.setdefault((diagnosis.nodes, diagnosis.reasons), []).append(diagnosis)
    for together in alike.values():
        first = together[0]
        yield RefusedPods(
            pods=len(together),
            first=first.pod.name,
            nodes=first.nodes,
            reasons=tuple(NodesRefused(reason.reason, reason.nodes) for reason in first.reasons),
            message=first.message,
        )


def _stranded(history: History, pod: PodRecord) -> PendingUnit:
    return PendingUnit(
        subject=history.unit_of(pod),
        pods=1,
        outcome="error",
        message=f"pod {pod.name} is bound to node {pod.node}, which does not exist; add the node",
    )


def _lacks_pods(job: JobRecord) -> bool:
    return job.state == "active" and job.active < job.wanted


def _without_pods(job: JobRecord) -> PendingUnit:
    found = f"{job.active} of {job.wanted} pods exist"
    return PendingUnit(
        subject=WorkUnit("Job", job.namespace, job.name),
        pods=job.wanted - job.active,
        outcome="error",
        message=f"{found}; {job.problem or 'the Job controller has not made the others yet'}",
    )
