"""Sentences about trees of groups: which level lacked what. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.scheduler.cycle.decision import Diagnosis, PodDiagnosis, SearchForRoom
from kubegang.scheduler.cycle.diagnosis import (
    being_made,
    group_sentence,
    no_domain,
    scheduled_group,
    where,
)
from kubegang.scheduler.cycle.results import GroupResult, PlacementResult
from kubegang.scheduler.framework.pods import PodGroupInfo
from kubegang.scheduler.snapshot.snapshot import Snapshot


def scheduled_tree(
    snapshot: Snapshot, tried: GroupResult, *, left: Sequence[PodDiagnosis]
) -> Diagnosis:
    """Return the diagnosis of a group that may bind what fits."""
    group, result = tried.group, tried.result
    new = len(result.assignments)
    scheduled = snapshot.scheduled_count(group.key) + new
    if not group.is_composite:
        return scheduled_group(group, scheduled=scheduled, new=new, left=left)
    pods = "1 pod starts" if new == 1 else f"{new} pods start"
    message = f"{pods}; {_with_room(result)} of at least {_child_groups(group)} have what they need"
    if left:
        message = f"{message}; {len(left)} more without room yet: {left[0].message}"
    return Diagnosis(
        outcome="scheduled",
        message=message,
        group=group.key,
        quorum=group.quorum,
        scheduled=scheduled,
        pods=tuple(left),
    )


def unscheduled_tree(
    snapshot: Snapshot,
    tried: GroupResult,
    *,
    upstream_message: str,
    room: SearchForRoom | None,
) -> Diagnosis:
    """Return the diagnosis of a group that no placement holds.

    Args:
        snapshot: the cluster.
        tried: the group, and what became of it on its first placement.
        upstream_message: kube-scheduler's text of the group's condition.
        room: what post filters came to, if they were asked.
    """
    group = tried.group
    return Diagnosis(
        outcome="unschedulable",
        message=tree_sentence(snapshot, tried) + being_made(room),
        upstream_message=upstream_message,
        group=group.key,
        quorum=group.quorum,
        scheduled=snapshot.scheduled_count(group.key),
        pods=tuple(_without_place(tried.result)),
    )


def tree_sentence(snapshot: Snapshot, tried: GroupResult) -> str:
    """Return what a group needed and what was found, down to the first pod without a place."""
    group, result = tried.group, tried.result
    if not group.is_composite:
        return group_sentence(
            group,
            placed=len(result.assignments),
            scheduled=snapshot.scheduled_count(group.key),
            placements=tried.tried,
            pods=_without_place(result),
        )
    if group.topology_key and not tried.tried:
        return no_domain(group, _child_groups(group))
    placed = _with_room(result)
    found = "1 finds room" if placed == 1 else f"{placed} find room"
    place = where(group, tried.tried)
    sentence = f"needs {_child_groups(group)} at once in {place}; {found}"
    failed = [child for child in result.children if not child.result.status.is_success]
    if failed:
        return f"{sentence}; {_named(failed[0].group)} {tree_sentence(snapshot, failed[0])}"
    left = _without_place(result)
    return f"{sentence}; {left[0].message}" if left else sentence


def group_prefix(group: PodGroupInfo, *, root: PodGroupInfo) -> str:
    """Return whom a sentence is about, if it is not the group that is told."""
    return "" if group.key == root.key else f"{_named(group)} "


def _named(group: PodGroupInfo) -> str:
    return f"{group.key.kind} {group.key.name}"


def _child_groups(group: PodGroupInfo) -> str:
    return "1 child group" if group.quorum == 1 else f"{group.quorum} child groups"


def _with_room(result: PlacementResult) -> int:
    return sum(child.result.status.is_success for child in result.children)


def _without_place(result: PlacementResult) -> list[PodDiagnosis]:
    return [m.diagnosis for m in result.everyone() if m.diagnosis is not None]
