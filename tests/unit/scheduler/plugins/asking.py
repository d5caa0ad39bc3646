"""Asking one plugin about a small cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kubegang.base.feature_gates import FeatureGates
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import (
    FilterPlugin,
    NormalizeScorePlugin,
    PluginContext,
    PreFilterPlugin,
    PreScorePlugin,
    ScorePlugin,
)
from kubegang.scheduler.framework.status import Code
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.testing.builders import PodBuilder

ALL_OFF = FeatureGates({})


def context(args: Mapping[str, Any] | None = None, **gates: bool) -> PluginContext:
    """Return what a plugin is made from."""
    return PluginContext(gates=FeatureGates(gates), args=args or {})


def refused(plugin: FilterPlugin, snapshot: Snapshot, pod: PodBuilder) -> dict[str, str]:
    """Return node → reasons of the nodes that a plugin refuses; ``!`` marks unresolvable."""
    state, info = CycleState(), pod.info()
    if isinstance(plugin, PreFilterPlugin):
        status, _ = plugin.pre_filter(state, info, cluster=snapshot)
        if status.is_skip:
            return {}
    rows = np.arange(snapshot.nodes.size, dtype=np.intp)
    passed = plugin.filter(state, info, cluster=snapshot, rows=rows)
    in_full = plugin.filter(state, info, cluster=snapshot, rows=slice(None))
    assert passed.tolist() == in_full.tolist(), "rows and a slice must give the same"
    answers = plugin.refusals(state, info, cluster=snapshot, rows=rows[~passed])
    said = {
        snapshot.nodes.names[row]: ("!" if answer.status.code is Code.UNRESOLVABLE else "")
        + answer.status.message
        for answer in answers
        for row in answer.rows.tolist()
    }
    assert len(said) == int((~passed).sum()), "each refused node must have one answer"
    return said


def scored(plugin: ScorePlugin, snapshot: Snapshot, pod: PodBuilder) -> list[int] | None:
    """Return a plugin's scores of all nodes, normalised; ``None`` if it skips."""
    state, info = CycleState(), pod.info()
    rows = np.arange(snapshot.nodes.size, dtype=np.intp)
    if (
        isinstance(plugin, PreScorePlugin)
        and plugin.pre_score(state, info, cluster=snapshot, rows=rows).is_skip
    ):
        return None
    scores = plugin.score(state, info, cluster=snapshot, rows=rows)
    if isinstance(plugin, NormalizeScorePlugin):
        scores = plugin.normalize_score(state, info, scores=scores)
    return [int(score) for score in scores]
