"""Why a pending pod or group is where it is, as far as the queue knows.

Entities that were never tried have no cycle's diagnosis, and upstream says nothing about
them. The queue knows what they wait for, with numbers. Pure.
"""

from __future__ import annotations

import msgspec

from kubegang.scheduler.framework.entities import QueuedPodInfo
from kubegang.scheduler.framework.podgroups import PodGroupStates
from kubegang.scheduler.framework.pods import PodGroupKey, PodInfo
from kubegang.scheduler.framework.workloadgroups import group_name
from kubegang.scheduler.queue.entries import Entry
from kubegang.scheduler.queue.lacking import (
    complete_children,
    missing_child_groups,
    missing_parent,
)
from kubegang.scheduler.queue.places import Place


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """What an entity waits for.

    Attributes:
        message: one sentence for people.
        upstream_message: what the plugin that holds it says; upstream shows it to nobody.
        group: the group, or ``None`` for an ordinary pod.
        quorum: members needed, 0 without a group or before its object exists; of a composite
            these are child groups.
        known: members that exist and are not finished; child groups that are complete.
        scheduled: pods that have a node.
        next_attempt: when the clock will try it again, or ``None``.
    """

    place: Place
    message: str
    upstream_message: str = ""
    group: PodGroupKey | None = None
    quorum: int = 0
    known: int = 0
    scheduled: int = 0
    next_attempt: float | None = None


def explain_entry(entry: Entry, groups: PodGroupStates, *, now: float) -> Waiting:
    """Say what an entity waits for."""
    waiting = Waiting(
        place=entry.place,
        message=_message(entry, groups, now=now),
        upstream_message=entry.gate.message if entry.gate else "",
        group=_group_key(entry),
        next_attempt=entry.expires if entry.place is Place.BACKOFF else None,
    )
    return with_counts(waiting, groups)


def explain_incomplete(key: PodGroupKey, groups: PodGroupStates) -> Waiting:
    """Say what members wait for whose group, or one above it, is not known."""
    workload = group_name(key)
    if workload is None:
        message = missing_parent(groups, key)
        upstream = f'waiting for pod\'s pod group "{key.name}" to appear in scheduling queue'
    else:
        message = f"waiting for a Workload {workload.workload} with {workload.pod_group} in it"
        upstream = (
            f'waiting for pods\'s workload "{workload.workload}" to appear in scheduling queue'
        )
    waiting = Waiting(place=Place.INCOMPLETE, message=message, upstream_message=upstream, group=key)
    return with_counts(waiting, groups)


def with_counts(waiting: Waiting, groups: PodGroupStates) -> Waiting:
    """Add what is known of the group's members."""
    key = waiting.group
    if key is None:
        return waiting
    group = groups.pod_group(key)
    if group is not None and group.is_composite:
        known = complete_children(groups, group)
    else:
        known = groups.known_members(key)
    return msgspec.structs.replace(
        waiting,
        quorum=group.quorum if group else 0,
        known=known,
        scheduled=len(groups.scheduled_members(key)),
    )


def _message(entry: Entry, groups: PodGroupStates, *, now: float) -> str:
    if entry.place is Place.GATED:
        return _held_message(entry, groups)
    if entry.place is Place.BACKOFF:
        return f"backing off, next attempt in {max(entry.expires - now, 0.0):.0f}s"
    if entry.place is Place.UNSCHEDULABLE:
        return "waiting for something to change that may help"
    if entry.place is Place.ACTIVE:
        return "waiting for its turn"
    return "being decided about"


def _held_message(entry: Entry, groups: PodGroupStates) -> str:
    missing = _missing_pods(entry, groups)
    gated = [queued.pod for queued in entry.pods() if queued.pod.scheduling_gates]
    if missing and gated:
        return f"{missing}, and {_gates(gated)}"
    if missing or gated:
        return missing or _gates(gated)
    return entry.gate.message if entry.gate and entry.gate.message else "held by a plugin"


def _missing_pods(entry: Entry, groups: PodGroupStates) -> str:
    key = _group_key(entry)
    group = None if key is None else groups.pod_group(key)
    if group is None:
        return ""
    if group.is_composite:
        return missing_child_groups(groups, group)
    known, quorum = groups.known_members(group.key), group.quorum
    missing = quorum - known
    if missing <= 0:
        return ""
    pods = "pod" if missing == 1 else "pods"
    return f"waiting for {missing} more {pods} ({known} of {quorum})"


def _group_key(entry: Entry) -> PodGroupKey | None:
    """Return the group, also of a member that is an entity of its own."""
    if isinstance(entry.info, QueuedPodInfo):
        return entry.info.pod.pod_group
    return entry.info.group


def _gates(gated: list[PodInfo]) -> str:
    first = gated[0]
    gates = ", ".join(first.scheduling_gates)
    if len(gated) == 1:
        return f"waiting for scheduling gates to be removed from pod {first.name}: {gates}"
    return (
        f"waiting for scheduling gates to be removed from {len(gated)} pods, "
        f"the first is {first.name}: {gates}"
    )
