"""What our plugins make of every node, to hold a real choice against."""

from __future__ import annotations

import numpy as np

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.nodetable import ALL_ROWS
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.runtime.filtering import run_filter_plugins, run_pre_filter_plugins
from kubegang.scheduler.runtime.scoring import run_pre_score_plugins, run_score_plugins
from kubegang.testing.deciding import DecidingCore


def our_scores(core: DecidingCore, pod: PodInfo) -> dict[str, int]:
    """Return our total score of every node that may be chosen."""
    cluster, framework, state = core.snapshot, core.framework, CycleState()
    outcome = run_pre_filter_plugins(framework, state, pod=pod, cluster=cluster)
    if not outcome.status.is_success:
        return {}
    passed = run_filter_plugins(framework, state, pod=pod, cluster=cluster, rows=ALL_ROWS)
    rows = np.flatnonzero(passed)
    if not len(rows):
        return {}
    run_pre_score_plugins(framework, state, pod=pod, cluster=cluster, rows=rows)
    totals = run_score_plugins(framework, state, pod=pod, cluster=cluster, rows=rows)
    names = [cluster.nodes.names[row] for row in rows.tolist()]
    return dict(zip(names, totals.tolist(), strict=True))
