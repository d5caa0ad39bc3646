"""Filtering beside pods to which a node is promised.

Preemption makes room for somebody, and until that pod is placed nobody of the same or a lower
priority may take the room. So a node must let a pod in both as it is and as it will be with
the promised pods on it (kube-scheduler's two passes). Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial

import numpy as np

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import Refusal
from kubegang.scheduler.framework.nodetable import ALL_ROWS, BoolArray, RowArray, Rows
from kubegang.scheduler.framework.pods import PodInfo, PodUid
from kubegang.scheduler.runtime.filtering import explain_refusals, run_filter_plugins
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.scheduler.snapshot.trial import Trial

_Claims = Mapping[int, Collection[PodInfo]]


def filter_beside_nominated(
    framework: Framework,
    state: CycleState,
    *,
    pod: PodInfo,
    snapshot: Snapshot,
    rows: Rows,
    deciding: Collection[PodUid],
    own_node_only: bool = False,
) -> BoolArray:
    """Return, in the order of ``rows``, whether the pod may go to each node.

    Args:
        framework: the plugins.
        state: of the pod's attempt.
        pod: counted nowhere.
        snapshot: the cluster.
        rows: to be looked at.
        deciding: the pods that are being decided about; what is promised to them is theirs.
        own_node_only: ask only filters that never look at other nodes.
    """
    ask = partial(
        run_filter_plugins,
        framework,
        state,
        pod=pod,
        cluster=snapshot,
        own_node_only=own_node_only,
    )
    passed = ask(rows=rows)
    claims = _claims(snapshot, pod, deciding, rows=rows)
    if not claims:
        return passed
    table_rows = np.arange(snapshot.nodes.size, dtype=np.intp)[rows]
    passed = passed.copy()
    claimed = np.flatnonzero(passed & _is_claimed(snapshot, claims)[rows])
    for batch in _batches(claimed, together=own_node_only or framework.is_local(state)):
        with Trial(snapshot) as trial:
            _place_claims(trial, claims, snapshot=snapshot, rows=table_rows[batch])
            passed[batch] = ask(rows=table_rows[batch])
    return passed


def explain_beside_nominated(
    framework: Framework,
    state: CycleState,
    *,
    pod: PodInfo,
    snapshot: Snapshot,
    rows: RowArray,
    deciding: Collection[PodUid],
    own_node_only: bool = False,
) -> list[Refusal]:
    """Return why each of ``rows`` is refused; those that are not do not occur.

    Where it is the promised pods that leave no room, what they leave is what is told.
    """
    ask = partial(
        explain_refusals,
        framework,
        state,
        pod=pod,
        cluster=snapshot,
        own_node_only=own_node_only,
    )
    claims = _claims(snapshot, pod, deciding, rows=rows)
    refusals: list[Refusal] = []
    if claims:
        claimed = rows[_is_claimed(snapshot, claims)[rows]]
        for batch in _batches(claimed, together=own_node_only or framework.is_local(state)):
            with Trial(snapshot) as trial:
                _place_claims(trial, claims, snapshot=snapshot, rows=batch)
                refusals += ask(rows=batch)
    explained = [refusal.rows for refusal in refusals]
    left = rows[~np.isin(rows, np.concatenate(explained))] if explained else rows
    return refusals + ask(rows=left)


def leaves_room(snapshot: Snapshot, pod: PodInfo, deciding: Collection[PodUid]) -> bool:
    """Return whether there are nodes where a pod must leave the room that others were promised."""
    return bool(_claims(snapshot, pod, deciding, rows=ALL_ROWS))


def _claims(
    snapshot: Snapshot, pod: PodInfo, deciding: Collection[PodUid], *, rows: Rows
) -> _Claims:
    """Return, per row, the pods to which ``pod`` must leave the room that they were promised.

    Rows that are not asked for may be among them.
    """
    claims: dict[int, list[PodInfo]] = {}
    promised = snapshot.nominations.nodes()
    if not isinstance(rows, slice) and len(rows) < len(promised):
        promised = [snapshot.nodes.names[row] for row in rows.tolist()]
    for node in promised:
        row = snapshot.nodes.row(node)
        stronger = [
            other
            for other in snapshot.nominations.on(node)
            if other.priority >= pod.priority and other.uid not in deciding
        ]
        if row is not None and stronger:
            claims[row] = stronger
    return claims


def _is_claimed(snapshot: Snapshot, claims: _Claims) -> BoolArray:
    claimed = np.zeros(snapshot.nodes.size, dtype=np.bool_)
    claimed[list(claims)] = True
    return claimed


def _batches(rows: RowArray, *, together: bool) -> Iterator[RowArray]:
    """Yield rows that can be looked at side by side."""
    size = len(rows) if together else 1
    for start in range(0, len(rows), max(size, 1)):
        yield rows[start : start + size]


def _place_claims(trial: Trial, claims: _Claims, *, snapshot: Snapshot, rows: RowArray) -> None:
    for row in rows.tolist():
        for pod in claims[row]:
            trial.place(pod, snapshot.nodes.names[row])
