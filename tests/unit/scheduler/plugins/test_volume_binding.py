"""VolumeBinding: which nodes will do for a pod's claims, and why not the others."""

from __future__ import annotations

import pytest

from kubegang.api.core.volumesources import VolumeIDDisk
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.plugins.volumebinding.plugin import VolumeBinding
from kubegang.testing.builders import make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from kubegang.testing.storagebuilders import (
    StorageBuilder,
    make_capacity,
    make_claim,
    make_class,
    make_csi_driver,
    make_csi_node,
    make_volume,
)
from tests.unit.scheduler.plugins.asking import context, refused

DISK = VolumeIDDisk(volume_id="vol-1")
NODES = (make_node("a"), make_node("b"))
WAITING = make_claim("c").of_class("s")
STATIC = make_class("s")
DYNAMIC = make_class("s", provisioner="d.io")
FREE = make_volume("v").of_class("s")

REACH = "!node(s) didn't match PersistentVolume's node affinity"
BIND = "!node(s) didn't find available persistent volumes to bind"
ROOM = "!node(s) did not have enough free storage"
GONE = "!node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"


def said(*objects: StorageBuilder, claims: tuple[str, ...] = ("c",)) -> dict[str, str]:
    core = DecidingCore(NODES, *objects)
    return refused(VolumeBinding(context()), core.snapshot, make_pod().claims(*claims))


def test_a_bound_volume_must_be_within_reach() -> None:
    claim, volume = make_claim("c").bound_to("v"), make_volume("v").bound_to("c")
    assert said(claim, volume) == {}
    assert said(claim, volume.local("a")) == {"b": REACH}
    assert said(claim, volume.local("a", "b")) == {}
    assert said(claim) == {"a": GONE, "b": GONE}


@pytest.mark.parametrize(
    ("objects", "text"),
    [
        ((), 'persistentvolumeclaim "c" not found'),
        (
            (make_claim("c").wanting("v").lost(),),
            'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
        ),
        ((make_claim("c").terminating(),), 'persistentvolumeclaim "c" is being deleted'),
        ((make_claim("c"),), "pod has unbound immediate PersistentVolumeClaims"),
        (
            (WAITING, make_class("s", waits=False)),
            "pod has unbound immediate PersistentVolumeClaims",
        ),
        (
            (WAITING.wanting("v"), STATIC),
            "pod has unbound immediate PersistentVolumeClaims",
        ),
    ],
)
def test_claims_that_must_be_bound_first_refuse_the_pod(
    objects: tuple[StorageBuilder, ...], text: str
) -> None:
    core = DecidingCore(NODES, *objects)
    pod = make_pod().claims("c").info()
    answer = VolumeBinding(context()).pre_filter(CycleState(), pod, cluster=core.snapshot)
    assert (answer.status.message, answer.status.code.value) == (
        text,
        "UnschedulableAndUnresolvable",
    )


def test_an_ephemeral_volume_waits_for_its_claim_and_takes_no_other_s() -> None:
    pod = make_pod().ephemeral("e").info()
    plugin = VolumeBinding(context())
    core = DecidingCore(NODES)
    answer = plugin.pre_filter(CycleState(), pod, cluster=core.snapshot)
    assert answer.status.message == (
        'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-e"'
    )
    core.add(make_claim("p-e").made_for("somebody"))
    answer = plugin.pre_filter(CycleState(), pod, cluster=core.snapshot)
    assert answer.status.message == (
        "PVC default/p-e was not created for pod default/p (pod is not owner)"
    )


@pytest.mark.parametrize(
    ("claim", "volume", "fits"),
    [
        (WAITING, FREE, True),
        (WAITING, make_volume("v"), False),
        (WAITING.size("2Gi"), FREE, False),
        (WAITING.size("2Gi"), FREE.size("3Gi"), True),
        (WAITING.modes("ReadWriteMany"), FREE, False),
        (WAITING.modes("ReadWriteMany"), FREE.modes("ReadWriteOnce", "ReadWriteMany"), True),
        (WAITING.block(), FREE, False),
        (WAITING.block(), FREE.block(), True),
        (WAITING.selecting(tier="fast"), FREE, False),
        (WAITING.selecting(tier="fast"), FREE.label("tier", "fast"), True),
        (WAITING, FREE.phase("Released"), False),
        (WAITING, FREE.terminating(), False),
        (WAITING, FREE.claimed_by("other"), False),
        (WAITING, FREE.claimed_by("c"), True),
        (WAITING, FREE.claimed_by("c", uid="another"), False),
        # A volume that is promised need not be free, nor fit in every respect.
        (WAITING.modes("ReadWriteMany"), FREE.claimed_by("c").phase("Pending"), True),
    ],
)
def test_a_volume_that_is_there_must_fit_the_claim(
    claim: StorageBuilder, volume: StorageBuilder, *, fits: bool
) -> None:
    assert said(claim, volume, STATIC) == ({} if fits else {"a": BIND, "b": BIND})


