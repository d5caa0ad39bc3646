"""One ordinary pod's cycle."""

from __future__ import annotations

import msgspec

from kubegang.scheduler.cycle.decision import BindPod, FailPod, NominateNode, SkipPod
from kubegang.testing.builders import make_node, make_pod
from kubegang.testing.deciding import DecidingCore, bindings, default_profile, failures


def test_a_pod_goes_to_the_node_with_most_room() -> None:
    core = DecidingCore(
        make_node("full"),
        make_node("empty"),
        make_pod("there").req(cpu="2", memory="16Gi").on("full"),
        make_pod().req(cpu="1", memory="8Gi"),
    )
    decision = core.decide_pod()
    assert bindings(decision) == {"p": "empty"}
    assert (decision.status, decision.unbound) == ("scheduled", ())
    assert decision.diagnosis.outcome == "scheduled"


def test_the_only_feasible_node_is_taken_without_scoring() -> None:
    core = DecidingCore(make_node("a").cordoned(), make_node("b"), make_pod())
    assert bindings(core.decide_pod()) == {"p": "b"}


def test_equal_nodes_have_equal_chances() -> None:
    core = DecidingCore(make_node().times(3), make_pod())
    drawn = [bindings(core.decide_pod())["p"] for _ in range(60)]
    assert set(drawn) == {"n-0", "n-1", "n-2"}


def test_a_promised_node_is_taken_if_it_is_feasible() -> None:
    busy = make_pod("there").req(cpu="3").on("n-1")
    core = DecidingCore(make_node().times(3), busy, make_pod().req(cpu="1").nominated("n-1"))
    assert bindings(core.decide_pod()) == {"p": "n-1"}


def test_a_promised_node_that_is_full_or_gone_is_passed_over() -> None:
    busy = make_pod("there").req(cpu="4").on("n-1")
    core = DecidingCore(
        make_node().times(2),
        busy,
        make_pod("p").req(cpu="1").nominated("n-1"),
        make_pod("q").req(cpu="1").nominated("gone"),
    )
    assert bindings(core.decide_pod("p")) == {"p": "n-0"}
    assert bindings(core.decide_pod("q")) == {"q": "n-0"}


def test_a_promise_is_cleared_when_nothing_can_be_done() -> None:
    core = DecidingCore(make_node("n"), make_pod().req(cpu="9").nominated("n"))
    cleared, failed = core.decide_pod().instructions
    assert isinstance(cleared, NominateNode)
    assert cleared.node == ""
    assert isinstance(failed, FailPod)


def test_a_promise_stays_for_a_pod_that_may_not_preempt() -> None:
    core = DecidingCore(make_node("n"), make_pod().req(cpu="9").nominated("n").never_preempting())
    assert [type(i) for i in core.decide_pod().instructions] == [FailPod]


def test_a_pod_that_is_being_deleted_is_dropped_with_an_event() -> None:
    core = DecidingCore(make_node("n"), make_pod().terminating())
    decision = core.decide_pod()
    assert decision.status == "skipped"
    (skip,) = decision.instructions
    assert isinstance(skip, SkipPod)
    assert skip.message == "skip schedule deleting pod: default/p"


def test_a_pod_that_has_a_node_already_is_dropped_silently() -> None:
    core = DecidingCore(make_node("n"), make_pod())
    core.snapshot.add_pod(core.waiting["p"], core.snapshot.nodes.names[0])
    (skip,) = core.decide_pod().instructions
    assert skip == SkipPod(core.waiting["p"])


def test_a_profile_that_speaks_says_the_diagnosis_and_upstreams_words() -> None:
    profile = msgspec.structs.replace(default_profile(), speaking=True)
    core = DecidingCore(make_node("n"), make_pod().req(cpu="9"), profile=profile)
    decision = core.decide_pod()
    found = decision.diagnosis
    assert failures(decision)["p"] == f"{found.message} ({found.upstream_message})"
    assert found.upstream_message.startswith("0/1 nodes are available")


def test_nothing_is_left_in_the_snapshot() -> None:
    core = DecidingCore(make_node("n"), make_pod())
    (bind,) = core.decide_pod().instructions
    assert isinstance(bind, BindPod)
    assert not list(core.snapshot.pods())


def test_without_scores_the_first_feasible_node_is_taken() -> None:
    plugins = tuple(
        p for p in default_profile().plugins if p.name in ("PrioritySort", "NodeUnschedulable")
    )
    profile = msgspec.structs.replace(default_profile(), plugins=plugins)
    core = DecidingCore(
        make_node("a").cordoned(), make_node().times(3), make_pod(), profile=profile
    )
    for want in ("n-0", "n-1", "n-2", "n-0"):
        decision = core.decide_pod()
        assert bindings(decision) == {"p": want}
        core.builder.set_scan_start(decision.scan_start)
