"""Host ports and images on nodes."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.plugins.imagelocality.plugin import ImageLocality
from kubegang.scheduler.plugins.nodeports.plugin import (
    NodePorts,
    is_schedulable_after_pod_deleted,
)
from kubegang.testing.builders import PodBuilder, make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from tests.unit.scheduler.plugins.asking import context, refused, scored

TAKEN = "node(s) didn't have free ports for the requested pod ports"
MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("there", "pod", "free"),
    [
        pytest.param(make_pod().port(80), make_pod().port(80), False, id="same"),
        pytest.param(make_pod().port(80), make_pod().port(81), True, id="other-number"),
        pytest.param(make_pod().port(80), make_pod().port(80, "UDP"), True, id="other-protocol"),
        pytest.param(
            make_pod().port(80, ip="10.0.0.1"),
            make_pod().port(80, ip="10.0.0.2"),
            True,
            id="other-address",
        ),
        pytest.param(
            make_pod().port(80, ip="10.0.0.1"), make_pod().port(80), False, id="all-addresses"
        ),
        pytest.param(
            make_pod().port(80),
            make_pod().port(80, ip="10.0.0.1"),
            False,
            id="of-all-addresses-one",
        ),
        pytest.param(
            make_pod().port(1).port(80), make_pod().port(2).port(80), False, id="one-of-two"
        ),
    ],
)
def test_a_port_is_taken_once_per_address(there: PodBuilder, pod: PodBuilder, free: bool) -> None:
    core = DecidingCore(make_node("n"), make_node("m"), there.named("there").on("n"))
    said = refused(NodePorts(context()), core.snapshot, pod)
    assert said == ({} if free else {"n": TAKEN})
    waiting, gone = pod.info(), there.on("n").info()
    assert is_schedulable_after_pod_deleted(waiting, gone, None) is not free


def test_pods_without_host_ports_skip_the_filter() -> None:
    core = DecidingCore(make_node("n"))
    plugin = NodePorts(context())
    status, _ = plugin.pre_filter(CycleState(), make_pod().info(), cluster=core.snapshot)
    assert status.is_skip


@pytest.mark.parametrize(
    ("size_mib", "nodes_with_it", "want"),
    [
        pytest.param(2000, 2, [100, 100], id="everywhere-and-large"),
        # Half the nodes have it, so half its size counts: (500 - 23) of (1000 - 23).
        pytest.param(1000, 1, [48, 0], id="on-one-node"),
        pytest.param(46, 1, [0, 0], id="too-small-to-matter"),
    ],
)
def test_nodes_with_the_image_rank_higher(
    size_mib: int, nodes_with_it: int, want: list[int]
) -> None:
    nodes = make_node().times(2)
    have = [node.image("app:1", size_bytes=size_mib * MIB) for node in nodes[:nodes_with_it]]
    core = DecidingCore(have, nodes[nodes_with_it:])
    assert scored(ImageLocality(context()), core.snapshot, make_pod().image("app:1")) == want


def test_images_are_compared_with_their_tag() -> None:
    core = DecidingCore(make_node("n").image("reg:5000/app:latest", size_bytes=2000 * MIB))
    plugin = ImageLocality(context())
    assert scored(plugin, core.snapshot, make_pod().image("reg:5000/app")) == [100]
    assert scored(plugin, core.snapshot, make_pod().image("reg:5000/app:1")) is None


def test_more_containers_need_more_megabytes() -> None:
    core = DecidingCore(make_node("n").image("app:1", size_bytes=1000 * MIB))
    pod = make_pod().image("app:1").init()
    assert scored(ImageLocality(context()), core.snapshot, pod) == [49]
