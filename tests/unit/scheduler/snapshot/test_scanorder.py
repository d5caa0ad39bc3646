"""The order in which nodes are looked at."""

from __future__ import annotations

import pytest

from kubegang.scheduler.snapshot.scanorder import interleave_zones
from kubegang.testing.builders import make_node

REGION = "topology.kubernetes.io/region"
OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"


@pytest.mark.parametrize(
    ("zones", "want"),
    [
        pytest.param("", "", id="no-nodes"),
        pytest.param("- - -", "0 1 2", id="no-zones"),
        pytest.param("a a b b", "0 2 1 3", id="zones-take-turns"),
        pytest.param("b a a a c", "0 1 4 2 3", id="in-the-order-of-their-first-node"),
    ],
)
def test_zones_take_turns(zones: str, want: str) -> None:
    nodes = [
        make_node(f"n{i}") if zone == "-" else make_node(f"n{i}").zone(zone)
        for i, zone in enumerate(zones.split())
    ]
    order = interleave_zones((row, node.info()) for row, node in enumerate(nodes))
    assert order == [int(row) for row in want.split()]


def test_equal_zones_of_two_regions_are_two() -> None:
    nodes = [make_node("a").zone("z"), make_node("b").zone("z"), make_node("c").zone("z")]
    nodes[2] = nodes[2].label(REGION, "r")
    assert interleave_zones(enumerate(node.info() for node in nodes)) == [0, 2, 1]


def test_the_old_label_counts_too() -> None:
    nodes = [
        make_node("a").label(OLD_ZONE, "x"),
        make_node("b").label(OLD_ZONE, "x"),
        make_node("c"),
    ]
    assert interleave_zones(enumerate(node.info() for node in nodes)) == [0, 2, 1]
