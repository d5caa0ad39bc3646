"""Sentences for people: what was needed, what was found, what would help, with numbers.

The same ``Diagnosis`` becomes condition and event of profiles that speak, ``explain``, and
the page. kube-scheduler's own words travel beside it, for profiles that must match them.
Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.scheduler.cycle.decision import (
    Diagnosis,
    NodeReason,
    PodDiagnosis,
    SearchForRoom,
)
from kubegang.scheduler.cycle.searchresult import NoNode
from kubegang.scheduler.cycle.shortfall import Lack, NearMiss, closest_node, format_amount
from kubegang.scheduler.framework.fiterror import chosen_node_error, count_reasons
from kubegang.scheduler.framework.nodetable import NodeTable
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodGroupKey, PodInfo
from kubegang.scheduler.framework.status import Code, Status


def diagnose_pod(table: NodeTable, pod: PodInfo, failure: NoNode) -> PodDiagnosis:
    """Return why a pod found no node; call it while the table still shows what it saw."""
    counts = count_reasons(failure.refusals)
    reasons = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return PodDiagnosis(
        pod=pod,
        nodes=failure.nodes,
        reasons=tuple(NodeReason(reason, nodes) for reason, nodes in reasons),
        message=f"pod {pod.name} {_pod_sentence(table, pod, failure, reasons=reasons)}",
    )


def diagnose_twin(pod: PodInfo, other: PodDiagnosis) -> PodDiagnosis:
    """Return the diagnosis of a pod that failed exactly as another one did."""
    text = other.message.removeprefix(f"pod {other.pod.name} ")
    return PodDiagnosis(pod, other.nodes, other.reasons, f"pod {pod.name} {text}")


def _pod_sentence(
    table: NodeTable, pod: PodInfo, failure: NoNode, *, reasons: Sequence[tuple[str, int]]
) -> str:
    if failure.status.is_error:
        return f"cannot be tried: {failure.status.as_error}"
    if not failure.nodes:
        return f"needs {_needs(pod)}, but there is no node to run on; add one"
    found = ", ".join(f"{nodes} {reason}" for reason, nodes in reasons)
    sentence = f"needs {_needs(pod)} on one node; none of {_nodes(failure.nodes)} fits: {found}"
    near = closest_node(table, pod, failure.refusals)
    return f"{sentence}; {_help(near)}" if near else f"{sentence}; {_no_candidate(failure)}"


def _needs(pod: PodInfo) -> str:
    if not pod.requests.items:
        return "a place"
    return " and ".join(
        f"{format_amount(resource, amount)} {resource}" for resource, amount in pod.requests.items
    )


def _nodes(count: int) -> str:
    return "1 node" if count == 1 else f"{count} nodes"


def _help(near: NearMiss) -> str:
    if not near.lacks:
        return f"{near.node} comes closest"
    lacks = " and ".join(_lack(lack) for lack in near.lacks)
    if any(lack.wanted > lack.capacity for lack in near.lacks):
        return f"{near.node} comes closest but is too small ({lacks}); a larger node would help"
    return f"{near.node} comes closest; it would fit with {lacks}"


def _lack(lack: Lack) -> str:
    free = format_amount(lack.resource, max(lack.free, 0))
    missing = format_amount(lack.resource, lack.missing)
    return f"{missing} more {lack.resource} ({free} free)"


def _no_candidate(failure: NoNode) -> str:
    if not failure.refusals:
        return "no node was looked at"
    return "a node that meets all of these, or a pod that asks for less of them, would help"


def scheduled_pod(pod: PodInfo, node: NodeName) -> Diagnosis:
    """Return the diagnosis of an ordinary pod that got a node."""
    return Diagnosis(outcome="scheduled", message=f"pod {pod.name} goes to node {node}")


def waiting_pod(pod: PodInfo, node: NodeName, status: Status) -> Diagnosis:
    """Return the diagnosis of a pod that has a node and waits on permit."""
    why = f": {status.message}" if status.message else ""
    return Diagnosis(
        outcome="waiting",
        message=f"pod {pod.name} keeps room on node {node} and waits for a permit{why}",
        upstream_message=status.message,
        group=pod.pod_group,
    )


def refused_pod(pod: PodInfo, node: NodeName, status: Status) -> Diagnosis:
    """Return the diagnosis of a pod that was refused after its node was chosen."""
    return Diagnosis(
        outcome="error" if status.is_error else "unschedulable",
        message=f"pod {pod.name} fits on node {node}, but {status.plugin}: {status.as_error}",
        upstream_message=chosen_node_error(status),
        group=pod.pod_group,
    )


def unscheduled_pod(
    pod: PodDiagnosis, *, error: bool, upstream_message: str, room: SearchForRoom | None
) -> Diagnosis:
    """Return the diagnosis of an ordinary pod that got none."""
    return Diagnosis(
        outcome="error" if error else "unschedulable",
        message=pod.message + being_made(room),
        upstream_message=upstream_message,
        pods=(pod,),
    )


def scheduled_group(
    group: PodGroupInfo, *, scheduled: int, new: int, left: Sequence[PodDiagnosis]
) -> Diagnosis:
    """Return the diagnosis of a group of which at least the minimum has a node."""
    pods = "1 pod starts" if new == 1 else f"{new} pods start"
    message = f"{pods}; {scheduled} of at least {group.quorum} have a node"
    if left:
        others = "1 more pod finds" if len(left) == 1 else f"{len(left)} more pods find"
        message = f"{message}; {others} no room yet: {left[0].message}"
    return Diagnosis(
        outcome="scheduled",
        message=message,
        group=group.key,
        quorum=group.quorum,
        scheduled=scheduled,
        pods=tuple(left),
    )


def unscheduled_group(
    group: PodGroupInfo,
    *,
    placed: int,
    scheduled: int,
    placements: int,
    pods: Sequence[PodDiagnosis],
    upstream_message: str,
    room: SearchForRoom | None,
) -> Diagnosis:
    """Return the diagnosis of a group that no placement holds.

    Args:
        group: that was tried.
        placed: members for which the first placement had room.
        scheduled: members that had a node before.
        placements: how many placements were tried.
        pods: members without room in the first placement.
        upstream_message: kube-scheduler's text of the group's condition.
        room: what post filters came to, if they were asked.
    """
    sentence = group_sentence(
        group, placed=placed, scheduled=scheduled, placements=placements, pods=pods
    )
    return Diagnosis(
        outcome="unschedulable",
        message=sentence + being_made(room),
        upstream_message=upstream_message,
        group=group.key,
        quorum=group.quorum,
        scheduled=scheduled,
        pods=tuple(pods),
    )


def group_sentence(
    group: PodGroupInfo,
    *,
    placed: int,
    scheduled: int,
    placements: int,
    pods: Sequence[PodDiagnosis],
) -> str:
    """Return what a pod group needs and what was found; the arguments as above."""
    needed = "1 pod" if group.quorum == 1 else f"{group.quorum} pods"
    if group.topology_key and not placements:
        return no_domain(group, needed)
    found = "1 finds room" if placed == 1 else f"{placed} find room"
    already = f" and {scheduled} run already" if scheduled else ""
    sentence = f"needs {needed} at once in {where(group, placements)}; {found}{already}"
    return f"{sentence}; {pods[0].message}" if pods else sentence


def no_domain(group: PodGroupInfo, needed: str) -> str:
    """Return that there is no domain to look for room in."""
    return (
        f'needs {needed} in one domain of "{group.topology_key}", but no node has that label;'
        " label nodes with it"
    )


def where(group: PodGroupInfo, placements: int) -> str:
    """Return where a group looked for room."""
    if not group.topology_key:
        return "the cluster"
    return f'any of {placements} domains of "{group.topology_key}"'


def being_made(room: SearchForRoom | None) -> str:
    """Return what to add to a sentence when pods are evicted, else nothing."""
    if room is None or room.outcome != Code.SUCCESS.value:
        return ""
    if not room.victims:
        return "; room is being made, pods of lower priority have been told to go"
    victims = "1 pod" if room.victims == 1 else f"{room.victims} pods"
    return f"; room is being made, {victims} of lower priority must go"


def broken_group(key: PodGroupKey, message: str, *, quorum: int) -> Diagnosis:
    """Return the diagnosis of a group that breaks a rule, or whose attempt failed."""
    return Diagnosis(
        outcome="error", message=message, upstream_message=message, group=key, quorum=quorum
    )


def in_both_words(own: str, upstream: str) -> str:
    """Return what a condition says in a profile that speaks: its own sentence, then upstream's.

    People look for kube-scheduler's words, and so do programs; whoever knows neither reads
    the first sentence.
    """
    return own if upstream in ("", own) else f"{own} ({upstream})"
