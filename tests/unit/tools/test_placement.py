"""Placement: which unit ran in which domain, and on which node."""

from __future__ import annotations

from kubegang.tools.placement import placement_of, topology_keys
from tests.unit.tools.story import Story

RACK, ZONE = "topology.kubernetes.io/rack", "topology.kubernetes.io/zone"


def two_racks() -> Story:
    story = Story()
    for name, rack in (("n-10", "b"), ("n-2", "a"), ("n-1", "a")):
        story.node(name, rack=rack)
    return story


def test_units_are_counted_per_domain_and_pods_named_per_node() -> None:
    story = two_racks()
    story.job("j")
    story.pods("j-0", "j-1", "j-2", job="j")
    story.bind("j-0", "j-1", node="n-2")
    story.bind("j-2", node="n-10")
    story.end("j-0")

    placement = placement_of(story.history)

    assert placement.keys == (RACK,)
    first, second = placement.domains
    assert (first.topology, second.topology) == ({RACK: "a"}, {RACK: "b"})
    assert [node.name for node in first.nodes] == ["n-1", "n-2"]
    assert [(pod.name, pod.state) for pod in first.nodes[1].pods] == [
        ("j-0", "succeeded"),
        ("j-1", "bound"),
    ]
    assert [(str(share.unit), share.pods, share.live) for share in first.units] == [("j", 2, 1)]


def test_evicted_and_deleted_pods_and_missing_nodes_have_no_place() -> None:
    story = two_racks()
    story.pods("evicted", "deleted", "lost", "pending")
    story.bind("evicted", "deleted", node="n-1")
    story.bind("lost", node="nowhere")
    story.evict("evicted", message="preempting")
    story.delete("Pod", "deleted")

    placement = placement_of(story.history)

    assert [domain.units for domain in placement.domains] == [(), ()]


def test_without_topology_labels_all_nodes_are_one_domain() -> None:
    story = Story()
    story.node("n-0")

    placement = placement_of(story.history)

    assert placement.keys == ()
    assert [domain.topology for domain in placement.domains] == [{}]


def test_a_node_without_the_label_stands_apart() -> None:
    story = two_racks()
    story.node("odd")

    topologies = [domain.topology[RACK] for domain in placement_of(story.history).domains]

    assert sorted(topologies) == ["-", "a", "b"]


def test_keys_go_from_the_outside_in_and_other_labels_only_when_wanted() -> None:
    nodes = [
        {RACK: f"r{number}", ZONE: "z", "block": f"b{number % 2}", "kubernetes.io/hostname": "h"}
        for number in range(4)
    ]

    assert topology_keys(nodes) == (ZONE, RACK)
    assert topology_keys(nodes, wanted=["block"]) == (ZONE, "block", RACK)
