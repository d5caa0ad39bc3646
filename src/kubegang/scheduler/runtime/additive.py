"""Pods for which siblings on a node are no more than what they ask for.

For most pods the plugins look at Node objects and at sums of requests only. Then what they
would say beside siblings can be worked out for all nodes at once, before anybody is placed.
Here it is found out whether that holds for a pod, and asked. Pure.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.extendedresources import needs_devices
from kubegang.scheduler.framework.interface import Plugin, PreFilterPlugin
from kubegang.scheduler.framework.nodetable import ALL_ROWS, BoolArray, IntArray, RowArray
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.runtime.filtering import run_filter_plugins
from kubegang.scheduler.runtime.framework import Framework, WeighedScore
from kubegang.scheduler.runtime.scoring import (
    ScoreParts,
    require_range,
    run_pre_score_plugins,
)


class AdditiveParts(NamedTuple):
    """How nodes are judged for such a pod.

    Attributes:
        by_sums: scores that follow the sums of requests.
        by_nodes: scores that Node objects decide, and for some which of them are feasible.
        unsure_filters: plugins that had nothing to say and must be asked again.
        unsure_scores: the same for scores.
    """

    by_sums: tuple[WeighedScore, ...]
    by_nodes: tuple[WeighedScore, ...]
    unsure_filters: tuple[PreFilterPlugin, ...]
    unsure_scores: tuple[WeighedScore, ...]

    @property
    def is_unsure(self) -> bool:
        """Whether some plugins must be asked again for each pod."""
        return bool(self.unsure_filters or self.unsure_scores)


def is_additive(plugin: Plugin) -> bool:
    """Return whether pods are no more than their requests to a plugin."""
    return bool(getattr(plugin, "ADDITIVE", False))


def additive_parts(
    framework: Framework,
    state: CycleState,
    *,
    pod: PodInfo,
    cluster: ClusterView,
    rows: RowArray,
) -> AdditiveParts | None:
    """Return how nodes are judged for a pod; ``None`` if more than sums may matter.

    Args:
        framework: the plugins.
        state: of an attempt at the pod, after ``pre_filter``; ``pre_score`` is run on it.
        pod: any of those that are alike.
        cluster: as it is.
        rows: some nodes.
    """
    if pod.host_ports or pod.pod_affinity is not None or pod.spread:
        return None
    if pod.volumes or pod.has_claims or pod.nominated_node_name:
        return None
    if needs_devices(pod.extended_requests, cluster.devices):
        return None
    if not _filters_add_up(framework, state.skip_filter):
        return None
    status = run_pre_score_plugins(framework, state, pod=pod, cluster=cluster, rows=rows)
    if not status.is_success:
        return None
    by_sums: list[WeighedScore] = []
    by_nodes: list[WeighedScore] = []
    for score in framework.scores:
        if score.plugin.NAME in state.skip_score:
            continue
        if score.local is not None and is_additive(score.plugin) and score.normalizer is None:
            by_sums.append(score)
        elif getattr(score.plugin, "SCORES_NODES_ONLY", False):
            by_nodes.append(score)
        else:
            return None
    return AdditiveParts(
        tuple(by_sums),
        tuple(by_nodes),
        tuple(p for p in framework.pre_filter_plugins if not is_additive(p)),
        tuple(s for s in framework.scores if s.pre_score and not is_additive(s.plugin)),
    )


def _filters_add_up(framework: Framework, skipped: Collection[str]) -> bool:
    asked = (*framework.row_filter_plugins, *framework.node_filter_plugins)
    return all(is_additive(plugin) for plugin in asked if plugin.NAME not in skipped)


def still_additive(
    parts: AdditiveParts,
    state: CycleState,
    *,
    pod: PodInfo,
    cluster: ClusterView,
    rows: RowArray,
) -> bool:
    """Return whether plugins that promise nothing still have nothing to say about the pod.

    Args:
        parts: found earlier.
        state: as it was left then.
        pod: one like that of then.
        cluster: as it is now.
        rows: some nodes.
    """
    for plugin in parts.unsure_filters:
        status, only = plugin.pre_filter(state, pod, cluster=cluster)
        skips = plugin.NAME in state.skip_filter
        if status.is_skip is not skips or not (skips or status.is_success) or only is not None:
            return False
    for score in parts.unsure_scores:
        if score.pre_score is None:
            continue
        status = score.pre_score.pre_score(state, pod, cluster=cluster, rows=rows)
        skips = score.plugin.NAME in state.skip_score
        if status.is_skip is not skips or not (skips or status.is_success):
            return False
    return True


def judge_by_sums(
    framework: Framework,
    parts: AdditiveParts,
    state: CycleState,
    *,
    pod: PodInfo,
    cluster: ClusterView,
    rows: RowArray | None,
) -> tuple[BoolArray, IntArray]:
    """Return whether nodes pass, and the part of their score that follows sums.

    Args:
        framework: the plugins.
        parts: which of them count.
        state: of an attempt at the pod.
        pod: any of those that are alike.
        cluster: nodes with the sums that are to count.
        rows: the nodes; ``None`` for all.
    """
    passed = run_filter_plugins(
        framework, state, pod=pod, cluster=cluster, rows=ALL_ROWS if rows is None else rows
    )
    scored = np.arange(cluster.nodes.size, dtype=np.intp) if rows is None else rows
    total = np.zeros(len(scored), dtype=np.int64)
    for score in parts.by_sums:
        raw = score.plugin.score(state, pod, cluster=cluster, rows=scored)
        require_range(score.plugin.NAME, raw[passed])
        total += raw if score.weight == 1 else raw * score.weight
    return passed, total


def score_by_nodes(
    parts: AdditiveParts, state: CycleState, *, pod: PodInfo, cluster: ClusterView
) -> ScoreParts:
    """Return, for all nodes, the scores that Node objects decide.

    Args:
        parts: which plugins count.
        state: of an attempt at the pod.
        pod: any of those that are alike.
        cluster: the nodes.
    """
    rows = np.arange(cluster.nodes.size, dtype=np.intp)
    plain = np.zeros(len(rows), dtype=np.int64)
    compared: dict[str, IntArray] = {}
    for score in parts.by_nodes:
        raw = score.plugin.score(state, pod, cluster=cluster, rows=rows)
        if score.normalizer is not None:
            compared[score.plugin.NAME] = raw
        else:
            require_range(score.plugin.NAME, raw)
            plain += raw * score.weight
    return ScoreParts(plain, compared)
