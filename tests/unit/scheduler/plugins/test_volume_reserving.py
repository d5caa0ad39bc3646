"""VolumeBinding after the choice of a node: keeping volumes, telling the API, waiting, scoring."""

from __future__ import annotations

import numpy as np
import pytest

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.framework.storage import VolumeClaimRef
from kubegang.scheduler.plugins.volumebinding.hints import (
    is_schedulable_after_capacity_change,
    is_schedulable_after_claim_change,
    is_schedulable_after_class_change,
    is_schedulable_after_csi_node_change,
    is_schedulable_after_driver_change,
)
from kubegang.scheduler.plugins.volumebinding.plugin import VolumeBinding
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.testing.builders import PodBuilder, make_node, make_pod, make_podgroup
from kubegang.testing.deciding import DecidingCore, bindings
from kubegang.testing.snapshotdumps import dump_snapshot, load_snapshot
from kubegang.testing.storagebuilders import (
    StorageBuilder,
    make_capacity,
    make_claim,
    make_class,
    make_csi_driver,
    make_csi_node,
    make_volume,
)
from tests.unit.scheduler.plugins.asking import context

A, B = NodeName("a"), NodeName("b")
NODES = (make_node("a"), make_node("b"))
CLAIM = make_claim("c").of_class("s")
STATIC, DYNAMIC = make_class("s"), make_class("s", provisioner="d.io")
FREE = make_volume("v").of_class("s")


class Attempt:
    """One pod's way through the plugin, on node ``a`` unless told otherwise."""

    def __init__(self, *objects: StorageBuilder, pod: PodBuilder | None = None) -> None:
        self.core = DecidingCore(NODES, *objects)
        self.plugin = VolumeBinding(context(StorageCapacityScoring=True))
        self.state = CycleState()
        self.pod: PodInfo = (pod or make_pod().claims("c")).info()
        self.look(self.state, self.pod)

    @property
    def cluster(self) -> Snapshot:
        return self.core.snapshot

    def look(self, state: CycleState, pod: PodInfo) -> list[str]:
        """Return the nodes that pass."""
        status = self.plugin.pre_filter(state, pod, cluster=self.cluster).status
        assert status.is_success, status
        passed = self.plugin.filter(state, pod, cluster=self.cluster, rows=slice(None))
        return [self.cluster.nodes.names[row] for row in np.flatnonzero(passed)]

    def reserve(self, node: NodeName = A) -> None:
        status = self.plugin.reserve(self.state, self.pod, node=node, cluster=self.cluster)
        assert status.is_success, status

    def unreserve(self) -> None:
        self.plugin.unreserve(self.state, self.pod, node=A, cluster=self.cluster)

    def wait_state(self) -> str:
        """Return what the pod waits for: empty is nothing."""
        self.core.builder.set_pod(make_pod().claims("c").on("a").info())
        plan = self.plugin.pre_bind(self.state, self.pod, node=A, cluster=self.cluster)
        assert plan.wait_for is not None
        return plan.wait_for(self.cluster).message


def test_a_volume_that_is_kept_is_no_longer_there_for_others() -> None:
    attempt = Attempt(CLAIM, make_claim("d").of_class("s"), STATIC, FREE)
    before = dump_snapshot(attempt.cluster)
    attempt.reserve()
    other = make_pod("q").claims("d").info()
    assert attempt.look(CycleState(), other) == []
    kept = attempt.cluster.storage.volume("v")
    assert kept is not None
    assert (kept.claim, kept.bound_by_controller) == (
        VolumeClaimRef("default", "c", "uid-c"),
        True,
    )
    attempt.unreserve()
    assert attempt.look(CycleState(), other) == ["a", "b"]
    assert dump_snapshot(attempt.cluster) == before


def test_a_claim_whose_volume_is_to_be_made_goes_where_its_pod_goes() -> None:
    attempt = Attempt(CLAIM, DYNAMIC)
    attempt.reserve()
    assert attempt.look(CycleState(), make_pod("q").claims("c").info()) == ["a"]
    attempt.unreserve()
    assert attempt.look(CycleState(), make_pod("q").claims("c").info()) == ["a", "b"]


def test_what_the_api_shows_meanwhile_is_not_taken_back() -> None:
    attempt = Attempt(CLAIM, STATIC, FREE)
    attempt.reserve()
    shown = FREE.claimed_by("c", uid="uid-c").version("2")
    attempt.core.add(shown)
    attempt.unreserve()
    assert attempt.cluster.storage.volume("v") == shown.info()


