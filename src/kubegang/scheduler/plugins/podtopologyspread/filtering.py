"""Which nodes keep the hard constraints, and which constraint the others break first.

A node keeps a constraint if its domain, with the pod added, has at most ``maxSkew`` matching
pods more than the emptiest domain. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kubegang.scheduler.framework.domains import NO_DOMAIN, NOT_COUNTED
from kubegang.scheduler.framework.interface import Refusal
from kubegang.scheduler.framework.labelselection import selects
from kubegang.scheduler.framework.nodetable import BoolArray, NodeTable, RowArray, Rows
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import unresolvable, unschedulable
from kubegang.scheduler.plugins.podtopologyspread.counting import CountedConstraint

_TEXT: Final = "node(s) didn't match pod topology spread constraints"
_TOO_UNEVEN: Final = unschedulable(_TEXT)
_NO_LABEL: Final = unresolvable(f"{_TEXT} (missing required label)")


def nodes_within_skew(
    table: NodeTable, counted: Sequence[CountedConstraint], pod: PodInfo, *, rows: Rows
) -> BoolArray:
    """Return, in the order of ``rows``, whether each node keeps all constraints."""
    passed = np.ones(table.size, dtype=np.bool_)[rows]
    for entry in counted:
        passed &= _domains_within_skew(entry, pod)[entry.domains.ids[rows]]
    return passed


def first_broken(
    counted: Sequence[CountedConstraint], pod: PodInfo, *, rows: RowArray
) -> list[Refusal]:
    """Return why each of ``rows``, all of which break a constraint, is refused.

    The first constraint that a node breaks says so: a missing label cannot be cured by
    evicting pods, a full domain can.
    """
    refusals: list[Refusal] = []
    left = rows
    for entry in counted:
        ids = entry.domains.ids[left]
        unlabelled = ids == NO_DOMAIN
        uneven = ~_domains_within_skew(entry, pod)[ids] & ~unlabelled
        refusals += [Refusal(left[unlabelled], _NO_LABEL), Refusal(left[uneven], _TOO_UNEVEN)]
        left = left[~(unlabelled | uneven)]
    return [refusal for refusal in refusals if len(refusal.rows)]


def _domains_within_skew(entry: CountedConstraint, pod: PodInfo) -> BoolArray:
    """Return for each domain whether the pod may join it; nodes without one never pass."""
    constraint, domains, pods = entry
    sums = pods.over(domains)
    fewest = 0
    # Too few domains count as if one of them were empty.
    if len(domains.present) >= max(constraint.min_domains, 1):
        fewest = int(sums[domains.present].min())
    itself = selects(constraint.selector, pod.labels)
    within: BoolArray = sums <= constraint.max_skew + fewest - itself
    within[NO_DOMAIN] = within[NOT_COUNTED] = False
    return within
