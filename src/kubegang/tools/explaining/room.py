"""What preemption could do, and why it does not. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.scheduler.cycle.decision import Decision, EvictPod
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import Code
from kubegang.tools.cluster.edits import RemovePod
from kubegang.tools.explaining.case import Case
from kubegang.tools.explaining.report import ResourceTotal, RoomFinding
from kubegang.tools.rehearsal.stage import Outcome
from kubegang.tools.workunits import count_of


def room_of(case: Case, totals: Sequence[ResourceTotal]) -> tuple[RoomFinding, Decision | None]:
    """Return what preemption could do, and the decision that tried it."""
    outcome = case.stage.outcome(case.key, makes_room=True)
    decision = outcome.last
    weaker = weaker_pods(case)
    victims = _victims(outcome)
    if victims:
        names = tuple(pod.key for pod in victims)
        message = f"the next attempt evicts {count_of(len(names), 'pod')} of lower priority"
        found = RoomFinding(possible=True, victims=names, weaker_pods=len(weaker), message=message)
        return found, decision
    message = _why_not(case, decision, weaker, totals)
    return RoomFinding(possible=False, weaker_pods=len(weaker), message=message), decision


def weaker_pods(case: Case) -> list[PodInfo]:
    """Return the pods with a node whose priority is lower."""
    snapshot = case.stage.snapshot
    return [
        entry.pod
        for entry in snapshot.placed_pods()
        if snapshot.priority_of(entry.pod) < case.priority
    ]


def _victims(outcome: Outcome) -> list[PodInfo]:
    return [
        instruction.pod
        for decision in outcome.decisions
        for instruction in decision.instructions
        if isinstance(instruction, EvictPod)
    ]


def _why_not(
    case: Case,
    decision: Decision | None,
    weaker: Sequence[PodInfo],
    totals: Sequence[ResourceTotal],
) -> str:
    if _is_being_made(decision):
        return "nobody more: pods were told to go already, and room is being made"
    never = "preemptionPolicy Never" if _never(case) else ""
    if never:
        return f"nobody is evicted: {never}"
    if not weaker:
        return f"nobody is evicted: no pod with a node has a priority below {case.priority}"
    others = count_of(len(weaker), "pod")
    with case.stage.supposing([RemovePod(pod.uid) for pod in weaker]):
        alone = case.starts()
    if alone:
        said = decision.diagnosis.upstream_message if decision is not None else ""
        return (
            f"nobody is evicted, though it would fit without the {others} of lower priority: "
            f"{said or 'preemption of this release does not look for that'}"
        )
    short = next((total for total in totals if not total.suffices), None)
    proof = (
        "" if short is None else f": needs {short.needed} {short.resource}, {short.exists} exist"
    )
    return f"0 evictions: it would not fit without the {others} of lower priority either{proof}"


def _is_being_made(decision: Decision | None) -> bool:
    room = None if decision is None else decision.room
    return room is not None and room.outcome == Code.SUCCESS.value


def _never(case: Case) -> bool:
    policy = case.group.preemption_policy if case.group is not None else ""
    return "Never" in (policy, *(pod.preemption_policy for pod in case.waiting[:1]))
