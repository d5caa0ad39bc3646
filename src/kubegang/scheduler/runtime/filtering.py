"""Which nodes a pod may go to; and, for those that want to know, why not the others.

The mask for all nodes is made on every attempt. Reasons are worked out only when nothing
fits and a diagnosis is wanted. Pure.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import NodeFilterPlugin, Refusal
from kubegang.scheduler.framework.nodetable import BoolArray, NodeTable, RowArray, Rows
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.status import (
    SUCCESS,
    Code,
    Status,
    failure,
    unresolvable,
)
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.runtime.metering import measured


class PreFilterOutcome(NamedTuple):
    """What all ``pre_filter`` answers come to.

    Attributes:
        status: success, or the refusal of the whole pod.
        node_names: the only nodes worth looking at, or ``None`` for all.
        narrowed_by: plugins that narrowed the nodes, sorted.
    """

    status: Status
    node_names: frozenset[NodeName] | None = None
    narrowed_by: tuple[str, ...] = ()

    def left(self, order: RowArray, nodes: NodeTable) -> BoolArray:
        """Return which of some rows are worth looking at."""
        if self.node_names is None:
            return np.ones(len(order), dtype=np.bool_)
        rows = [row for row in map(nodes.row, sorted(self.node_names)) if row is not None]
        left: BoolArray = np.isin(order, np.array(rows, dtype=np.intp))
        return left


@measured("PreFilter")
def run_pre_filter_plugins(
    framework: Framework, state: CycleState, *, pod: PodInfo, cluster: ClusterView
) -> PreFilterOutcome:
    """Ask all plugins about the pod itself, and intersect the nodes they leave.

    A refusal that preemption may cure does not end the round, since preemption will need
    what the other plugins prepare; any other refusal does.
    """
    names: frozenset[NodeName] | None = None
    narrowed_by: set[str] = set()
    refused: Status | None = None
    for plugin in framework.pre_filter_plugins:
        status, only = plugin.pre_filter(state, pod, cluster=cluster)
        if status.is_skip:
            state.skip_filter.add(plugin.NAME)
            continue
        if status.code is Code.UNSCHEDULABLE:
            refused = status.by(plugin.NAME)
            continue
        if not status.is_success:
            return PreFilterOutcome(_ended_by(plugin.NAME, status))
        if only is None:
            continue
        narrowed_by.add(plugin.NAME)
        names = only if names is None else names & only
        if not names:
            return _nothing_left(tuple(sorted(narrowed_by)))
    return PreFilterOutcome(refused or SUCCESS, names, tuple(sorted(narrowed_by)))


def _ended_by(name: str, status: Status) -> Status:
    if status.is_rejected:
        return status.by(name)
    return failure(f'running PreFilter plugin "{name}": {status.as_error}').by(name)


def _nothing_left(narrowed_by: tuple[str, ...]) -> PreFilterOutcome:
    if len(narrowed_by) == 1:
        text = f"node(s) didn't satisfy plugin {narrowed_by[0]}"
    else:
        text = f"node(s) didn't satisfy plugin(s) {go_list(narrowed_by)} simultaneously"
    return PreFilterOutcome(unresolvable(text), frozenset(), narrowed_by)


def go_list(words: tuple[str, ...]) -> str:
    """Return words as kube-scheduler prints a list: ``[a b]``."""
    return f"[{' '.join(words)}]"


@measured("Filter")
def run_filter_plugins(
    framework: Framework,
    state: CycleState,
    *,
    pod: PodInfo,
    cluster: ClusterView,
    rows: Rows,
    own_node_only: bool = False,
) -> BoolArray:
    """Return, in the order of ``rows``, whether the plugins let the pod onto each node."""
    skipped = framework.skipped_filters(state, own_node_only=own_node_only)
    passed: BoolArray = framework.masks.mask(state, pod, cluster=cluster)[rows]
    for plugin in framework.row_filter_plugins:
        if plugin.NAME not in skipped:
            passed = passed & plugin.filter(state, pod, cluster=cluster, rows=rows)
    for node_plugin in framework.node_filter_plugins:
        if node_plugin.NAME not in skipped:
            passed = _ask_node_by_node(
                node_plugin, state, pod=pod, cluster=cluster, rows=rows, so_far=passed
            )
    return passed


def _ask_node_by_node(
    plugin: NodeFilterPlugin,
    state: CycleState,
    *,
    pod: PodInfo,
    cluster: ClusterView,
    rows: Rows,
    so_far: BoolArray,
) -> BoolArray:
    table_rows = np.arange(cluster.nodes.size, dtype=np.intp)[rows]
    passed = so_far.copy()
    for position in np.flatnonzero(so_far):
        row = int(table_rows[position])
        passed[position] = plugin.filter_node(state, pod, cluster=cluster, row=row).is_success
    return passed


def explain_refusals(
    framework: Framework,
    state: CycleState,
    *,
    pod: PodInfo,
    cluster: ClusterView,
    rows: RowArray,
    own_node_only: bool = False,
) -> list[Refusal]:
    """Return why each of ``rows`` is refused: the first plugin that refuses it says so.

    Rows that no plugin refuses do not occur in the answer.
    """
    refusals: list[Refusal] = []
    left = rows
    skipped = framework.skipped_filters(state, own_node_only=own_node_only)
    for kind in framework.filters:
        if kind.name in skipped or not len(left):
            continue
        if kind.by_node is not None:
            left = _explain_node_by_node(
                kind.by_node, state, pod=pod, cluster=cluster, rows=left, refusals=refusals
            )
        elif kind.by_rows is not None:
            if kind.static is not None:
                mask = framework.masks.mask_of(kind.static, state, pod=pod, cluster=cluster)
                passed = mask[left]
            else:
                passed = kind.by_rows.filter(state, pod, cluster=cluster, rows=left)
            refused = left[~passed]
            if len(refused):
                said = kind.by_rows.refusals(state, pod, cluster=cluster, rows=refused)
                refusals.extend(Refusal(r.rows, r.status.by(kind.name)) for r in said)
            left = left[passed]
    return refusals


def _explain_node_by_node(
    plugin: NodeFilterPlugin,
    state: CycleState,
    *,
    pod: PodInfo,
    cluster: ClusterView,
    rows: RowArray,
    refusals: list[Refusal],
) -> RowArray:
    by_status: dict[Status, list[int]] = {}
    passed: list[int] = []
    for row in rows.tolist():
        status = plugin.filter_node(state, pod, cluster=cluster, row=row)
        if status.is_success:
            passed.append(row)
        else:
            by_status.setdefault(status.by(plugin.NAME), []).append(row)
    refusals.extend(
        Refusal(np.array(refused, dtype=np.intp), status) for status, refused in by_status.items()
    )
    return np.array(passed, dtype=np.intp)
