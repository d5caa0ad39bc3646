"""The lowest priority on each node, whatever comes and goes."""

from __future__ import annotations

from kubegang.scheduler.framework.pods import NodeName, PodGroupKey
from kubegang.scheduler.snapshot.trial import Trial
from kubegang.scheduler.snapshot.weakest import NOBODY
from kubegang.testing.builders import make_node, make_pod, make_podgroup
from kubegang.testing.deciding import DecidingCore

POD = make_pod("p").priority(50)


def test_each_node_has_its_own() -> None:
    core = DecidingCore(
        make_node().times(3),
        POD.on("n-0"),
        POD.named("q").priority(-7).on("n-0"),
        POD.named("r").on("n-2"),
    )
    assert core.snapshot.lowest_priorities().tolist() == [-7, NOBODY, 50]


def test_it_follows_what_changes() -> None:
    core = DecidingCore(make_node().times(2), POD.on("n-0"))
    core.snapshot.lowest_priorities()
    core.add(POD.named("q").priority(3).on("n-1"))
    assert core.snapshot.lowest_priorities().tolist() == [50, 3]
    core.add(make_node("n-2"))
    core.builder.remove_node(NodeName("n-0"))
    assert sorted(core.snapshot.lowest_priorities().tolist()) == [3, NOBODY]


def test_a_trial_shows_what_it_has_done() -> None:
    core = DecidingCore(make_node(), POD.on("n"), POD.named("q").priority(3).on("n"))
    with Trial(core.snapshot) as trial:
        trial.evict(*[pod for pod in core.snapshot.pods() if pod.name == "q"])
        assert core.snapshot.lowest_priorities().tolist() == [50]
    assert core.snapshot.lowest_priorities().tolist() == [3]


def test_members_count_with_the_priority_of_their_group() -> None:
    core = DecidingCore(make_node(), POD.group("g").on("n"))
    assert core.snapshot.lowest_priorities().tolist() == [50]
    core.add(make_podgroup("g").priority(9))
    assert core.snapshot.lowest_priorities().tolist() == [9]
    core.builder.remove_pod_group(PodGroupKey("default", "g"))
    assert core.snapshot.lowest_priorities().tolist() == [50]