def test_an_assumption_outlives_a_dump() -> None:
    attempt = Attempt(CLAIM, STATIC, FREE)
    attempt.reserve()
    dump = dump_snapshot(attempt.cluster)
    assert dump_snapshot(load_snapshot(dump)) == dump


def test_the_api_is_told_with_the_version_that_was_seen() -> None:
    attempt = Attempt(CLAIM, make_claim("d").of_class("t"), STATIC, FREE)
    attempt.core.add(make_class("t", provisioner="d.io"))
    attempt.pod = make_pod().claims("c", "d").info()
    attempt.look(attempt.state, attempt.pod)
    attempt.reserve()
    plan = attempt.plugin.pre_bind(attempt.state, attempt.pod, node=A, cluster=attempt.cluster)
    assert [(write.plural, write.name, write.body) for write in plan.writes] == [
        (
            "persistentvolumes",
            "v",
            {
                "metadata": {
                    "resourceVersion": "1",
                    "annotations": {"pv.kubernetes.io/bound-by-controller": "yes"},
                },
                "spec": {
                    "claimRef": {
                        "apiVersion": "v1",
                        "kind": "PersistentVolumeClaim",
                        "namespace": "default",
                        "name": "c",
                        "uid": "uid-c",
                        "resourceVersion": "1",
                    }
                },
            },
        ),
        (
            "persistentvolumeclaims",
            "d",
            {
                "metadata": {
                    "resourceVersion": "1",
                    "annotations": {"volume.kubernetes.io/selected-node": "a"},
                }
            },
        ),
    ]
    assert (plan.timeout_seconds, plan.timeout_message) == (
        600.0,
        "binding volumes: context deadline exceeded",
    )


def test_pods_whose_claims_are_bound_have_nothing_to_prepare() -> None:
    attempt = Attempt(CLAIM.bound_to("v"), FREE.bound_to("c"))
    attempt.reserve()
    plan = attempt.plugin.pre_bind(attempt.state, attempt.pod, node=A, cluster=attempt.cluster)
    assert plan.is_empty
    assert not attempt.plugin.concerns(make_pod().info())


NOT_YET = "persistent volumes are not bound yet"


@pytest.mark.parametrize(
    ("shown", "state"),
    [
        ((), NOT_YET),
        ((FREE.claimed_by("c", uid="uid-c").version("2"),), NOT_YET),
        ((FREE.bound_to("c").version("2"), CLAIM.bound_to("v").version("2")), ""),
        ((FREE.version("2"),), 'binding volumes: ClaimRef got reset for pv "v"'),
        (
            (FREE.bound_to("c").local("b").version("2"),),
            'binding volumes: pv "v" node affinity doesn\'t match node "a": '
            "no matching NodeSelectorTerms",
        ),
    ],
)
def test_a_pod_waits_until_its_volume_is_bound(
    shown: tuple[StorageBuilder, ...], state: str
) -> None:
    attempt = Attempt(CLAIM, STATIC, FREE)
    attempt.reserve()
    attempt.core.add(shown)
    assert attempt.wait_state() == state


@pytest.mark.parametrize(
    ("shown", "state"),
    [
        ((), NOT_YET),
        ((CLAIM.selected("a").version("2"),), NOT_YET),
        ((CLAIM.version("2"),), 'binding volumes: provisioning failed for PVC "c"'),
        ((CLAIM.selected("a").wanting("v").version("2"),), NOT_YET),
        ((CLAIM.selected("a").bound_to("v").version("2"), FREE.bound_to("c")), ""),
        (
            (CLAIM.selected("a").bound_to("v").version("2"), FREE.bound_to("c").local("b")),
            'binding volumes: pv "v" node affinity doesn\'t match node "a": '
            "no matching NodeSelectorTerms",
        ),
    ],
)
def test_a_pod_waits_until_its_volume_is_made(
    shown: tuple[StorageBuilder, ...], state: str
) -> None:
    attempt = Attempt(CLAIM, DYNAMIC)
    attempt.reserve()
    attempt.core.add(shown)
    assert attempt.wait_state() == state


