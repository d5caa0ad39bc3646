"""How many devices stand behind an extended resource, and how many of them are taken."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.api.meta import decode
from kubegang.api.resource.types import DeviceClass, ResourceSlice
from kubegang.scheduler.plugins.noderesources.balancedallocation import (
    NodeResourcesBalancedAllocation,
)
from kubegang.scheduler.plugins.noderesources.devicecounts import DeviceCounts
from kubegang.scheduler.plugins.noderesources.fit import NodeResourcesFit
from kubegang.testing.builders import make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from tests.unit.scheduler.plugins.asking import context, refused, scored
from tests.unit.scheduler.plugins.devicecluster import (
    DRIVER,
    add_devices,
    allocated,
    claim,
    devices_on,
)

GPU = "example.com/gpu"


def offering(expression: str = "true") -> DeviceClass:
    spec = {"selectors": [{"cel": {"expression": expression}}], "extendedResourceName": GPU}
    return decode({"metadata": {"name": "gpu"}, "spec": spec}, DeviceClass)


def published(name: str, **place: Any) -> ResourceSlice:
    """Return a slice with one device, reached as the slice or the device says."""
    per_device = "perDeviceNodeSelection" in place
    device = {"name": "d", **(place.pop("device") if per_device else {})}
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": DRIVER, "pool": pool, "devices": [device], **place}
    return decode({"metadata": {"name": name}, "spec": spec}, ResourceSlice)


def in_zone(zone: str) -> dict[str, Any]:
    expression = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}
    return {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}


def counted(counts: DeviceCounts, core: DecidingCore) -> tuple[list[int], list[int]]:
    totals = counts.of(core.snapshot, GPU)
    assert totals is not None
    return totals.allocatable.tolist(), totals.allocated.tolist()


def test_devices_count_on_the_nodes_that_reach_them() -> None:
    core = DecidingCore(make_node("a").zone("z"), make_node("b"))
    assert DeviceCounts().of(core.snapshot, GPU) is None
    add_devices(
        core,
        offering(),
        devices_on("a", "d0", "d1"),
        devices_on("elsewhere", "d0"),
        published("shared", allNodes=True),
        published("zonal", **in_zone("z")),
        published("own", perDeviceNodeSelection=True, device={"nodeName": "b"}),
        claim("c", status=allocated("a", "d1")),
        claim("d", status=allocated("shared", "d")),
    )
    assert counted(DeviceCounts(), core) == ([4, 2], [2, 1])


def test_what_is_kept_lasts_as_long_as_class_slices_and_nodes() -> None:
    core, counts = DecidingCore(make_node("a"), make_node("b")), DeviceCounts()
    add_devices(core, offering(), devices_on("a", "d0", "d1"))
    assert counted(counts, core) == ([2, 0], [0, 0])
    add_devices(core, devices_on("b", "d0"))
    assert counted(counts, core) == ([2, 1], [0, 0])
    add_devices(core, offering("false"))
    assert counted(counts, core) == ([0, 0], [0, 0])
    same = offering()
    add_devices(core, same)
    assert counted(counts, core) == ([2, 1], [0, 0])

    # Another table with the same versions, and other rows.
    other = DecidingCore(make_node("b"), make_node("a"))
    add_devices(other, same, devices_on("b", "d0"), devices_on("a", "d0", "d1"))
    assert other.snapshot.nodes.version == core.snapshot.nodes.version
    assert counted(counts, other) == ([1, 2], [0, 0])


@pytest.mark.parametrize("kind", [NodeResourcesFit, NodeResourcesBalancedAllocation])
def test_scores_are_kept_only_while_nobody_takes_a_device(
    kind: type[NodeResourcesFit | NodeResourcesBalancedAllocation],
) -> None:
    core, plugin = DecidingCore(make_node("a")), kind(context(DRAExtendedResource=True))
    add_devices(core, offering(), devices_on("a", "d0", "d1"))
    asking, plain = make_pod("p").req(gpu="1"), make_pod("q").req(cpu="1")
    if isinstance(plugin, NodeResourcesFit):
        refused(plugin, core.snapshot, asking)
    scored(plugin, core.snapshot, asking)
    before = [plugin.score_key(pod.info()) for pod in (asking, plain)]
    assert plugin.score_key(asking.info()) == before[0]
    add_devices(core, claim("c", status=allocated("a", "d1")))
    assert plugin.score_key(asking.info()) != before[0]
    assert plugin.score_key(plain.info()) == before[1]
