"""Preemption takes weaker pods only, no more than it needs, and the cheapest node's.

The searches are compared with a naive one that goes through nodes and victims one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from hypothesis import given, settings

from kubegang.scheduler.cycle.decision import Decision, EvictPod
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import Refusal
from kubegang.scheduler.framework.nodetable import BoolArray, RowArray, Rows
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.status import unschedulable
from kubegang.scheduler.preemption.budgets import BudgetBook
from kubegang.scheduler.preemption.units import VictimUnit, by_importance, find_units
from kubegang.scheduler.runtime.framework import Framework
from kubegang.testing.deciding import DecidingCore, default_profile, nominations
from tests.property.clusters import Scene, unequal_scenes
from tests.property.reference import ReferenceNode, reasons

WEIGHTS = {plugin.name: plugin.weight for plugin in default_profile().plugins}


class LooksAround:
    """Lets every pod in, but might look at other nodes for all that anybody knows."""

    NAME: ClassVar[str] = "LooksAround"

    def filter(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: Rows
    ) -> BoolArray:
        return np.ones(cluster.nodes.size, dtype=np.bool_)[rows]

    def refusals(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> Sequence[Refusal]:
        return (Refusal(rows, unschedulable("never said")),)


def core_of(scene: Scene) -> DecidingCore:
    return DecidingCore(scene.nodes, scene.running, scene.groups, scene.waiting, scene.budgets)


def decisions(core: DecidingCore, scene: Scene) -> list[Decision]:
    groups = [core.decide_group(group.metadata.name) for group in scene.groups]
    alone = [pod.name for pod in core.waiting.values() if pod.pod_group is None]
    return groups + [core.decide_pod(name) for name in alone]


def evicted(decision: Decision) -> list[PodInfo]:
    return [i.pod for i in decision.instructions if isinstance(i, EvictPod)]


def contents(core: DecidingCore, gone: Sequence[PodInfo] = ()) -> dict[str, ReferenceNode]:
    """Return the nodes with what runs there, without those that go."""
    nodes, away = core.snapshot.nodes, {pod.uid for pod in gone}
    return {
        str(node.name): ReferenceNode(
            node, [pod for pod in core.snapshot.pods_on(row) if pod.uid not in away]
        )
        for row, node in enumerate(nodes.infos)
    }


@settings(max_examples=60, deadline=None)
@given(scene=unequal_scenes())
def test_victims_are_weaker_and_go_once(scene: Scene) -> None:
    core = core_of(scene)
    for group in scene.groups:
        check_weaker(core, evicted(core.decide_group(group.metadata.name)), group.info().priority)
    for pod in list(core.waiting.values()):
        if pod.pod_group is None:
            check_weaker(core, evicted(core.decide_pod(pod.name)), pod.priority)


def check_weaker(core: DecidingCore, victims: list[PodInfo], priority: int) -> None:
    assert len({pod.uid for pod in victims}) == len(victims)
    for pod in victims:
        assert core.snapshot.priority_of(pod) < priority
        assert not pod.terminating, "who is leaving already is not told again"


@settings(max_examples=80, deadline=None)
@given(scene=unequal_scenes(promises=False))
def test_a_group_takes_what_it_needs_and_nobody_more(scene: Scene) -> None:
    core = core_of(scene)
    for builder in scene.groups:
        group = builder.info()
        decision = core.decide_group(group.key.name)
        if not evicted(decision):
            continue
        promised = nominations(decision)
        placed = [(core.waiting[name], node) for name, node in promised.items()]
        units = find_units(
            core.snapshot, range(core.snapshot.nodes.size), below=group.priority, by_group=True
        )
        victims = [u for u in units if is_chosen(u, decision, placed, core)]
        gone = [pod for unit in victims for pod in unit.pods]
        assert {pod.uid for pod in evicted(decision)} <= {pod.uid for pod in gone}
        assert fits(contents(core, gone), placed)
        for spared in victims:
            rest = [pod for pod in gone if pod not in spared.pods]
            assert not fits(contents(core, rest), placed), "it need not have gone"


def is_chosen(
    unit: VictimUnit, decision: Decision, placed: list[tuple[PodInfo, str]], core: DecidingCore
) -> bool:
    """Return whether a unit must go; one that is leaving already is not told so."""
    told = {pod.uid for pod in evicted(decision)}
    if any(pod.uid in told for pod in unit.pods):
        return True
    if not all(pod.terminating for pod in unit.pods):
        return False
    # Whether it was counted on cannot be seen; it was if the members need its place.
    others = [pod for pod in evicted(decision) if pod not in unit.pods]
    leaving = [pod for pod in core.snapshot.pods() if pod.terminating and pod not in unit.pods]
    return not fits(contents(core, [*others, *leaving]), placed)


def fits(nodes: dict[str, ReferenceNode], placed: list[tuple[PodInfo, str]]) -> bool:
    """Return whether the pods find room one after the other on the nodes given."""
    for pod, node in placed:
        if reasons(nodes[node], pod):
            return False
        nodes[node].pods.append(pod)
    return True


class Naive(NamedTuple):
    """What a naive search finds on one node."""

    cost: tuple[int, int, int, int, float]
    victims: list[PodInfo]


@settings(max_examples=80, deadline=None)
@given(scene=unequal_scenes(promises=False))
def test_a_pod_preempts_on_the_node_where_a_naive_search_finds_it_cheapest(scene: Scene) -> None:
    core = core_of(scene)
    for pod in list(core.waiting.values()):
        if pod.pod_group is not None or pod.terminating:
            continue
        entries = contents(core)
        if any(not reasons(entry, pod) for entry in entries.values()):
            continue
        found = {name: naive_search(core, entry, pod) for name, entry in entries.items()}
        possible = {name: naive for name, naive in found.items() if naive is not None}
        decision = core.decide_pod(pod.name)
        promised = nominations(decision).get(pod.name, "")
        assert bool(promised) is bool(possible)
        if promised:
            assert possible[promised].cost == min(naive.cost for naive in possible.values())
            told = [victim for victim in possible[promised].victims if not victim.terminating]
            assert evicted(decision) == told


def naive_search(core: DecidingCore, entry: ReferenceNode, pod: PodInfo) -> Naive | None:
    row = core.snapshot.nodes.row(entry.node.name)
    assert row is not None
    units = find_units(core.snapshot, [row], below=pod.priority, by_group=True)
    weaker = {victim.uid for unit in units for victim in unit.pods}
    here = ReferenceNode(entry.node, [p for p in entry.pods if p.uid not in weaker])
    if not units or reasons(here, pod):
        return None
    violations = 0
    gone: list[VictimUnit] = []
    book = BudgetBook(core.snapshot.disruption_budgets())
    for unit, broken in book.judge(by_importance(units)):
        back = [p for p in unit.pods if p.node_name == entry.node.name]
        here.pods += back
        if reasons(here, pod):
            here.pods = [p for p in here.pods if p not in back]
            gone.append(unit)
            violations += broken
    victims = [victim for unit in by_importance(gone) for victim in unit.pods]
    return Naive(cost_of(victims, violations), victims) if victims else None


def cost_of(victims: list[PodInfo], violations: int) -> tuple[int, int, int, int, float]:
    highest = max(victim.priority for victim in victims)
    starts = [
        v.started if v.started is not None else 1e99 for v in victims if v.priority == highest
    ]
    total = sum(victim.priority + 2**31 for victim in victims)
    return (violations, victims[0].priority, total, len(victims), -min(starts))


@settings(max_examples=60, deadline=None)
@given(scene=unequal_scenes())
def test_nodes_tried_side_by_side_answer_as_nodes_tried_alone(scene: Scene) -> None:
    together, alone = core_of(scene), core_of(scene)
    alone.framework = Framework([*alone.framework.plugins, LooksAround()], weights=WEIGHTS)
    for one, other in zip(decisions(alone, scene), decisions(together, scene), strict=True):
        # Of two nodes that come equally close, the diagnosis may name either.
        assert (one.instructions, one.room) == (other.instructions, other.room)
