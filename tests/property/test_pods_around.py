"""Affinity and spreading, counted incrementally, decide as a naive look at every pod does."""

from __future__ import annotations

from collections import Counter

import msgspec
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.api.core.types import Node, Pod
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import NodeName, PodUid
from kubegang.scheduler.framework.workloads import NamespaceInfo, ServiceInfo
from kubegang.scheduler.runtime.scoring import run_pre_score_plugins, run_score_plugins
from kubegang.scheduler.snapshot.trial import Trial
from kubegang.scheduler.snapshot.validation import validate_snapshot
from kubegang.testing.builders import PodBuilder
from kubegang.testing.deciding import DecidingCore, bindings, default_profile
from tests.property.podterms_reference import (
    World,
    affinity_reason,
    affinity_scores,
    spread_reason,
    spread_scores,
)
from tests.property.podterms_scenes import NAMESPACES, Neighbourhood, neighbourhoods, pods

ASKED = ("PrioritySort", "PodTopologySpread", "InterPodAffinity")


class Comparison:
    """The core with these two plugins alone, and the same cluster as the reference sees it."""

    def __init__(self, scene: Neighbourhood) -> None:
        plugins = tuple(p for p in default_profile().plugins if p.name in ASKED)
        self.core = DecidingCore(
            scene.nodes, profile=msgspec.structs.replace(default_profile(), plugins=plugins)
        )
        for name, labels in NAMESPACES.items():
            self.core.builder.set_namespace(NamespaceInfo(name, labels))
        for index, (namespace, selects) in enumerate(scene.services):
            self.core.builder.set_service(ServiceInfo(namespace, f"s{index}", selects))
        self.services = scene.services
        self.nodes = {node.metadata.name: node.obj() for node in scene.nodes}
        self.running: dict[str, tuple[Pod, str]] = {}
        for pod, node_name in scene.running:
            self.run(pod, node_name)

    def run(self, pod: PodBuilder, node: str) -> None:
        self.core.add(pod.on(node))
        self.running[pod.metadata.name] = (pod.obj(), node)

    def stop(self, name: str) -> None:
        self.core.builder.remove_pod(PodUid(f"uid-{name}"))
        del self.running[name]

    def world(self) -> World:
        return World(
            list(self.nodes.values()), list(self.running.values()), NAMESPACES, self.services
        )

    def check(self, pod: PodBuilder) -> None:
        """Compare one decision, then count it as real."""
        self.core.add(pod)
        decision = self.core.decide_pod(pod.metadata.name)
        world, obj = self.world(), pod.obj()
        reasons = [
            spread_reason(world, obj, node) or affinity_reason(world, obj, node)
            for node in world.nodes
        ]
        feasible = [
            node for node, reason in zip(world.nodes, reasons, strict=True) if reason is None
        ]
        if not feasible:
            words = sorted(f"{count} {reason}" for reason, count in Counter(reasons).items())
            want = f"0/{len(reasons)} nodes are available: {', '.join(words)}."
            assert decision.diagnosis.upstream_message.strip() == want
            del self.core.waiting[pod.metadata.name]
            return
        scores = {
            node.metadata.name: 2 * spread + 2 * near
            for node, spread, near in zip(
                feasible,
                spread_scores(world, obj, feasible),
                affinity_scores(world, obj, feasible),
                strict=True,
            )
        }
        chosen = bindings(decision)[pod.metadata.name]
        assert scores[chosen] == max(scores.values())
        if len(feasible) > 1:
            assert self.scores_of(pod, feasible) == scores
        self.core.carry_out(decision)
        self.running[pod.metadata.name] = (obj, chosen)

    def scores_of(self, pod: PodBuilder, feasible: list[Node]) -> dict[str, int]:
        cluster, info = self.core.snapshot, pod.info()
        names = [NodeName(node.metadata.name) for node in feasible]
        rows = np.array([cluster.nodes.row(name) for name in names], dtype=np.intp)
        state = CycleState()
        run_pre_score_plugins(self.core.framework, state, pod=info, cluster=cluster, rows=rows)
        totals = run_score_plugins(self.core.framework, state, pod=info, cluster=cluster, rows=rows)
        return dict(zip(names, totals.tolist(), strict=True))


@settings(max_examples=150, deadline=None)
@given(scene=neighbourhoods())
def test_one_pod_after_the_other_is_decided_as_the_reference_does(scene: Neighbourhood) -> None:
    comparison = Comparison(scene)
    for pod in scene.waiting:
        comparison.check(pod)
    validate_snapshot(comparison.core.snapshot)


@settings(max_examples=60, deadline=None)
@given(scene=neighbourhoods(), data=st.data())
def test_counts_stay_true_while_the_cluster_changes(
    scene: Neighbourhood, data: st.DataObject
) -> None:
    comparison = Comparison(scene)
    for turn in range(3):
        for pod in scene.waiting:
            comparison.check(pod.named(f"{pod.metadata.name}-{turn}"))
        for name in list(comparison.running)[: data.draw(st.integers(0, 2))]:
            comparison.stop(name)
        node = data.draw(st.sampled_from(scene.nodes))
        if data.draw(st.booleans()):
            changed = node.rack(f"r{turn}")
            comparison.core.add(changed)
            comparison.nodes[node.metadata.name] = changed.obj()
        elif node.metadata.name in comparison.nodes and len(comparison.nodes) > 1:
            comparison.core.builder.remove_node(NodeName(node.metadata.name))
            del comparison.nodes[node.metadata.name]


@settings(max_examples=60, deadline=None)
@given(scene=neighbourhoods(), data=st.data())
def test_a_trial_changes_the_counts_and_leaves_no_trace(
    scene: Neighbourhood, data: st.DataObject
) -> None:
    comparison = Comparison(scene)
    snapshot = comparison.core.snapshot
    for pod in scene.waiting:
        comparison.check(pod)
    before = snapshot.counts.picture()
    with Trial(snapshot) as trial:
        for index in range(data.draw(st.integers(1, 5))):
            placed = list(snapshot.pods())
            evicts: bool = data.draw(st.booleans())
            if placed and evicts:
                trial.evict(data.draw(st.sampled_from(placed)))
            else:
                name = data.draw(st.sampled_from(snapshot.nodes.names))
                trial.place(data.draw(pods(name=f"t{index}")).info(), name)
            validate_snapshot(snapshot)
    assert snapshot.counts.picture() == before
