"""All kinds of change in turn: what is easiest to do, and disturbs nobody, comes first. Pure."""

from __future__ import annotations

from kubegang.tools.explaining.case import Case
from kubegang.tools.explaining.changes.constraints import (
    relax,
    remove_taint,
    tolerate_taint,
    uncordon,
)
from kubegang.tools.explaining.changes.freeing import free
from kubegang.tools.explaining.changes.growing import add_nodes
from kubegang.tools.explaining.changes.members import (
    create_group,
    create_pods,
    lower_min_count,
    remove_gates,
    reorder,
    same_for_all,
)
from kubegang.tools.explaining.changes.moving import move_pods
from kubegang.tools.explaining.changes.priorities import raise_priority
from kubegang.tools.explaining.changes.searching import Found, Search
from kubegang.tools.explaining.report import Quorum


def changes_of(case: Case, quorum: Quorum | None) -> list[Found]:
    """Return for each kind of change the smallest that makes it start, as far as one does."""
    search = Search(case)
    found = [
        *create_group(search),
        *same_for_all(search),
        *remove_gates(search),
        *create_pods(search, quorum),
    ]
    if quorum is not None and quorum.reachable is False:
        # Nothing helps a group that never has enough members, except asking for fewer.
        return [*found, *lower_min_count(search)]
    if found and not search.base:
        return found
    for kind in (
        uncordon,
        remove_taint,
        tolerate_taint,
        free,
        move_pods,
        lower_min_count,
        reorder,
        relax,
        raise_priority,
        add_nodes,
    ):
        found += kind(search)
    return found
