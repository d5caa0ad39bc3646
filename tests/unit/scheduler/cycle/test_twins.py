"""Recognising members that are like others: when all plugins need not be asked again."""

from __future__ import annotations

import pytest

from kubegang.scheduler.cycle.handle import CycleHandle
from kubegang.scheduler.cycle.outlook import Outlook
from kubegang.scheduler.cycle.twins import Twins
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import NodeName, PodInfo, PodUid
from kubegang.scheduler.runtime.filtering import run_pre_filter_plugins
from kubegang.scheduler.snapshot.trial import Trial
from kubegang.testing.builders import PodBuilder, make_cluster, make_pod
from kubegang.testing.deciding import DecidingCore
from kubegang.testing.podterms import evenly, pods_labelled, term

PLAIN = make_pod("p").req(cpu="1")
WEB = pods_labelled(app="web")


class Cycle:
    """Twins of a small cluster, and what a search does to them."""

    def __init__(self, core: DecidingCore, *, deciding: int = 4) -> None:
        core.framework.compare_members_from = 2
        names = [PodUid(f"uid-{i}") for i in range(deciding)]
        self.core = core
        self.handle = CycleHandle(
            core.snapshot, framework=core.framework, rng=core._rng, deciding=names
        )
        self.twins = Twins(self.handle)
        self.rows = core.snapshot.nodes.scan_order

    def place(self, trial: Trial, pod: PodInfo, row: int, *, narrowed: bool = False) -> None:
        state = CycleState()
        cluster = self.core.snapshot
        run_pre_filter_plugins(self.core.framework, state, pod=pod, cluster=cluster)
        self.twins.note(pod, state, row=row, rows=self.rows, narrowed=narrowed)
        trial.place(pod, cluster.nodes.names[row])

    def recognise(self, pod: PodInfo) -> Outlook | None:
        return self.twins.recognise(pod, self.rows)


def cycle(*objects: PodBuilder) -> Cycle:
    return Cycle(DecidingCore(make_cluster(nodes=3), list(objects)))


def test_nobody_is_known_at_first() -> None:
    assert cycle().recognise(PLAIN.info()) is None


def test_a_member_like_one_before_is_recognised() -> None:
    known = cycle()
    with Trial(known.core.snapshot) as trial:
        known.place(trial, PLAIN.named("a").info(), 0)
        outlook = known.recognise(PLAIN.named("b").info())
        assert outlook is not None
        assert known.recognise(PLAIN.named("c").req(cpu="2").info()) is None
        # The node that the first one took is worth less now.
        scores = [int(outlook.scores_at(row).plain[0]) for row in range(3)]
        assert scores[0] < scores[1] == scores[2]


def test_a_node_is_judged_with_those_who_stand_on_it() -> None:
    known = cycle()
    big = make_pod("b").req(cpu="3")
    with Trial(known.core.snapshot) as trial:
        known.place(trial, big.named("a").info(), 1)
        outlook = known.recognise(big.named("b").info())
        assert outlook is not None
        assert [outlook.passes(row) for row in range(3)] == [True, False, True]
        assert outlook.sample(start=0, enough=3).positions.tolist() == [0, 2]


def test_what_is_taken_back_counts_no_more() -> None:
    known = cycle()
    big = make_pod("b").req(cpu="3")
    with Trial(known.core.snapshot) as trial:
        known.place(trial, big.named("a").info(), 1)
        trial.rollback()
        outlook = known.recognise(big.named("a").info())
        assert outlook is not None
        assert outlook.sample(start=0, enough=3).positions.tolist() == [0, 1, 2]


def test_somebody_else_who_is_placed_makes_all_of_them_strangers() -> None:
    known = cycle()
    with Trial(known.core.snapshot) as trial:
        known.place(trial, PLAIN.named("a").info(), 0)
        assert known.recognise(PLAIN.named("b").info()) is not None
        trial.place(make_pod("other").info(), NodeName("n-1"))
        assert known.recognise(PLAIN.named("b").info()) is None


@pytest.mark.parametrize(
    "pod",
    [
        PLAIN.port(80),
        PLAIN.nominated("n-0"),
        PLAIN.label("app", "web").apart(term(WEB)),
        PLAIN.spread(evenly(WEB, "kubernetes.io/hostname")),
    ],
)
def test_pods_to_whom_more_matters_than_requests_are_not_kept(pod: PodBuilder) -> None:
    known = cycle()
    with Trial(known.core.snapshot) as trial:
        known.place(trial, pod.named("a").info(), 0)
        assert known.recognise(pod.named("b").info()) is None


def test_those_who_mind_a_pod_mind_its_twins() -> None:
    known = cycle(make_pod("r").apart(term(WEB)).on("n-0"))
    web = PLAIN.label("app", "web")
    with Trial(known.core.snapshot) as trial:
        known.place(trial, web.named("a").info(), 1)
        outlook = known.recognise(web.named("b").info())
        assert outlook is not None
        assert [outlook.passes(row) for row in range(3)] == [False, True, True]


def test_pods_that_others_like_are_not_kept() -> None:
    known = cycle(make_pod("r").near(term(WEB), weight=5).on("n-0"))
    web = PLAIN.label("app", "web")
    with Trial(known.core.snapshot) as trial:
        known.place(trial, web.named("a").info(), 1)
        assert known.recognise(web.named("b").info()) is None


def test_pods_whose_nodes_were_narrowed_are_not_kept() -> None:
    known = cycle()
    with Trial(known.core.snapshot) as trial:
        known.place(trial, PLAIN.named("a").info(), 0, narrowed=True)
        assert known.recognise(PLAIN.named("b").info()) is None


def test_pods_that_must_leave_room_to_others_are_not_kept() -> None:
    known = cycle(make_pod("strong").priority(9).nominated("n-0"))
    with Trial(known.core.snapshot) as trial:
        known.place(trial, PLAIN.named("a").info(), 1)
        assert known.recognise(PLAIN.named("b").info()) is None
