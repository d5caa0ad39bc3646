"""Plugins about groups: quorum, placements, counts, order of the queue, gates, binding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from kubegang.api.resource.types import ResourceClaim
from kubegang.scheduler.framework.cluster import (
    Assignment,
    Placement,
    PlacementAssignments,
    PlacementProgress,
)
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.entities import QueuedEntity, QueuedPodGroupInfo, QueuedPodInfo
from kubegang.scheduler.framework.interface import BindingRequest
from kubegang.scheduler.framework.pods import (
    NodeName,
    PodGroupInfo,
    PodGroupKey,
    PodInfo,
    PodUid,
)
from kubegang.scheduler.plugins.defaultbinder.plugin import DefaultBinder
from kubegang.scheduler.plugins.gangscheduling import plugin as gang
from kubegang.scheduler.plugins.gangscheduling.plugin import GangScheduling
from kubegang.scheduler.plugins.podgrouppodscount.plugin import PodGroupPodsCount
from kubegang.scheduler.plugins.prioritysort.plugin import PrioritySort
from kubegang.scheduler.plugins.schedulinggates.plugin import SchedulingGates
from kubegang.scheduler.plugins.topologyplacementgenerator.plugin import (
    TopologyPlacementGenerator,
)
from kubegang.testing.builders import (
    PodGroupBuilder,
    make_cluster,
    make_node,
    make_pod,
    make_podgroup,
)
from kubegang.testing.deciding import DecidingCore
from tests.unit.scheduler.plugins.asking import context


class States:
    """Answers for one group."""

    def __init__(self, group: PodGroupInfo | None = None, known: int = 0) -> None:
        self._group = group
        self._known = known

    def pod_group(self, key: PodGroupKey) -> PodGroupInfo | None:
        return self._group

    def root_of(self, key: PodGroupKey) -> PodGroupInfo | None:
        return self._group

    def child_groups(self, key: PodGroupKey) -> Sequence[PodGroupInfo]:
        return ()

    def lineage(self, key: PodGroupKey) -> Sequence[PodGroupInfo]:
        return () if self._group is None else (self._group,)

    def leaf_groups(self, key: PodGroupKey) -> Sequence[PodGroupKey]:
        return (key,)

    def scheduled_members(self, key: PodGroupKey) -> Sequence[PodInfo]:
        return ()

    def has_workload(self, namespace: str, name: str) -> bool:
        return False

    def known_members(self, key: PodGroupKey) -> int:
        return self._known

    def is_preempting(self, preemptor: PodUid | PodGroupKey) -> bool:
        return False

    def device_claim(self, namespace: str, name: str) -> ResourceClaim | None:
        return None


GANG = make_podgroup("g").gang(min_count=3).info()
MEMBER = make_pod("m").group("g").info()


@pytest.mark.parametrize(
    ("pod", "states", "want"),
    [
        pytest.param(make_pod().info(), States(), "", id="no-group"),
        pytest.param(
            MEMBER,
            States(),
            'waiting for pods\'s pod group "g" to appear in scheduling queue',
            id="no-object",
        ),
        pytest.param(
            MEMBER,
            States(GANG, 2),
            "waiting for minCount pods from a gang to appear in scheduling queue",
            id="one-short",
        ),
        pytest.param(MEMBER, States(GANG, 3), "", id="complete"),
        pytest.param(MEMBER, States(make_podgroup("g").info(), 1), "", id="basic"),
    ],
)
def test_a_member_is_held_until_its_group_is_complete(
    pod: PodInfo, states: States, want: str
) -> None:
    status = GangScheduling(context()).pre_enqueue(pod, states)
    assert status.message == want
    assert status.is_success == (not want)


@pytest.mark.parametrize(
    ("scheduled", "remaining", "want"),
    [
        (0, 3, "Wait: minCount (3) is not yet satisfied: 0 scheduled, 3 remaining"),
        (1, 1, "Unschedulable: minCount (3) cannot be satisfied: 1 scheduled, 1 remaining"),
        (3, 0, "Success: "),
        (3, 5, "Success: "),
    ],
)
def test_a_placement_is_feasible_once_the_minimum_is_reached(
    scheduled: int, remaining: int, want: str
) -> None:
    status = GangScheduling(context()).placement_feasible(
        CycleState(), GANG, progress=PlacementProgress(scheduled, remaining)
    )
    assert f"{status.code.value}: {status.message}" == want


def test_what_wakes_a_held_gang() -> None:
    other = make_pod("x").group("other").info()
    fewer = make_podgroup("g").gang(min_count=2).info()
    assert gang.is_schedulable_after_pod_added(MEMBER, None, MEMBER)
    assert not gang.is_schedulable_after_pod_added(MEMBER, None, other)
    assert gang.is_schedulable_after_group_added(MEMBER, None, GANG)
    assert not gang.is_schedulable_after_group_added(other, None, GANG)
    assert gang.is_schedulable_after_group_updated(MEMBER, GANG, fewer)
    assert not gang.is_schedulable_after_group_updated(MEMBER, fewer, GANG)
    assert not gang.is_schedulable_after_group_updated(MEMBER, GANG, make_podgroup("g").info())


def placements(core: DecidingCore, group: PodGroupBuilder, parent: Placement) -> object:
    plugin = TopologyPlacementGenerator(context())
    status, found = plugin.generate_placements(
        CycleState(), group.info(), cluster=core.snapshot, parent=parent
    )
    if not status.is_success:
        return status.message
    names = core.snapshot.nodes.names
    return {
        placement.name: None if placement.rows is None else [names[row] for row in placement.rows]
        for placement in found
    }


ALL = Placement("")
IN_RACKS = make_podgroup("g").gang(min_count=2).topology("rack")


def test_one_placement_per_domain_in_the_order_of_their_nodes() -> None:
    core = DecidingCore(
        make_node("z").rack("r9"), make_node("x"), make_cluster(racks=2, nodes_per_rack=2)
    )
    want = {"r9": ["z"], "r0": ["r0-0", "r0-1"], "r1": ["r1-0", "r1-1"]}
    assert placements(core, IN_RACKS, ALL) == want
    assert list(want) == list(placements(core, IN_RACKS, ALL))  # type: ignore[call-overload]


def test_a_parent_placement_is_split_further() -> None:
    core = DecidingCore(make_cluster(racks=3, nodes_per_rack=2))
    parent = Placement("block", np.array([5, 0, 1], dtype=np.intp))
    assert placements(core, IN_RACKS, parent) == {"r2": ["r2-1"], "r0": ["r0-0", "r0-1"]}


def test_without_a_key_the_parent_is_the_placement() -> None:
    core = DecidingCore(make_cluster(racks=2))
    assert placements(core, make_podgroup("g"), ALL) == {"": None}


def test_a_key_on_no_node_gives_no_placement() -> None:
    assert placements(DecidingCore(make_node("n")), IN_RACKS, ALL) == {}


@pytest.mark.parametrize(
    ("nodes", "want"),
    [
        pytest.param(["r1-0"], {"r1": ["r1-0", "r1-1"]}, id="pinned"),
        pytest.param(["r1-0", "r1-1"], {"r1": ["r1-0", "r1-1"]}, id="pinned-by-two"),
        pytest.param(
            ["r0-0", "r1-0"],
            "cannot determine domain for already scheduled pods:"
            " more than 1 domain found for pod group: r0, r1",
            id="two-domains",
        ),
        pytest.param(
            ["bare"],
            "cannot determine domain for already scheduled pods:"
            " no topology domain found for pod default/m-0",
            id="unlabelled",
        ),
        pytest.param(
            ["gone"],
            "cannot determine domain for already scheduled pods: getting node for pod"
            ' default/m-0: nodeinfo not found for node name "gone"',
            id="node-gone",
        ),
    ],
)
def test_members_with_a_node_pin_the_domain(nodes: list[str], want: object) -> None:
    members = [make_pod(f"m-{i}").group("g").on(node) for i, node in enumerate(nodes)]
    core = DecidingCore(make_cluster(racks=2, nodes_per_rack=2), make_node("bare"), members)
    assert placements(core, IN_RACKS, ALL) == want


def test_placements_rank_by_how_much_of_the_group_they_hold() -> None:
    core = DecidingCore(make_node("n"), make_pod("old").group("g").on("n"))
    plugin, group = PodGroupPodsCount(context()), make_podgroup("g").info()
    scores = []
    for count in (1, 3):
        assigned = tuple(Assignment(pod.info(), 0) for pod in make_pod("m").times(count))
        proposal = PlacementAssignments(ALL, assigned)
        status, score = plugin.score_placement(
            CycleState(), group, cluster=core.snapshot, proposal=proposal
        )
        assert status.is_success
        scores.append(score)
    assert scores == [2, 4]
    assert plugin.normalize_placement_scores(CycleState(), group, scores=scores)[1] == [50, 100]
    status, _ = plugin.normalize_placement_scores(CycleState(), group, scores=[0, 0])
    assert status.message == (
        "no pods from pod group are assigned to any of the candidate placements"
    )


def test_the_queue_is_ordered_by_priority_then_time() -> None:
    pod = QueuedPodInfo(pod=make_pod("p").priority(5).info(), timestamp=3.0)
    late = QueuedPodInfo(pod=make_pod("q").priority(5).info(), timestamp=4.0)
    group = QueuedPodGroupInfo(
        group=PodGroupKey("default", "g"), members=[late], priority=7, timestamp=9.0
    )
    waiting: list[QueuedEntity] = [late, pod, group]
    assert sorted(waiting, key=PrioritySort(context()).queue_sort) == [group, pod, late]


def test_a_gated_pod_is_held() -> None:
    plugin = SchedulingGates(context())
    status = plugin.pre_enqueue(make_pod().gated("a", "b").info(), States())
    assert status.message == "waiting for scheduling gates: [a b]"
    assert plugin.pre_enqueue(make_pod().info(), States()).is_success


def test_binding_is_a_request_to_the_api() -> None:
    pod = make_pod().info()
    want = BindingRequest(pod, NodeName("n"))
    assert DefaultBinder(context()).bind(pod, NodeName("n")) == want