def test_local_volumes_serve_their_own_nodes() -> None:
    assert said(WAITING, STATIC, FREE.local("b")) == {"a": BIND}


def test_a_promised_volume_out_of_reach_leaves_no_other() -> None:
    promised = make_volume("w").of_class("s").claimed_by("c").local("a")
    assert said(WAITING, STATIC, FREE, promised) == {"b": BIND}


def test_two_claims_of_a_pod_need_two_volumes() -> None:
    second = make_claim("d").of_class("s")
    assert said(WAITING, second, STATIC, FREE, claims=("c", "d")) == {"a": BIND, "b": BIND}
    other = make_volume("w").of_class("s").local("b")
    assert said(WAITING, second, STATIC, FREE, other, claims=("c", "d")) == {"a": BIND}


def test_small_claims_leave_large_volumes_to_large_ones() -> None:
    small, large = WAITING.size("1Gi"), make_claim("d").of_class("s").size("5Gi")
    volumes = (FREE.size("10Gi"), make_volume("w").of_class("s").size("2Gi"))
    assert said(large, small, STATIC, *volumes, claims=("d", "c")) == {}


def test_a_class_that_makes_volumes_serves_all_nodes_or_its_topologies() -> None:
    assert said(WAITING, DYNAMIC) == {}
    only_a = make_class(
        "s", provisioner="d.io", topologies=({"kubernetes.io/hostname": ("a", "x")},)
    )
    assert said(WAITING, only_a) == {"b": BIND}


def test_a_claim_whose_volume_is_being_made_stays_with_its_node() -> None:
    assert said(WAITING.selected("b"), DYNAMIC, FREE) == {"a": BIND}
    assert said(WAITING.selected("gone"), DYNAMIC) == {"a": BIND, "b": BIND}


def test_room_is_looked_at_if_the_driver_wants_that() -> None:
    room = make_capacity(
        "r", storage_class="s", labels={"kubernetes.io/hostname": "b"}, capacity="1Gi"
    )
    minds = make_csi_driver("d.io", capacity=True)
    assert said(WAITING, DYNAMIC, make_csi_driver("d.io"), room) == {}
    assert said(WAITING, DYNAMIC, minds, room) == {"a": ROOM}
    assert said(WAITING.size("2Gi"), DYNAMIC, minds, room) == {"a": ROOM, "b": ROOM}
    capped = make_capacity("r", storage_class="s", labels={}, capacity="9Gi", largest="1Mi")
    assert said(WAITING, DYNAMIC, minds, capped) == {"a": ROOM, "b": ROOM}


def test_everything_that_stands_against_a_node_is_said() -> None:
    core = DecidingCore(
        NODES,
        make_claim("d").bound_to("w"),
        make_volume("w").bound_to("d").local("a"),
        WAITING,
        STATIC,
        make_pod().claims("d", "c"),
    )
    message = core.decide_pod().diagnosis.upstream_message
    assert message.startswith(
        "0/2 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, "
        "2 node(s) didn't find available persistent volumes to bind. "
    ), message


def test_a_migrated_volume_is_where_its_driver_says() -> None:
    label = "topology.ebs.csi.aws.com/zone"
    nodes = (make_node("a").label(label, "z1"), make_node("b").label(label, "z2"))
    volume = make_volume("v").label("topology.kubernetes.io/zone", "z2").bound_to("c")
    disk = {"aws_elastic_block_store": DISK}
    migrated = [make_csi_node(name, migrated="kubernetes.io/aws-ebs") for name in ("a", "b")]
    core = DecidingCore(nodes, make_claim("c").bound_to("v"), volume.with_spec(**disk), migrated)
    plugin = VolumeBinding(context())
    assert refused(plugin, core.snapshot, make_pod().claims("c")) == {"a": REACH}
    core.add(make_csi_node("a"))
    assert refused(plugin, core.snapshot, make_pod().claims("c")) == {}
