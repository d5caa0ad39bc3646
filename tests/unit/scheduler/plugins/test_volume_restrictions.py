"""VolumeRestrictions: volumes that only one pod may use."""

from __future__ import annotations

import pytest

from kubegang.api.core.types import Volume
from kubegang.api.core.volumesources import (
    GCEPersistentDisk,
    ISCSIVolumeSource,
    RBDVolumeSource,
    VolumeIDDisk,
)
from kubegang.api.scheduling_rules import SchedulingRules, VolumeRules
from kubegang.scheduler.framework.interface import PluginContext
from kubegang.scheduler.plugins.volumerestrictions.hints import (
    is_schedulable_after_claim_added,
    is_schedulable_after_pod_deleted,
)
from kubegang.scheduler.plugins.volumerestrictions.plugin import VolumeRestrictions
from kubegang.scheduler.snapshot.trial import Trial
from kubegang.testing.builders import make_node, make_pod, make_podgroup
from kubegang.testing.deciding import (
    DecidingCore,
    bindings,
    default_profile,
    nominations,
    victims,
)
from kubegang.testing.storagebuilders import make_claim, make_volume
from tests.unit.scheduler.plugins.asking import ALL_OFF, context, refused

ONE_POD = make_claim("c").modes("ReadWriteOncePod")
CONFLICT = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
    "in-use by another pod"
)


def core(*objects: object) -> DecidingCore:
    return DecidingCore(make_node("a"), make_node("b"), *objects)  # type: ignore[arg-type]


def test_a_claim_for_one_pod_is_taken_wherever_its_pod_is() -> None:
    cluster = core(ONE_POD, make_pod("first").claims("c").on("a"))
    said = refused(VolumeRestrictions(context()), cluster.snapshot, make_pod().claims("c"))
    assert said == {"a": CONFLICT, "b": CONFLICT}


def test_pods_of_other_namespaces_have_claims_of_their_own() -> None:
    cluster = core(ONE_POD, make_pod("first").ns("other").claims("c").on("a"))
    assert refused(VolumeRestrictions(context()), cluster.snapshot, make_pod().claims("c")) == {}


def test_a_claim_that_many_may_use_is_never_taken() -> None:
    cluster = core(make_claim("c"), make_pod("first").claims("c").on("a"))
    assert refused(VolumeRestrictions(context()), cluster.snapshot, make_pod().claims("c")) == {}


def test_a_claim_that_is_missing_refuses_the_pod_before_any_node() -> None:
    decision_core = core(make_pod().claims("c"))
    message = decision_core.decide_pod().diagnosis.upstream_message
    assert message.startswith('0/2 nodes are available: persistentvolumeclaim "c" not found. '), (
        message
    )


@pytest.mark.parametrize(("siblings", "taken"), [(True, True), (False, False)])
def test_whether_a_sibling_in_the_same_trial_counts_is_the_release_s_business(
    *, siblings: bool, taken: bool
) -> None:
    rules = SchedulingRules(volumes=VolumeRules(siblings_use_claims=siblings))
    plugin = VolumeRestrictions(PluginContext(gates=ALL_OFF, rules=rules))
    cluster = core(ONE_POD)
    with Trial(cluster.snapshot) as trial:
        trial.place(make_pod("sibling").claims("c").info(), cluster.snapshot.nodes.names[0])
        said = refused(plugin, cluster.snapshot, make_pod().claims("c"))
    assert bool(said) is taken
    assert refused(plugin, cluster.snapshot, make_pod().claims("c")) == {}


def disk(**source: object) -> Volume:
    return Volume("d", **source)  # type: ignore[arg-type]


GCE = disk(gce_persistent_disk=GCEPersistentDisk(pd_name="x"))
GCE_READ = disk(gce_persistent_disk=GCEPersistentDisk(pd_name="x", read_only=True))
EBS_READ = disk(aws_elastic_block_store=VolumeIDDisk(volume_id="x", read_only=True))
ISCSI = disk(iscsi=ISCSIVolumeSource("x"))
ISCSI_READ = disk(iscsi=ISCSIVolumeSource("x", read_only=True))
RBD = disk(rbd=RBDVolumeSource(("m1", "m2"), "pool", "image"))
RBD_ELSEWHERE = disk(rbd=RBDVolumeSource(("m3",), "pool", "image"))
RBD_NEAR = disk(rbd=RBDVolumeSource(("m2",), "pool", "image", read_only=True))


@pytest.mark.parametrize(
    ("theirs", "ours", "conflict"),
    [
        (GCE, GCE, True),
        (GCE, GCE_READ, True),
        (GCE_READ, GCE_READ, False),
        (EBS_READ, EBS_READ, True),
        (ISCSI, ISCSI_READ, True),
        (ISCSI_READ, ISCSI_READ, False),
        (RBD, RBD_NEAR, True),
        (RBD, RBD_ELSEWHERE, False),
        (GCE, ISCSI, False),
    ],
)
def test_disks_that_pods_name_themselves_conflict_on_their_node(
    theirs: Volume, ours: Volume, *, conflict: bool
) -> None:
    cluster = core(make_pod("first").volumes(theirs).on("a"))
    said = refused(VolumeRestrictions(context()), cluster.snapshot, make_pod().volumes(ours))
    assert said == ({"a": "node(s) had no available disk"} if conflict else {})


def test_a_deleted_pod_matters_if_it_had_the_claim_or_the_disk() -> None:
    waiting = make_pod().claims("c").volumes(GCE).info()
    for gone, matters in (
        (make_pod("x").claims("c"), True),
        (make_pod("x").volumes(GCE_READ), True),
        (make_pod("x").claims("other"), False),
        (make_pod("x").ns("other").claims("c"), False),
    ):
        assert is_schedulable_after_pod_deleted(waiting, gone.info(), None) is matters


def test_a_new_claim_matters_if_it_is_the_pod_s() -> None:
    waiting = make_pod().claims("c").ephemeral("e").info()
    for name, matters in (("c", True), ("other", False), ("p-e", False)):
        info = make_claim(name).info()
        assert is_schedulable_after_claim_added(waiting, None, info) is matters


@pytest.mark.parametrize(("version", "bound"), [("1.37", 0), ("1.36", 2)])
def test_a_claim_for_one_pod_between_members_of_a_gang(version: str, *, bound: int) -> None:
    """1.36.3 binds both, 1.37.2 neither (measured)."""
    members = [make_pod(name).group("g").claims("c") for name in ("p1", "p2")]
    cluster = DecidingCore(
        make_node("a"),
        ONE_POD.bound_to("v"),
        make_volume("v").modes("ReadWriteOncePod").bound_to("c"),
        make_podgroup().gang(min_count=2),
        members,
        profile=default_profile(version=version),
    )
    assert len(bindings(cluster.decide_group())) == bound


def test_a_pod_makes_room_where_its_claim_is_taken() -> None:
    cluster = core(
        ONE_POD.bound_to("v"),
        make_volume("v").modes("ReadWriteOncePod").bound_to("c"),
        make_pod("weak").claims("c").on("b"),
        make_pod("p").claims("c").priority(10),
    )
    decision = cluster.decide_pod()
    assert victims(decision) == ["weak"]
    assert nominations(decision) == {"p": "b"}
