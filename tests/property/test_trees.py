"""Trees of groups: all or none at every level, no trace, and no order that must not matter."""

from __future__ import annotations

import json
import random

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.api.profile import SchedulerProfile
from kubegang.scheduler.cycle.decision import BindPod, Decision, FailPod, SkipPod
from kubegang.scheduler.framework.pods import PodGroupInfo, PodInfo, PodUid
from kubegang.scheduler.snapshot.builder import SnapshotBuilder
from kubegang.scheduler.snapshot.validation import validate_snapshot
from kubegang.testing.builders import PodBuilder, make_composite, make_podgroup
from kubegang.testing.deciding import (
    DecidingCore,
    bindings,
    default_profile,
    group_conditions,
    nominations,
    victims,
)
from kubegang.testing.snapshotdumps import dump_snapshot, load_snapshot
from tests.property.clusters import Scene, scenes
from tests.property.forests import Forest, forests
from tests.property.test_trial_leaves_no_trace import picture

SPEAKING = msgspec.structs.replace(default_profile(), speaking=True)
PROFILES = st.sampled_from([default_profile(), SPEAKING])


def core_of(forest: Forest, profile: SchedulerProfile | None = None) -> DecidingCore:
    return DecidingCore(
        forest.nodes, forest.running, forest.groups, forest.waiting, profile=profile
    )


def has_enough(core: DecidingCore, group: PodGroupInfo, placed: set[PodUid]) -> bool:
    """Return whether a group would have its minimum if these pods had a node as well."""
    snapshot = core.snapshot
    if group.is_composite:
        children = snapshot.child_groups(group.key)
        return sum(has_enough(core, child, placed) for child in children) >= group.quorum
    known = {pod.uid for pod in snapshot.scheduled_members(group.key)}
    new = {p.uid for p in core.waiting.values() if p.pod_group == group.key and p.uid in placed}
    return len(known | new) >= group.quorum


def assert_all_or_none_at_every_level(core: DecidingCore, placed: list[PodInfo]) -> None:
    uids = {pod.uid for pod in placed}
    for pod in placed:
        assert pod.pod_group is not None
        for group in core.snapshot.lineage(pod.pod_group):
            assert has_enough(core, group, uids), group.key


@settings(max_examples=250, deadline=None)
@given(forest=forests(), profile=PROFILES)
def test_all_or_none_at_every_level(forest: Forest, profile: SchedulerProfile) -> None:
    core = core_of(forest, profile)
    decision = core.decide_tree()
    bound = [i.pod for i in decision.instructions if isinstance(i, BindPod)]
    assert_all_or_none_at_every_level(core, bound)
    told = [i.pod.uid for i in decision.instructions if isinstance(i, BindPod | FailPod | SkipPod)]
    assert sorted(told) == sorted(pod.uid for pod in core.waiting.values())
    if decision.status != "skipped":
        assert_every_leaf_is_told(core, decision)
    assert_domains_hold(core, decision)


def assert_every_leaf_is_told(core: DecidingCore, decision: Decision) -> None:
    leaves = {group.key.name for group in core.snapshot.pod_groups() if not group.is_composite}
    assert group_conditions(decision).keys() == leaves
    for name, (status, _, _) in group_conditions(decision).items():
        new = {
            pod.name
            for pod in core.waiting.values()
            if pod.pod_group and pod.pod_group.name == name
        }
        assert status == "True" or new.isdisjoint(bindings(decision))


def assert_domains_hold(core: DecidingCore, decision: Decision) -> None:
    """Check that who is bound keeps to one domain of every group above that has a key."""
    table = core.snapshot.nodes
    for group in core.snapshot.pod_groups():
        if not group.topology_key:
            continue
        below = set(core.snapshot.forest.leaves(group.key))
        domains = set()
        for instruction in decision.instructions:
            if isinstance(instruction, BindPod) and instruction.pod.pod_group in below:
                row = table.row(instruction.node)
                assert row is not None
                domains.add(table.infos[row].labels[group.topology_key])
        assert len(domains) <= 1


@settings(max_examples=120, deadline=None)
@given(forest=forests())
def test_who_speaks_evicts_nobody_for_a_child_that_will_not_run(forest: Forest) -> None:
    core = core_of(forest, SPEAKING)
    decision = core.decide_tree()
    promised = [core.waiting[name] for name, node in nominations(decision).items() if node]
    if victims(decision):
        assert not bindings(decision)
        assert promised
    assert_all_or_none_at_every_level(core, promised)


@settings(max_examples=120, deadline=None)
@given(forest=forests(), profile=PROFILES)
def test_a_decision_leaves_no_trace(forest: Forest, profile: SchedulerProfile) -> None:
    core = core_of(forest, profile)
    before = picture(core.snapshot)
    core.decide_tree()
    assert picture(core.snapshot) == before
    validate_snapshot(core.snapshot)


@settings(max_examples=120, deadline=None)
@given(forest=forests(), seed=st.integers(0, 1000))
def test_the_order_of_arrival_of_groups_and_of_their_pods_among_each_other_does_not_matter(
    forest: Forest, seed: int
) -> None:
    shuffled = random.Random(seed)
    groups = list(forest.groups)
    shuffled.shuffle(groups)
    by_group: dict[object, list[PodBuilder]] = {}
    slots = [pod.info().pod_group for pod in forest.waiting]
    for pod in forest.waiting:
        by_group.setdefault(pod.info().pod_group, []).append(pod)
    shuffled.shuffle(slots)
    waiting = [by_group[slot].pop(0) for slot in slots]
    other = forest._replace(groups=groups, waiting=waiting)
    one, two = core_of(forest).decide_tree(), core_of(other).decide_tree()
    assert bindings(one) == bindings(two)
    assert group_conditions(one) == group_conditions(two)
    assert victims(one) == victims(two)


@settings(max_examples=60, deadline=None)
@given(forest=forests())
def test_a_reloaded_dump_decides_the_same(forest: Forest) -> None:
    one, two = core_of(forest), DecidingCore(forest.waiting)
    dumped = json.dumps(dump_snapshot(one.snapshot))
    two.builder = SnapshotBuilder(load_snapshot(json.loads(dumped)))
    assert one.decide_tree() == two.decide_tree()


@settings(max_examples=120, deadline=None)
@given(scene=scenes())
def test_a_tree_of_one_binds_what_its_group_would_bind_alone(scene: Scene) -> None:
    group = scene.groups[0]
    name = group.metadata.name
    alone = DecidingCore(scene.nodes, scene.running, make_podgroup("other"), group, scene.waiting)
    below = DecidingCore(
        scene.nodes, scene.running, make_composite(), group.child_of("root"), scene.waiting
    )
    assert bindings(alone.decide_group(name)) == bindings(below.decide_tree())
