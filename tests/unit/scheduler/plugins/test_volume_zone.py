"""VolumeZone: pods stay in the zones of their volumes."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.plugins.volumezone.hints import (
    is_schedulable_after_claim_change,
    is_schedulable_after_class_added,
    is_schedulable_after_volume_change,
)
from kubegang.scheduler.plugins.volumezone.plugin import VolumeZone
from kubegang.testing.builders import make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from kubegang.testing.storagebuilders import make_claim, make_class, make_volume
from tests.unit.scheduler.plugins.asking import context, refused

ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"
NODES = (
    make_node("z1").zone("z1").label(REGION, "r"),
    make_node("z2").zone("z2").label(REGION, "r"),
    make_node("nowhere"),
)
ELSEWHERE = "!node(s) had no available volume zone"
CLAIM = make_claim("c").bound_to("v")


@pytest.mark.parametrize(
    ("label", "value", "refusing"),
    [
        (ZONE, "z1", {"z2"}),
        (ZONE, "z1__z2", set()),
        (ZONE, "z1__", set()),
        (OLD_ZONE, "z2", {"z1"}),
        (REGION, "r", set()),
        (REGION, "q", {"z1", "z2"}),
    ],
)
def test_nodes_in_a_zone_must_be_in_that_of_the_volume(
    label: str, value: str, refusing: set[str]
) -> None:
    core = DecidingCore(NODES, CLAIM, make_volume("v").label(label, value))
    said = refused(VolumeZone(context()), core.snapshot, make_pod().claims("c"))
    assert said == dict.fromkeys(refusing, ELSEWHERE)


def test_a_node_with_the_old_label_needs_no_new_one() -> None:
    node = make_node("old").label(OLD_ZONE, "z1")
    core = DecidingCore(node, CLAIM, make_volume("v").label(OLD_ZONE, "z1"))
    assert refused(VolumeZone(context()), core.snapshot, make_pod().claims("c")) == {}


@pytest.mark.parametrize(
    ("objects", "text"),
    [
        ((), 'persistentvolumeclaim "c" not found'),
        ((CLAIM,), 'persistentvolume "v" not found'),
        ((make_claim("c"),), "PersistentVolumeClaim had no pv name and storageClass name"),
        (
            (make_claim("c").of_class("s"),),
            'storageclass.storage.k8s.io "s" not found',
        ),
        (
            (make_claim("c").of_class("s"), make_class("s", waits=False)),
            "PersistentVolume had no name",
        ),
    ],
)
def test_what_cannot_be_found_refuses_the_pod(objects: tuple[object, ...], text: str) -> None:
    core = DecidingCore(NODES, *objects)  # type: ignore[arg-type]
    pod = make_pod().claims("c").info()
    answer = VolumeZone(context()).pre_filter(CycleState(), pod, cluster=core.snapshot)
    assert answer.status.message == text


def test_claims_that_wait_for_their_pod_ask_for_no_zone() -> None:
    core = DecidingCore(NODES, make_claim("c").of_class("s"), make_class("s"))
    assert refused(VolumeZone(context()), core.snapshot, make_pod().claims("c")) == {}


def test_hints_ask_about_the_pod_s_claims_new_classes_and_other_zones() -> None:
    pod = make_pod().claims("c").info()
    assert is_schedulable_after_claim_change(pod, None, make_claim("c").info())
    assert not is_schedulable_after_claim_change(pod, None, make_claim("d").info())
    assert is_schedulable_after_class_added(pod, None, make_class().info())
    assert not is_schedulable_after_class_added(pod, None, make_class(waits=False).info())
    here, there = make_volume().label(ZONE, "z1").info(), make_volume().label(ZONE, "z2").info()
    assert is_schedulable_after_volume_change(pod, None, here)
    assert is_schedulable_after_volume_change(pod, here, there)
    assert not is_schedulable_after_volume_change(pod, here, here)
