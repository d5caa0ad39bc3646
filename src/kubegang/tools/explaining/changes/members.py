"""Changes of a group and its pods: their number, their gates, what they say of themselves. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from kubegang.scheduler.cycle.findings import Findings
from kubegang.scheduler.framework.pods import (
    NodeName,
    PodGroupInfo,
    PodGroupKey,
    PodInfo,
    PodUid,
)
from kubegang.tools.cluster.edits import Edit, SetGroup, SetPod
from kubegang.tools.explaining.changes.searching import Found, Search
from kubegang.tools.explaining.report import Change, Quorum
from kubegang.tools.workunits import count_of


def lower_min_count(search: Search) -> Iterator[Found]:
    """Yield the largest minimum with which the group starts."""
    group = search.case.group
    if group is None or group.min_count is None or group.quorum <= 1:
        return
    most = min(_reachable(search, group), group.quorum - 1)
    for minimum in range(most, 0, -1):
        edit = SetGroup(msgspec.structs.replace(group, min_count=minimum))
        if search.helps([edit]):
            field = "minGroupCount" if group.is_composite else "minCount"
            change = Change(
                kind="lower-min-count",
                size=group.quorum - minimum,
                message=f"lower {field} of {group.key.kind} {group.key.name} "
                f"from {group.quorum} to {minimum}",
            )
            yield search.found(change, [edit])
            return
        if not search.is_complete:
            return


def _reachable(search: Search, group: PodGroupInfo) -> int:
    """Return how many members have a place at most, if one were enough to start."""
    if group.is_composite:
        return group.quorum - 1
    findings = Findings()
    edit = SetGroup(msgspec.structs.replace(group, min_count=1))
    outcome = search.outcome([edit], findings=findings)
    placed = [len(tried.placed) for tried in findings.tried] or [len(outcome.bound)]
    return max(placed) + len(search.case.placed)


def create_pods(search: Search, quorum: Quorum | None) -> Iterator[Found]:
    """Yield that the members that are missing be created.

    If that alone is not enough, it becomes part of whatever else is found.
    """
    case = search.case
    if quorum is None or not quorum.missing or quorum.reachable is False or not case.pods:
        return
    if case.group is None or case.group.is_composite:
        return
    clones = [_clone(case.pods[-1], number) for number in range(quorum.missing)]
    edits = [SetPod(pod) for pod in clones]
    text = f"create the {count_of(quorum.missing, 'member')} that are missing"
    if quorum.missing == 1:
        text = "create the member that is missing"
    yield from _alone_or_as_base(
        search, Change(kind="create-pods", size=quorum.missing, message=text), edits
    )


def _clone(pod: PodInfo, number: int) -> PodInfo:
    return msgspec.structs.replace(
        pod,
        uid=PodUid(f"{pod.uid}+{number}"),
        name=f"{pod.name}+{number}",
        node_name=NodeName(""),
        nominated_node_name=NodeName(""),
        terminating=False,
    )


def remove_gates(search: Search) -> Iterator[Found]:
    """Yield that scheduling gates be removed; likewise part of whatever else is found."""
    gated = [pod for pod in search.case.waiting if pod.scheduling_gates]
    if not gated:
        return
    edits = [SetPod(msgspec.structs.replace(pod, scheduling_gates=())) for pod in gated]
    names = ", ".join(dict.fromkeys(gate for pod in gated for gate in pod.scheduling_gates))
    text = f"remove the scheduling gates {names} from {count_of(len(gated), 'pod')}"
    yield from _alone_or_as_base(
        search, Change(kind="remove-gates", size=len(gated), message=text), edits
    )


def create_group(search: Search) -> Iterator[Found]:
    """Yield that the group's object be created, as a gang of those that exist."""
    case = search.case
    if case.group is not None or not isinstance(case.key, PodGroupKey) or not case.waiting:
        return
    if case.key.is_composite or "/" in case.key.name:
        return
    edit = SetGroup(_new_group(case.key, case.waiting[0], len(case.pods)))
    text = f"create PodGroup {case.key.name}, with a minCount of {len(case.pods)} at most"
    yield from _alone_or_as_base(search, Change(kind="create-group", size=1, message=text), [edit])


def _new_group(key: PodGroupKey, pod: PodInfo, members: int) -> PodGroupInfo:
    return PodGroupInfo(
        key=key,
        uid=f"new/{key}",
        resource_version="",
        created=pod.created,
        terminating=False,
        min_count=members,
        topology_key="",
        priority=pod.priority,
        preemption_policy=pod.preemption_policy,
        disruption_mode="single",
        parent="",
        initially_scheduled=None,
    )


def same_for_all(search: Search) -> Iterator[Found]:
    """Yield what makes the members say the same where the rules ask for it."""
    case = search.case
    names = Counter(pod.scheduler_name for pod in case.waiting)
    if len(names) > 1:
        name = names.most_common(1)[0][0]
        others = [pod for pod in case.waiting if pod.scheduler_name != name]
        edits: list[Edit] = [
            SetPod(msgspec.structs.replace(pod, scheduler_name=name)) for pod in others
        ]
        text = f"let {_named(others)} have schedulerName {name} like the others"
        change = Change(kind="same-scheduler", size=len(others), message=text)
        yield from _alone_or_as_base(search, change, edits)
    if case.group is None:
        return
    priority = case.group.priority
    unequal = [pod for pod in case.waiting if pod.priority != priority]
    if unequal:
        edits = [SetPod(msgspec.structs.replace(pod, priority=priority)) for pod in unequal]
        text = f"give {_named(unequal)} the group's priority {priority}"
        change = Change(kind="same-priority", size=len(unequal), message=text)
        yield from _alone_or_as_base(search, change, edits)


def reorder(search: Search) -> Iterator[Found]:
    """Yield that the pods be created in another order: the largest are hardest to place."""
    case = search.case
    sizes = {pod.requests for pod in case.waiting}
    if len(sizes) < 2 or case.group is None or case.group.is_composite:
        return
    ordered = sorted(case.waiting, key=lambda pod: pod.requests.items, reverse=True)
    start = min(pod.created for pod in ordered)
    edits = [
        SetPod(msgspec.structs.replace(pod, created=start + number * 1e-6))
        for number, pod in enumerate(ordered)
    ]
    if search.helps(edits):
        text = "create the pods anew, those that ask for most first"
        yield search.found(Change(kind="reorder", size=len(ordered), message=text), edits)


def _named(pods: list[PodInfo]) -> str:
    return f"pod {pods[0].name}" if len(pods) == 1 else f"{len(pods)} pods ({pods[0].name}, …)"


def _alone_or_as_base(search: Search, change: Change, edits: Sequence[Edit]) -> Iterator[Found]:
    if search.helps(edits):
        yield search.found(change, edits)
    else:
        search.build_on(change, edits)
