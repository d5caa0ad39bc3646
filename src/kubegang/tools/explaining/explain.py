"""Explaining: the scheduler is asked, and what it answers is put in order. Pure.

1. find what is decided about together
2. ask what would become of it now
3. count who is needed and who is there
4. find what is lacking where, who has it, and what preemption could do
5. search for changes that let it start
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubegang.scheduler.cycle.decision import Decision
from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.queue.entries import EntityKey
from kubegang.tools.cluster.state import ObjectKey
from kubegang.tools.explaining.case import Case, case_of, has_started
from kubegang.tools.explaining.changes.changes import changes_of
from kubegang.tools.explaining.holders import holders_of
from kubegang.tools.explaining.owners import owner_finding
from kubegang.tools.explaining.quorum import quorum_of
from kubegang.tools.explaining.report import (
    BoundPod,
    ExplainReport,
    Explanation,
    Quorum,
    RoomFinding,
    State,
    Subject,
)
from kubegang.tools.explaining.retry import retry_of
from kubegang.tools.explaining.room import room_of
from kubegang.tools.explaining.shortfalls import (
    domains_of,
    near_nodes_of,
    node_classes_of,
    totals_of,
)
from kubegang.tools.explaining.targets import entities_of
from kubegang.tools.explaining.topology import warnings_about
from kubegang.tools.rehearsal.stage import Stage

MOST_PARTS = 5
"""Of pods outside of groups so many are explained; a Job may have thousands of them."""


def explain(
    stage: Stage, subject: Subject, *, version: str, backoff: BackoffPolicy
) -> ExplainReport:
    """Explain one object.

    Args:
        stage: the cluster.
        subject: what is asked about.
        version: the release whose rules apply, for the report.
        backoff: how long the scheduler pauses after failures.

    Raises:
        NotThereError: there is no such object.
    """
    entities = _pending_first(stage, entities_of(stage, subject))
    parts = tuple(explain_entity(stage, key, backoff=backoff) for key in entities[:MOST_PARTS])
    return ExplainReport(
        subject=subject,
        kubernetes_version=version,
        parts=parts,
        unseen=tuple(f"{one.resource}: {one.why}" for one in stage.state.unseen),
        notes=tuple(_notes(stage, subject, entities)),
    )


def explain_entity(stage: Stage, key: EntityKey, *, backoff: BackoffPolicy) -> Explanation:
    """Explain a pod, or the root of a group's tree."""
    case = case_of(stage, key)
    quorum = quorum_of(case)
    if not case.waiting:
        return _settled(case, quorum)
    if has_started(key, case.outcome):
        return _told(case, quorum, state="would-start")
    totals = totals_of(case)
    room, tried = room_of(case, totals)
    waiting = case.outcome.waiting
    held = waiting is not None
    return _told(
        case,
        quorum,
        state=_state(case, room),
        tried=tried,
        totals=totals,
        domains=domains_of(case),
        node_classes=node_classes_of(case),
        near=near_nodes_of(case),
        holders=holders_of(case),
        room=None if held else room,
        retry=retry_of(case, backoff),
        changes=tuple(found.change for found in changes_of(case, quorum)),
    )


def explain_briefly(stage: Stage, key: EntityKey) -> Explanation:
    """Say why a pod or group waits, without what takes long: who else could go, what would help.

    Whether preemption makes room is left out too, so it says ``unschedulable`` there.
    """
    case = case_of(stage, key)
    quorum = quorum_of(case)
    if not case.waiting:
        return _settled(case, quorum)
    if has_started(key, case.outcome):
        return _told(case, quorum, state="would-start")
    return _told(case, quorum, state=_state(case, None))


def _state(case: Case, room: RoomFinding | None) -> State:
    if _is_running(case):
        return "scheduled"
    if room is not None and room.possible:
        return "makes-room"
    last = case.outcome.last
    if last is None:
        return "waiting"
    return "error" if last.diagnosis.outcome == "error" else "unschedulable"


def _is_running(case: Case) -> bool:
    """Return whether a group has its minimum already, and only further members wait."""
    return isinstance(case.key, PodGroupKey) and len(case.placed) >= case.quorum > 0


def _settled(case: Case, quorum: Quorum | None) -> Explanation:
    if case.placed:
        return _told(case, quorum, state="scheduled")
    return _told(case, quorum, state="waiting")


def _told(
    case: Case,
    quorum: Quorum | None,
    *,
    state: State,
    tried: Decision | None = None,
    **findings: object,
) -> Explanation:
    message, upstream = _messages(case, tried, quorum, state=state)
    return Explanation(
        subject=_subject(case),
        scheduler=case.pods[0].scheduler_name if case.pods else "",
        state=state,
        message=message,
        upstream_message=upstream,
        quorum=quorum,
        bound=_bound(case),
        warnings=tuple(warnings_about(case)),
        **findings,  # type: ignore[arg-type]
    )


def _messages(
    case: Case, tried: Decision | None, quorum: Quorum | None, *, state: State
) -> tuple[str, str]:
    decision = case.outcome.last
    if decision is not None:
        with_room = decision if tried is None else tried
        # What went wrong while room was looked for is upstream's to tell; it is not the reason.
        plain = with_room.diagnosis.outcome == "error" != decision.diagnosis.outcome
        told = decision if plain else with_room
        return told.diagnosis.message, with_room.diagnosis.upstream_message
    if case.outcome.waiting is not None:
        return case.outcome.waiting.message, case.outcome.waiting.upstream_message
    if case.placed:
        pods = len(case.placed)
        return ("it has a node" if pods == 1 else f"all {pods} pods have a node"), ""
    return ("there is no pod to schedule" if quorum is None else quorum.message), ""


def _subject(case: Case) -> Subject:
    if isinstance(case.key, PodGroupKey):
        return Subject(case.key.kind, case.key.namespace, case.key.name)
    pod = case.pods[0]
    return Subject("Pod", pod.namespace, pod.name)


def _bound(case: Case) -> tuple[BoundPod, ...]:
    key = case.group.topology_key if case.group is not None else ""
    return tuple(_bound_pod(case, pod, key) for pod in case.placed)


def _bound_pod(case: Case, pod: PodInfo, topology_key: str) -> BoundPod:
    known = case.stage.cache.pod(pod.uid)
    name = pod.node_name if known is None else known.node
    node = case.stage.cache.node(name)
    domain = node.labels.get(topology_key, "") if node is not None and topology_key else ""
    return BoundPod(pod.name, name, domain)


def _pending_first(stage: Stage, entities: Sequence[EntityKey]) -> list[EntityKey]:
    return sorted(entities, key=lambda key: not stage.members(key))


def _notes(stage: Stage, subject: Subject, entities: Sequence[EntityKey]) -> Iterator[str]:
    if len(entities) > MOST_PARTS:
        yield f"{len(entities) - MOST_PARTS} more pods or groups of {subject} are not shown"
    if not entities:
        key = ObjectKey(subject.kind, subject.namespace, subject.name)
        owner = owner_finding(stage.state, key)
        why = f": {owner.why}" if owner.why else ""
        problem = f"; last error: {owner.problem}" if owner.problem else ""
        yield f"{subject} has no pods{why}{problem}"
