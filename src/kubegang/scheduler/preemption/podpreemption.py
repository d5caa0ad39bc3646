"""Preemption for one pod: node by node, as kube-scheduler does it.

The texts are those that users of kube-scheduler 1.37.2 see (measured). Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.fiterror import count_reasons, fit_error
from kubegang.scheduler.framework.interface import Refusal
from kubegang.scheduler.framework.nodetable import RowArray
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.postfilter import Eviction, Handle, PostFilterResult
from kubegang.scheduler.framework.status import SUCCESS, Code, Status, failure, unschedulable
from kubegang.scheduler.preemption.candidates import Candidate, CandidateSearch
from kubegang.scheduler.preemption.choosing import cheapest
from kubegang.scheduler.preemption.eligibility import awaits_victims

NEVER: Final = "not eligible due to preemptionPolicy=Never."
_AWAITS: Final = "not eligible due to a terminating pod on the nominated node."
_NOT_HELPFUL: Final = "Preemption is not helpful for scheduling"


class SearchLimits(msgspec.Struct, frozen=True):
    """How many candidates a search for one pod ends with.

    Attributes:
        percentage: of the nodes that may be candidates.
        absolute: so many at least.
    """

    percentage: int = 10
    absolute: int = 100

    def wanted(self, nodes: int) -> int:
        """Return the number of candidates for so many nodes."""
        return min(max(nodes * self.percentage // 100, self.absolute), nodes)


def preempt_for_pod(
    handle: Handle,
    state: CycleState,
    pod: PodInfo,
    *,
    refusals: Sequence[Refusal],
    limits: SearchLimits,
    by_group: bool,
) -> PostFilterResult:
    """Return where room can be made for a pod and who must go, or why nowhere.

    Args:
        handle: the cluster and the filters.
        state: of the pod's attempt.
        pod: found no node.
        refusals: why; they name every node once.
        limits: how far to search.
        by_group: whether pod groups matter to a single pod's preemption.
    """
    if pod.preemption_policy == "Never":
        return PostFilterResult(unschedulable(NEVER))
    cluster = handle.cluster
    # A node that is out of the question otherwise is not worth waiting for.
    answer = _code_of(cluster.nodes.row(pod.nominated_node_name), refusals)
    if answer is not Code.UNRESOLVABLE and awaits_victims(
        cluster, pod.nominated_node_name, priority=pod.priority, by_group=by_group
    ):
        return PostFilterResult(unschedulable(_AWAITS))
    search = CandidateSearch(handle, state, pod, by_group=by_group)
    candidates = _find(search, handle, refusals, limits)
    if not candidates:
        return _nobody_helps(search.refusals, cluster.nodes.size)
    return _make_room(handle, pod, cheapest(candidates))


def _find(
    search: CandidateSearch, handle: Handle, refusals: Sequence[Refusal], limits: SearchLimits
) -> list[Candidate]:
    rows = _curable(handle.cluster.nodes.scan_order, refusals)
    if not len(rows):
        return []
    offset = handle.rng.randrange(len(rows))
    return search.find(np.roll(rows, -offset), wanted=limits.wanted(len(rows)))


def _curable(scan_order: RowArray, refusals: Sequence[Refusal]) -> RowArray:
    """Return the nodes where evictions may help, in the order in which nodes are looked at."""
    curable = np.zeros(len(scan_order), dtype=np.bool_)
    for refusal in refusals:
        curable[refusal.rows] = refusal.status.code is Code.UNSCHEDULABLE
    rows: RowArray = scan_order[curable[scan_order]]
    return rows


def _code_of(row: int | None, refusals: Sequence[Refusal]) -> Code | None:
    if row is None:
        return None
    return next((r.status.code for r in refusals if row in r.rows), None)


def _nobody_helps(refusals: Sequence[Refusal], nodes: int) -> PostFilterResult:
    errors = [refusal.status for refusal in refusals if refusal.status.is_error]
    if errors:
        return PostFilterResult(_aggregate(errors))
    counts: Counter[str] = count_reasons(refusals)
    looked_at = sum(len(refusal.rows) for refusal in refusals)
    if looked_at < nodes:
        counts[_NOT_HELPFUL] = nodes - looked_at
    return PostFilterResult(unschedulable(fit_error(nodes, counts)), NodeName(""))


def _aggregate(errors: Sequence[Status]) -> Status:
    texts = list(dict.fromkeys(error.as_error for error in errors))
    return failure(texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")


def _make_room(handle: Handle, pod: PodInfo, candidate: Candidate) -> PostFilterResult:
    name = handle.cluster.nodes.names[candidate.row]
    victims = candidate.victims
    text = f"found a potential placement for pod on node {name}, preempting {len(victims)} victims"
    eviction = Eviction(
        victims, sum(unit.is_group for unit in candidate.units), candidate.violations
    )
    return PostFilterResult(
        Status(SUCCESS.code, (text,)), name, eviction, _displaced(handle, pod, candidate)
    )


def _displaced(handle: Handle, pod: PodInfo, candidate: Candidate) -> tuple[PodInfo, ...]:
    """Return weaker pods that were promised the same node, and had better look elsewhere."""
    if all(victim.terminating for victim in candidate.victims):
        # Nothing is begun that they might stand in the way of (as upstream has it).
        return ()
    return tuple(
        other
        for other in handle.cluster.nominated_on(candidate.row)
        if other.priority < pod.priority
    )
