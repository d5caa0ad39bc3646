"""The vectorised, cached decisions are those of a naive scheduler that looks node by node."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.runtime.scoring import run_pre_score_plugins, run_score_plugins
from kubegang.testing.deciding import DecidingCore, bindings, default_profile
from tests.property.clusters import Scene, scenes
from tests.property.reference import ReferenceNode, message, reasons, totals

WEIGHTS = {plugin.name: plugin.weight for plugin in default_profile().plugins}


def reference(core: DecidingCore) -> list[ReferenceNode]:
    nodes = core.snapshot.nodes
    return [
        ReferenceNode(node, list(core.snapshot.pods_on(row)))
        for row, node in enumerate(nodes.infos)
    ]


def check(core: DecidingCore, pod: PodInfo) -> None:
    """Compare one decision with the reference, then count it as real."""
    entries = reference(core)
    feasible = [entry for entry in entries if not reasons(entry, pod)]
    decision = core.decide_pod(pod.name)
    if not feasible:
        want = message(entries, pod)
        assert decision.diagnosis.upstream_message.startswith(want)
    elif not pod.terminating:
        scores = totals(feasible, pod, cluster=entries)
        chosen = bindings(decision)[pod.name]
        assert scores[chosen] == max(scores.values())
        assert_scores(core, pod, scores)
    core.carry_out(decision)


def assert_scores(core: DecidingCore, pod: PodInfo, want: dict[str, int]) -> None:
    nodes = core.snapshot.nodes
    rows = np.array([row for row, name in enumerate(nodes.names) if name in want], dtype=np.intp)
    state = CycleState()
    run_pre_score_plugins(core.framework, state, pod=pod, cluster=core.snapshot, rows=rows)
    got = run_score_plugins(core.framework, state, pod=pod, cluster=core.snapshot, rows=rows)
    # A plugin that skips stands for one that gives all nodes the same.
    offsets = {int(score) - want[nodes.names[row]] for row, score in zip(rows, got, strict=True)}
    assert len(offsets) == 1


@settings(max_examples=60, deadline=None)
@given(scene=scenes(groups=False))
def test_one_pod_after_the_other_is_decided_as_the_reference_does(scene: Scene) -> None:
    core = DecidingCore(scene.nodes, scene.running, scene.waiting)
    for pod in list(core.waiting.values()):
        if not pod.terminating:
            check(core, pod)


@settings(max_examples=25, deadline=None)
@given(scene=scenes(groups=False))
def test_kept_scores_stay_true_while_the_cluster_changes(scene: Scene) -> None:
    core = DecidingCore(scene.nodes, scene.running)
    core.framework = Framework(core.framework.plugins, weights=WEIGHTS, keep_scores_from=1)
    for turn in range(3):
        for builder in scene.waiting:
            pod = builder.named(f"{builder.metadata.name}-{turn}")
            if pod.metadata.deletion_timestamp is None:
                core.add(pod)
                check(core, pod.info())
        for placed in list(core.snapshot.pods())[:2]:
            core.builder.remove_pod(placed.uid)
        core.builder.set_node(scene.nodes[0].label("turn", str(turn)).info())
