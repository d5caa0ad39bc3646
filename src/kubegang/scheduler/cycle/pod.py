"""One ordinary pod's cycle. Pure."""

from __future__ import annotations

from kubegang.scheduler.cycle.cycle import Cycle
from kubegang.scheduler.cycle.decision import (
    Decision,
    DecisionStatus,
    Diagnosis,
    FailPod,
    Instruction,
    NominateNode,
)
from kubegang.scheduler.cycle.diagnosis import (
    diagnose_pod,
    in_both_words,
    refused_pod,
    scheduled_pod,
    unscheduled_pod,
    waiting_pod,
)
from kubegang.scheduler.cycle.findings import RefusedMember
from kubegang.scheduler.cycle.makingroom import (
    evictions_for_pod,
    nominations,
    other_changes,
    search_report,
)
from kubegang.scheduler.cycle.searchresult import FoundNode, NoNode
from kubegang.scheduler.cycle.settling import ChosenNode, settle
from kubegang.scheduler.cycle.skipping import skip_pod
from kubegang.scheduler.framework.cluster import Placement
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.postfilter import PostFilterResult
from kubegang.scheduler.runtime.postfiltering import run_post_filter_plugins

_WHOLE_CLUSTER = Placement("")


def decide_pod(cycle: Cycle, entity: QueuedPodInfo) -> Decision:
    """Decide about one pod that belongs to no group."""
    pod = entity.pod
    skip = skip_pod(pod, cycle.snapshot)
    if skip is not None:
        message = f"pod {pod.name} is being deleted or has a node already"
        return Decision(
            instructions=(skip,),
            diagnosis=Diagnosis(outcome="waiting", message=message),
            status="skipped",
            scan_start=cycle.search.scan_start,
        )
    state = CycleState(now=cycle.now)
    found = cycle.search.find(state, pod, placement=_WHOLE_CLUSTER)
    if isinstance(found, FoundNode):
        return _placed(cycle, ChosenNode(pod, found.node, state))
    if cycle.findings is not None:
        cycle.findings.refused.append(RefusedMember(pod, _WHOLE_CLUSTER, found))
    return _failed(cycle, state, pod=pod, failure=found)


def _placed(cycle: Cycle, chosen: ChosenNode) -> Decision:
    (settled,) = settle(cycle, [chosen])
    pod, node, status = chosen.pod, chosen.node, settled.status
    outcome: DecisionStatus
    if status.is_success:
        outcome, diagnosis = "scheduled", scheduled_pod(pod, node)
    elif status.is_wait:
        outcome, diagnosis = "waiting-on-permit", waiting_pod(pod, node, status)
    else:
        outcome = "error" if status.is_error else "unschedulable"
        diagnosis = refused_pod(pod, node, status)
    return Decision(
        instructions=settled.instructions,
        diagnosis=diagnosis,
        status=outcome,
        backs_off_as="error" if status.is_error else "unschedulable",
        unbound=() if settled.keeps_node else (pod,),
        scan_start=cycle.search.scan_start,
    )


def _failed(cycle: Cycle, state: CycleState, *, pod: PodInfo, failure: NoNode) -> Decision:
    is_error = failure.status.is_error
    # Without any node there is nobody to evict, and nobody is asked.
    room = _make_room(cycle, state, pod=pod, failure=failure) if failure.refusals else None
    message = failure.message
    if room is not None and room.status.message:
        message = f"{message} {room.status.message}"
    report = search_report(room)
    diagnosis = unscheduled_pod(
        diagnose_pod(cycle.snapshot.nodes, pod, failure),
        error=is_error,
        upstream_message=message,
        room=report,
    )
    fail = FailPod(
        pod,
        "SchedulerError" if is_error else "Unschedulable",
        in_both_words(diagnosis.message, message) if cycle.profile.speaking else message,
        failure.plugins,
    )
    return Decision(
        instructions=(*_room_instructions(cycle, pod, room), fail),
        diagnosis=diagnosis,
        status="error" if is_error else "unschedulable",
        backs_off_as="error" if is_error else "unschedulable",
        unbound=(pod,),
        scan_start=cycle.search.scan_start,
        room=report,
    )


def _make_room(
    cycle: Cycle, state: CycleState, *, pod: PodInfo, failure: NoNode
) -> PostFilterResult:
    return run_post_filter_plugins(
        cycle.framework,
        state,
        pod=pod,
        refusals=failure.refusals,
        handle=cycle.handle,
    )


def _room_instructions(
    cycle: Cycle, pod: PodInfo, room: PostFilterResult | None
) -> list[Instruction]:
    # Without any node an earlier promise is void; a post filter may also leave it as it is.
    nominated = NodeName("") if room is None else room.nominated_node
    instructions: list[Instruction] = [*other_changes(room)]
    if room is not None and nominated:
        instructions += [NominateNode(other, NodeName("")) for other in room.displaced]
        instructions += evictions_for_pod(pod, nominated, room.eviction)
    if nominated is not None:
        instructions += nominations(cycle, [(pod, nominated)])
    return instructions
