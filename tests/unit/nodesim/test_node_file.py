"""The node file becomes Node objects; what is wrong in it is named."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from kubegang.nodesim.devices import Devices, devices_of
from kubegang.nodesim.node_file import NodeFileError, default_cluster, nodes_of, parse_node_file

ZONE, RACK = "topology.kubernetes.io/zone", "topology.kubernetes.io/rack"


def cluster(**pool: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kubegang.dev/v1alpha1",
        "kind": "SimulatedCluster",
        "nodePools": [{"name": "gpu", **pool}],
    }


def test_nodes_are_dealt_evenly_over_the_racks_of_each_zone() -> None:
    document = cluster(
        count=16, topology=[{"key": ZONE, "values": ["a", "b"]}, {"key": RACK, "count": 2}]
    )

    nodes = nodes_of(parse_node_file(document))

    placed = [(n["metadata"]["labels"][ZONE], n["metadata"]["labels"][RACK]) for n in nodes]
    assert Counter(placed) == {("a", "a-0"): 4, ("a", "a-1"): 4, ("b", "b-0"): 4, ("b", "b-1"): 4}
    assert [n["metadata"]["name"] for n in nodes][:2] == ["gpu-0", "gpu-1"]
    assert placed[0][0] != placed[1][0]


def test_a_counted_outermost_level_is_numbered_plainly() -> None:
    nodes = nodes_of(parse_node_file(cluster(count=3, topology=[{"key": RACK, "count": 3}])))

    assert [n["metadata"]["labels"][RACK] for n in nodes] == ["0", "1", "2"]


def test_shape_labels_and_taints_reach_the_node() -> None:
    document = cluster(
        allocatable={"cpu": 64, "nvidia.com/gpu": "8"},
        labels={"pool": "gpu"},
        taints=["nvidia.com/gpu=present:NoSchedule", "spot:PreferNoSchedule"],
    )

    (node,) = nodes_of(parse_node_file(document))

    assert node["status"]["allocatable"] == {
        "cpu": "64",
        "memory": "128Gi",
        "pods": "110",
        "nvidia.com/gpu": "8",
    }
    assert node["metadata"]["labels"]["pool"] == "gpu"
    assert node["spec"]["taints"] == [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
        {"key": "spot", "effect": "PreferNoSchedule"},
    ]


def test_a_number_asks_for_plain_nodes() -> None:
    assert [n["metadata"]["name"] for n in nodes_of(default_cluster(2))] == ["node-0", "node-1"]


@pytest.mark.parametrize(
    ("document", "want"),
    [
        pytest.param(cluster(cout=3), "unknown field `cout`", id="unknown field"),
        pytest.param(cluster(count="x"), "Expected `int`", id="wrong type"),
        pytest.param(cluster(count=-1), "nodePools[0].count", id="negative count"),
        pytest.param(cluster(taints=["a=b"]), "nodePools[0].taints[0]", id="taint without effect"),
        pytest.param(cluster(topology=[{"key": RACK}]), "topology[0]", id="level without values"),
        pytest.param({**cluster(), "kind": "Cluster"}, "found kubegang.dev/v1alpha1", id="kind"),
    ],
)
def test_what_is_wrong_is_named(document: dict[str, Any], want: str) -> None:
    with pytest.raises(NodeFileError) as caught:
        parse_node_file(document)

    assert want in str(caught.value)


def test_two_pools_may_not_share_a_name() -> None:
    document = cluster()
    document["nodePools"].append({"name": "gpu"})

    with pytest.raises(NodeFileError, match=r"nodePools\[0\]\.name"):
        parse_node_file(document)


def test_devices_of_a_pool_are_written_on_its_nodes() -> None:
    devices = {"driver": "gpu.example.com", "count": 2, "attributes": {"model": "a100"}}
    for given in (devices, [devices]):
        (node,) = nodes_of(parse_node_file(cluster(devices=given)))
        assert devices_of(node["metadata"]["annotations"]) == (
            Devices(driver="gpu.example.com", count=2, attributes={"model": "a100"}),
        )


def test_devices_of_a_pool_need_a_sensible_count() -> None:
    with pytest.raises(NodeFileError, match=r"nodePools\[0\]\.devices\[0\]\.count: need 0 or more"):
        parse_node_file(cluster(devices={"driver": "d.io", "count": -1}))