def test_what_is_gone_ends_the_binding() -> None:
    attempt = Attempt(CLAIM, STATIC, FREE)
    attempt.reserve()
    plan = attempt.plugin.pre_bind(attempt.state, attempt.pod, node=A, cluster=attempt.cluster)
    assert plan.wait_for is not None
    assert plan.wait_for(attempt.cluster).message == (
        'binding volumes: pod does not exist any more: pod "p" not found'
    )
    attempt.core.builder.set_pod(make_pod().claims("c").on("a").info())
    attempt.core.builder.remove_storage(CLAIM.info())
    assert plan.wait_for(attempt.cluster).message == (
        'binding volumes: failed to check binding: persistentvolumeclaims "default/c" not found'
    )
    attempt.core.builder.remove_storage(FREE.info())
    assert plan.wait_for(attempt.cluster).message == (
        'binding volumes: failed to check binding: persistentvolumes "v" not found'
    )
    attempt.core.builder.remove_node(A)
    assert plan.wait_for(attempt.cluster).message == (
        'binding volumes: failed to get node "a": node "a" not found'
    )


def scores(attempt: Attempt) -> list[int]:
    rows = np.arange(2, dtype=np.intp)
    status = attempt.plugin.pre_score(
        attempt.state, attempt.pod, cluster=attempt.cluster, rows=rows
    )
    assert status.is_success
    scored = attempt.plugin.score(attempt.state, attempt.pod, cluster=attempt.cluster, rows=rows)
    return [int(score) for score in scored]


def test_nodes_with_more_storage_left_score_higher() -> None:
    static = Attempt(CLAIM, STATIC, FREE.size("4Gi").local("a"), FREE.named("w").local("b"))
    assert scores(static) == [75, 0]
    label = {"kubernetes.io/hostname": "a"}
    dynamic = Attempt(
        CLAIM,
        DYNAMIC,
        make_csi_driver("d.io", capacity=True),
        make_capacity("r", storage_class="s", labels=label, capacity="8Gi"),
        make_capacity("q", storage_class="s", labels={}, capacity="2Gi"),
    )
    assert scores(dynamic) == [50, 50]


def test_without_the_gate_storage_scores_nothing() -> None:
    attempt = Attempt(CLAIM, STATIC, FREE)
    plugin = VolumeBinding(context())
    rows = np.arange(2, dtype=np.intp)
    status = plugin.pre_score(attempt.state, attempt.pod, cluster=attempt.cluster, rows=rows)
    assert status.is_skip


def test_a_gang_gets_a_volume_each_and_leaves_no_trace() -> None:
    claims = [make_claim(name).of_class("s") for name in ("c1", "c2")]
    members = [make_pod(f"p{i}").group("g").claims(f"c{i}") for i in (1, 2)]
    core = DecidingCore(
        NODES, STATIC, claims, make_podgroup().gang(min_count=2), members, FREE.local("a")
    )
    before = dump_snapshot(core.snapshot)
    assert bindings(core.decide_group()) == {}
    assert dump_snapshot(core.snapshot) == before
    core.add(FREE.named("w").local("b"))
    decided = bindings(core.decide_group())
    assert sorted(decided.values()) == ["a", "b"]
    assert not core.snapshot.storage.assumed()


def test_hints_ask_what_storage_could_have_changed() -> None:
    pod = make_pod().claims("c").ephemeral("e").info()
    assert is_schedulable_after_claim_change(pod, None, make_claim("c").info())
    assert is_schedulable_after_claim_change(pod, None, make_claim("p-e").info())
    assert not is_schedulable_after_claim_change(pod, None, make_claim("d").info())
    here = make_class(topologies=({"zone": ("a",)},)).info()
    assert is_schedulable_after_class_change(pod, None, here)
    assert is_schedulable_after_class_change(pod, make_class().info(), here)
    assert not is_schedulable_after_class_change(pod, here, here)
    plain, migrated = make_csi_node("a").info(), make_csi_node("a", migrated="x").info()
    assert is_schedulable_after_csi_node_change(pod, None, plain)
    assert is_schedulable_after_csi_node_change(pod, plain, migrated)
    assert not is_schedulable_after_csi_node_change(pod, plain, plain)


def test_room_matters_if_it_grew_and_drivers_if_they_stop_minding() -> None:
    pod = make_pod().info()
    low, high = (
        make_capacity("r", storage_class="s", labels={}, capacity=size).info()
        for size in ("1Gi", "2Gi")
    )
    assert is_schedulable_after_capacity_change(pod, None, low)
    assert is_schedulable_after_capacity_change(pod, low, high)
    assert not is_schedulable_after_capacity_change(pod, high, low)
    minds = make_csi_driver("d.io", capacity=True).info()
    assert not is_schedulable_after_driver_change(pod, minds, make_csi_driver("d.io").info())
