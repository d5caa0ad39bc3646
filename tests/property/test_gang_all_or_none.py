"""Invariant i: a decision binds no member of a gang, or enough to reach its minimum."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.scheduler.cycle.decision import (
    BindPod,
    FailPod,
    Instruction,
    SetPodGroupCondition,
    SkipPod,
)
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.testing.deciding import DecidingCore, default_profile, nominations, victims
from tests.property.clusters import Scene, scenes, unequal_scenes

GATES_OF_1_36 = [
    "",
    "WorkloadAwarePreemption=false",
    "WorkloadAwarePreemption=false,TopologyAwareWorkloadScheduling=false",
]
GATES = ["", "TopologyAwareWorkloadScheduling=false,CompositePodGroup=false"]


@settings(max_examples=120, deadline=None)
@given(scene=st.one_of(scenes(), unequal_scenes()), gates=st.sampled_from(GATES))
def test_all_or_none_of_the_minimum_is_bound(scene: Scene, gates: str) -> None:
    core = DecidingCore(
        scene.nodes,
        scene.running,
        scene.groups,
        scene.waiting,
        scene.budgets,
        profile=default_profile(feature_gates=gates),
    )
    for builder in scene.groups:
        group = builder.info()
        waiting = [pod for pod in core.waiting.values() if pod.pod_group == group.key]
        before = len(core.snapshot.scheduled_members(group.key))
        decision = core.decide_group(group.key.name)
        bound = [i for i in decision.instructions if isinstance(i, BindPod)]
        assert not bound or before + len(bound) >= group.quorum
        assert_everybody_is_told_once(waiting, decision.instructions)
        conditions = [i for i in decision.instructions if isinstance(i, SetPodGroupCondition)]
        if decision.status != "skipped":
            assert [c.status for c in conditions] == ["True" if bound else "False"]
        if group.topology_key and bound and gates == "":
            assert_one_domain(core, [i.node for i in bound], group.topology_key)
        if victims(decision):
            # Nobody is evicted for a gang that would not reach its minimum.
            assert not bound
            promised = sum(bool(node) for node in nominations(decision).values())
            kept = sum(bool(pod.nominated_node_name) for pod in waiting)
            assert before + promised + kept >= group.quorum
        core.carry_out(decision)


@settings(max_examples=120, deadline=None)
@given(scene=st.one_of(scenes(), unequal_scenes()), gates=st.sampled_from(GATES_OF_1_36))
def test_all_or_none_of_the_minimum_is_bound_by_gathered_groups(scene: Scene, gates: str) -> None:
    profile = default_profile(version="1.36", feature_gates=gates)
    core = DecidingCore(
        scene.nodes, scene.running, scene.groups, scene.waiting, scene.budgets, profile=profile
    )
    for builder in scene.groups:
        group = builder.info()
        waiting = [pod for pod in core.waiting.values() if pod.pod_group == group.key]
        if not waiting:
            continue
        before = len(core.snapshot.scheduled_members(group.key))
        decision = core.decide_group(group.key.name)
        bound = [i for i in decision.instructions if isinstance(i, BindPod)]
        assert not bound or before + len(bound) >= group.quorum
        assert not (bound and victims(decision))
        assert len(victims(decision)) == len(set(victims(decision)))
        assert_everybody_is_told_once(waiting, decision.instructions)
        conditions = [i for i in decision.instructions if isinstance(i, SetPodGroupCondition)]
        if decision.status != "skipped":
            assert [c.status for c in conditions] == ["True" if bound else "False"]
        if group.topology_key and "TopologyAware" not in gates:
            assert not victims(decision)
            assert_one_domain(core, [i.node for i in bound], group.topology_key)
        core.carry_out(decision)


def assert_everybody_is_told_once(
    waiting: list[PodInfo], instructions: tuple[Instruction, ...]
) -> None:
    told = [i.pod for i in instructions if isinstance(i, BindPod | FailPod | SkipPod)]
    assert sorted(pod.uid for pod in told) == sorted(pod.uid for pod in waiting)


def assert_one_domain(core: DecidingCore, nodes: list[NodeName], key: str) -> None:
    domains = {node.labels.get(key) for node in core.snapshot.nodes.infos if node.name in nodes}
    assert len(domains) == bool(nodes)
