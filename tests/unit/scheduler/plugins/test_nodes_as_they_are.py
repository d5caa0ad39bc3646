"""Filters on Node objects: name, cordon, taints, labels. And their scores and hints."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.interface import PreFilterPlugin
from kubegang.scheduler.framework.status import Code
from kubegang.scheduler.plugins.nodeaffinity.plugin import NodeAffinity
from kubegang.scheduler.plugins.nodename.plugin import NodeName
from kubegang.scheduler.plugins.nodeunschedulable import plugin as unschedulable
from kubegang.scheduler.plugins.nodeunschedulable.plugin import NodeUnschedulable
from kubegang.scheduler.plugins.tainttoleration import plugin as taints
from kubegang.scheduler.plugins.tainttoleration.plugin import TaintToleration
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from tests.unit.scheduler.plugins.asking import context, refused, scored

UNTOLERATED = "!node(s) had untolerated taint(s)"
NO_MATCH = "!node(s) didn't match Pod's node affinity/selector"
ENFORCED = "!node(s) didn't match scheduler-enforced node affinity"
CORDONED = "node.kubernetes.io/unschedulable"


@pytest.fixture
def snapshot() -> Snapshot:
    return DecidingCore(
        make_node("plain"),
        make_node("cordoned").cordoned(),
        make_node("gpu").taint("gpu").label("disk", "ssd"),
        make_node("drained").taint("drain", "NoExecute").label("disk", "ssd"),
        make_node("disliked").taint("old", "PreferNoSchedule").taint("slow", "PreferNoSchedule"),
    ).snapshot


def pre_filtered(plugin: PreFilterPlugin, snapshot: Snapshot, pod: PodBuilder) -> object:
    status, names = plugin.pre_filter(CycleState(), pod.info(), cluster=snapshot)
    return sorted(names) if names is not None else status.code


def test_a_pod_that_names_its_node_goes_nowhere_else(snapshot: Snapshot) -> None:
    plugin = NodeName(context())
    said = refused(plugin, snapshot, make_pod().on("plain"))
    assert "plain" not in said
    assert set(said.values()) == {"!node(s) didn't match the requested node name"}
    assert len(refused(plugin, snapshot, make_pod().on("nowhere"))) == 5
    assert refused(plugin, snapshot, make_pod()) == {}
    assert pre_filtered(plugin, snapshot, make_pod().on("plain")) == ["plain"]
    assert pre_filtered(plugin, snapshot, make_pod()) is Code.SKIP


def test_cordoned_nodes_take_pods_that_tolerate_it(snapshot: Snapshot) -> None:
    plugin = NodeUnschedulable(context())
    assert refused(plugin, snapshot, make_pod()) == {"cordoned": "!node(s) were unschedulable"}
    assert refused(plugin, snapshot, make_pod().toleration(CORDONED)) == {}


def test_taints_must_be_tolerated(snapshot: Snapshot) -> None:
    plugin = TaintToleration(context())
    want = {"gpu": UNTOLERATED, "drained": UNTOLERATED}
    assert refused(plugin, snapshot, make_pod()) == want
    assert refused(plugin, snapshot, make_pod().toleration("gpu")) == {"drained": UNTOLERATED}
    assert refused(plugin, snapshot, make_pod().toleration("")) == {}


def test_disliked_nodes_rank_below_others(snapshot: Snapshot) -> None:
    plugin = TaintToleration(context())
    assert scored(plugin, snapshot, make_pod()) == [100, 100, 100, 100, 0]
    assert scored(plugin, snapshot, make_pod().toleration("old")) == [100, 100, 100, 100, 0]
    assert scored(plugin, snapshot, make_pod().toleration("")) is None


def test_selector_and_affinity_choose_nodes(snapshot: Snapshot) -> None:
    plugin = NodeAffinity(context())
    want = dict.fromkeys(("plain", "cordoned", "disliked"), NO_MATCH)
    assert refused(plugin, snapshot, make_pod().select("disk", "ssd")) == want
    assert refused(plugin, snapshot, make_pod().requires(("disk", "In", ("ssd",)))) == want
    assert refused(plugin, snapshot, make_pod()) == {}


@pytest.mark.parametrize(
    ("pod", "want"),
    [
        pytest.param(make_pod(), Code.SKIP, id="nothing-required"),
        pytest.param(make_pod().select("a", "b"), Code.SUCCESS, id="selector-only"),
        pytest.param(make_pod().requires(("a", "Exists", ())), Code.SUCCESS, id="labels-only"),
        pytest.param(make_pod().requires_name("In", "n1"), ["n1"], id="one-name"),
        pytest.param(
            make_pod().requires_name("In", "n1").requires_name("In", "n2"),
            ["n1", "n2"],
            id="two-terms",
        ),
        pytest.param(
            make_pod().requires_name("In", "n1").requires(("a", "Exists", ())),
            Code.SUCCESS,
            id="one-term-names-none",
        ),
        pytest.param(make_pod().requires_name("In", "n1", "n2"), Code.UNRESOLVABLE, id="conflict"),
        pytest.param(make_pod().requires_name("NotIn", "n1"), Code.SUCCESS, id="excluded-name"),
    ],
)
def test_names_in_the_affinity_narrow_the_search(
    snapshot: Snapshot, pod: PodBuilder, want: object
) -> None:
    assert pre_filtered(NodeAffinity(context()), snapshot, pod) == want


def test_preferred_terms_add_up(snapshot: Snapshot) -> None:
    plugin = NodeAffinity(context())
    pod = (
        make_pod()
        .prefers(10, ("disk", "Exists", ()))
        .prefers(30, ("kubernetes.io/hostname", "In", ("gpu",)))
    )
    assert scored(plugin, snapshot, pod) == [0, 0, 100, 25, 0]
    assert scored(plugin, snapshot, make_pod()) is None


def test_an_affinity_of_the_profile_holds_for_all_its_pods(snapshot: Snapshot) -> None:
    added = {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "Exists"}]}]
        }
    }
    plugin = NodeAffinity(context({"addedAffinity": added}))
    want = dict.fromkeys(("plain", "cordoned", "disliked"), ENFORCED)
    assert refused(plugin, snapshot, make_pod()) == want
    said = refused(plugin, snapshot, make_pod().requires_name("In", "gpu"))
    assert said == {**want, "drained": NO_MATCH}


def test_arguments_that_nobody_knows_are_refused() -> None:
    with pytest.raises(PluginConfigError, match=r"plugin NodeAffinity: .*unknown field `added`"):
        NodeAffinity(context({"added": {}}))


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        pytest.param(None, make_node(), True, id="new"),
        pytest.param(None, make_node().cordoned(), False, id="new-but-cordoned"),
        pytest.param(make_node().cordoned(), make_node(), True, id="uncordoned"),
        pytest.param(make_node(), make_node().rack("r"), False, id="was-fine-before"),
    ],
)
def test_a_cordon_that_goes_is_worth_another_attempt(
    old: NodeBuilder | None, new: NodeBuilder, want: bool
) -> None:
    hint = unschedulable.is_schedulable_after_node_change
    assert hint(make_pod().info(), old.info() if old else None, new.info()) is want


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        pytest.param(None, make_node(), True, id="new"),
        pytest.param(None, make_node().taint("k"), False, id="new-but-tainted"),
        pytest.param(make_node().taint("k"), make_node(), True, id="taint-gone"),
        pytest.param(make_node(), make_node(), False, id="was-fine-before"),
        pytest.param(None, make_node().taint("k", "PreferNoSchedule"), True, id="merely-disliked"),
    ],
)
def test_a_taint_that_goes_is_worth_another_attempt(
    old: NodeBuilder | None, new: NodeBuilder, want: bool
) -> None:
    hint = taints.is_schedulable_after_node_change
    assert hint(make_pod().info(), old.info() if old else None, new.info()) is want


def test_a_label_that_comes_is_worth_another_attempt() -> None:
    (registration,) = NodeAffinity(context()).queueing_hints()
    hint = registration.is_schedulable_after
    assert hint is not None
    pod = make_pod().select("disk", "ssd").info()
    plain, ssd = make_node().info(), make_node().label("disk", "ssd").info()
    assert hint(pod, plain, ssd)
    assert hint(pod, None, ssd)
    assert not hint(pod, ssd, ssd)
    assert not hint(pod, None, plain)


def test_a_pod_that_tolerates_more_is_worth_another_attempt() -> None:
    hint = unschedulable.is_schedulable_after_toleration_change
    old, new = make_pod().info(), make_pod().toleration(CORDONED).info()
    assert hint(new, old, new)
    assert not hint(old, old, old)
