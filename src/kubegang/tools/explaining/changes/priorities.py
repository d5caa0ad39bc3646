"""From which priority on others would be evicted. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kubegang.tools.cluster.edits import Edit, SetGroup, SetPod
from kubegang.tools.explaining.changes.searching import Found, Search, least
from kubegang.tools.explaining.report import Change


def raise_priority(search: Search) -> Iterator[Found]:
    """Yield the lowest priority with which it starts, if need be by evicting others.

    Nothing where the next attempt evicts others as it is: that is told elsewhere.
    """
    case = search.case
    snapshot = case.stage.snapshot
    above = {
        priority + 1
        for entry in snapshot.placed_pods()
        if (priority := snapshot.priority_of(entry.pod)) >= case.priority
    }
    levels = [case.priority, *sorted(above)]
    steps = least(
        len(levels), lambda k: search.helps(_with_priority(search, levels[k - 1]), makes_room=True)
    )
    if steps is None or levels[steps - 1] == case.priority:
        return
    priority = levels[steps - 1]
    change = Change(
        kind="raise-priority",
        size=priority - case.priority,
        smallest=search.is_complete,
        message=f"raise the priority from {case.priority} to {priority}; others are evicted for it",
    )
    yield search.found(change, _with_priority(search, priority))


def _with_priority(search: Search, priority: int) -> list[Edit]:
    case = search.case
    edits: list[Edit] = [
        SetPod(msgspec.structs.replace(pod, priority=priority)) for pod in case.pods
    ]
    if case.group is not None:
        edits.append(SetGroup(msgspec.structs.replace(case.group, priority=priority)))
    return edits
