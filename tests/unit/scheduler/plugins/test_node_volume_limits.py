"""NodeVolumeLimits: how many volumes of a driver a node can attach."""

from __future__ import annotations

import pytest

from kubegang.api.core.types import Volume
from kubegang.api.core.volumesources import VolumeIDDisk
from kubegang.api.scheduling_rules import SchedulingRules, VolumeRules
from kubegang.base.feature_gates import FeatureGates
from kubegang.scheduler.framework.interface import PluginContext
from kubegang.scheduler.plugins.nodevolumelimits.hints import (
    is_schedulable_after_attachment_deleted,
    is_schedulable_after_claim_added,
    is_schedulable_after_csi_node_update,
    is_schedulable_after_pod_deleted,
)
from kubegang.scheduler.plugins.nodevolumelimits.plugin import NodeVolumeLimits
from kubegang.testing.builders import make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from kubegang.testing.storagebuilders import (
    StorageBuilder,
    make_attachment,
    make_claim,
    make_class,
    make_csi_driver,
    make_csi_node,
    make_volume,
)
from tests.unit.scheduler.plugins.asking import context, refused

FULL = "node(s) exceed max volume count"
EBS = "ebs.csi.aws.com"


def bound(number: int, *, driver: str = "d.io", handle: str = "") -> tuple[StorageBuilder, ...]:
    volume = make_volume(f"v{number}").csi(driver, handle).bound_to(f"c{number}")
    return (make_claim(f"c{number}").bound_to(f"v{number}"), volume)


def cluster(*objects: object) -> DecidingCore:
    return DecidingCore(make_node("small"), make_node("free"), *objects)  # type: ignore[arg-type]


def test_a_node_without_room_for_another_volume_is_refused() -> None:
    core = cluster(
        bound(1), bound(2), make_csi_node("small", d_io=1), make_pod("a").claims("c1").on("small")
    )
    plugin = NodeVolumeLimits(context())
    assert refused(plugin, core.snapshot, make_pod().claims("c2")) == {"small": FULL}
    # The same volume takes no second place.
    assert refused(plugin, core.snapshot, make_pod().claims("c1")) == {}


def test_volumes_of_other_drivers_take_no_place() -> None:
    core = cluster(
        bound(1, driver="other.io"),
        bound(2),
        make_csi_node("small", d_io=1),
        make_pod("a").claims("c1").on("small"),
    )
    assert refused(NodeVolumeLimits(context()), core.snapshot, make_pod().claims("c2")) == {}


def test_claims_that_wait_count_for_the_driver_of_their_class() -> None:
    core = cluster(
        make_class("s", provisioner="d.io"),
        make_claim("c1").of_class("s"),
        make_claim("c2").of_class("s"),
        make_csi_node("small", d_io=1),
    )
    plugin = NodeVolumeLimits(context())
    assert refused(plugin, core.snapshot, make_pod().claims("c1")) == {}
    assert refused(plugin, core.snapshot, make_pod().claims("c1", "c2")) == {"small": FULL}


def test_a_volume_still_attached_takes_a_place_even_from_the_pod_that_wants_it() -> None:
    attachment = make_attachment("a", driver="d.io", node="small", volume="v1")
    core = cluster(bound(1), bound(2), make_csi_node("small", d_io=1), attachment)
    plugin = NodeVolumeLimits(context())
    assert refused(plugin, core.snapshot, make_pod().claims("c2")) == {"small": FULL}
    assert refused(plugin, core.snapshot, make_pod().claims("c1")) == {"small": FULL}
    core.add(make_pod("user").claims("c1").on("small"))
    assert refused(plugin, core.snapshot, make_pod().claims("c1")) == {}


def test_ephemeral_volumes_count_as_the_claims_made_for_them() -> None:
    core = cluster(
        make_class("s", provisioner="d.io"),
        make_claim("p-e").of_class("s").made_for("p"),
        make_csi_node("small", d_io=0),
    )
    plugin = NodeVolumeLimits(context())
    assert refused(plugin, core.snapshot, make_pod().ephemeral("e")) == {"small": FULL}


DISK = Volume("d", aws_elastic_block_store=VolumeIDDisk(volume_id="vol-1"))


@pytest.mark.parametrize(
    ("listed_only", "migrated", "full"),
    [(False, "", True), (True, "", False), (True, "kubernetes.io/aws-ebs", True)],
)
def test_disks_of_migrated_plugins_count_for_the_driver(
    *, listed_only: bool, migrated: str, full: bool
) -> None:
    rules = SchedulingRules(volumes=VolumeRules(lists_migrated_plugins=listed_only))
    plugin = NodeVolumeLimits(PluginContext(gates=FeatureGates({}), rules=rules))
    core = cluster(make_csi_node("small", migrated=migrated, **{EBS.replace(".", "_"): 0}))
    said = refused(plugin, core.snapshot, make_pod().volumes(DISK))
    assert said == ({"small": FULL} if full else {})


@pytest.mark.parametrize(
    ("by_choice", "needed", "refusing"),
    [(True, True, True), (True, False, False), (False, False, True)],
)
def test_a_driver_that_is_not_installed_keeps_pods_off(
    *, by_choice: bool, needed: bool, refusing: bool
) -> None:
    rules = SchedulingRules(volumes=VolumeRules(missing_driver_by_choice=by_choice))
    gates = FeatureGates({"VolumeLimitScaling": True})
    core = cluster(
        bound(1), make_csi_driver("d.io", needed=needed), make_csi_node("free", d_io=None)
    )
    plugin = NodeVolumeLimits(PluginContext(gates=gates, rules=rules))
    said = refused(plugin, core.snapshot, make_pod().claims("c1"))
    missing = "d.io CSI driver is not installed on the node"
    assert said == ({"small": missing} if refusing else {})
    assert refused(NodeVolumeLimits(context()), core.snapshot, make_pod().claims("c1")) == {}


def test_a_claim_that_vanished_since_is_looked_up_in_vain() -> None:
    said = refused(NodeVolumeLimits(context()), cluster().snapshot, make_pod().claims("c"))
    text = '!looking up PVC default/c: persistentvolumeclaim "c" not found'
    assert said == {"small": text, "free": text}


def test_hints_ask_who_let_go_and_whose_limit_rose() -> None:
    pod = make_pod().claims("c").info()
    gone = make_pod("x").claims("c")
    assert is_schedulable_after_pod_deleted(pod, gone.on("n").info(), None)
    assert not is_schedulable_after_pod_deleted(pod, gone.info(), None)
    assert not is_schedulable_after_pod_deleted(pod, make_pod("x").on("n").info(), None)
    assert is_schedulable_after_claim_added(pod, None, make_claim("c").info())
    assert not is_schedulable_after_claim_added(pod, None, make_claim("d").info())
    attachment = make_attachment("a", driver=EBS, node="n", volume="v").info()
    assert is_schedulable_after_attachment_deleted(pod, attachment, None)
    assert is_schedulable_after_attachment_deleted(
        make_pod().volumes(DISK).info(), attachment, None
    )
    assert not is_schedulable_after_attachment_deleted(make_pod().info(), attachment, None)
    low, high = make_csi_node("n", d_io=1).info(), make_csi_node("n", d_io=2).info()
    assert is_schedulable_after_csi_node_update(pod, low, high)
    assert not is_schedulable_after_csi_node_update(pod, high, low)
