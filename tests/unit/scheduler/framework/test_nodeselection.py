"""Selectors and affinity terms, for all nodes at once and for one."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.nodeselection import demanded_nodes, node_is_demanded
from kubegang.testing.builders import PodBuilder, make_node, make_pod
from kubegang.testing.deciding import DecidingCore

NODES = [
    make_node("n0").label("disk", "ssd").label("gen", "3"),
    make_node("n1").label("disk", "hdd").label("gen", "10"),
    make_node("n2").label("gen", "x"),
    make_node("n3"),
]


@pytest.mark.parametrize(
    ("pod", "want"),
    [
        pytest.param(make_pod(), "n0 n1 n2 n3", id="nothing"),
        pytest.param(make_pod().select("disk", "ssd"), "n0", id="selector"),
        pytest.param(make_pod().select("disk", "ssd").select("gen", "4"), "", id="selector-both"),
        pytest.param(make_pod().requires(("disk", "In", ("ssd", "hdd"))), "n0 n1", id="in"),
        pytest.param(
            make_pod().requires(("disk", "NotIn", ("ssd",))), "n1 n2 n3", id="not-in-matches-absent"
        ),
        pytest.param(make_pod().requires(("disk", "Exists", ())), "n0 n1", id="exists"),
        pytest.param(
            make_pod().requires(("disk", "DoesNotExist", ())), "n2 n3", id="does-not-exist"
        ),
        pytest.param(make_pod().requires(("gen", "Gt", ("3",))), "n1", id="gt-compares-numbers"),
        pytest.param(make_pod().requires(("gen", "Lt", ("4",))), "n0", id="lt"),
        pytest.param(make_pod().requires(("gen", "Gt", ("x",))), "", id="gt-without-a-number"),
        pytest.param(
            make_pod().requires(("gen", "Gt", ("99999999999999999999",))), "", id="gt-beyond-int64"
        ),
        pytest.param(make_pod().requires(("disk", "Near", ("ssd",))), "", id="unknown-operator"),
        pytest.param(
            make_pod().requires(("disk", "In", ("ssd",)), ("gen", "In", ("10",))),
            "",
            id="expressions-and",
        ),
        pytest.param(
            make_pod().requires(("disk", "In", ("ssd",))).requires(("gen", "In", ("10",))),
            "n0 n1",
            id="terms-or",
        ),
        pytest.param(make_pod().requires(), "", id="an-empty-term-matches-nothing"),
        pytest.param(
            make_pod().select("disk", "hdd").requires(("gen", "Exists", ())),
            "n1",
            id="selector-and-terms",
        ),
        pytest.param(make_pod().requires_name("In", "n2"), "n2", id="name"),
        pytest.param(make_pod().requires_name("NotIn", "n2"), "n0 n1 n3", id="not-name"),
        pytest.param(make_pod().requires_name("In", "gone"), "", id="name-of-no-node"),
        pytest.param(
            make_pod().requires_name("NotIn", "gone"), "n0 n1 n2 n3", id="not-name-of-no-node"
        ),
        pytest.param(make_pod().requires_name("Exists", "n2"), "", id="name-with-other-operator"),
    ],
)
def test_nodes_match_in_bulk_and_one_by_one(pod: PodBuilder, want: str) -> None:
    table = DecidingCore(NODES).snapshot.nodes
    terms = pod.info().affinity
    in_bulk = [table.names[row] for row in range(table.size) if demanded_nodes(table, terms)[row]]
    assert in_bulk == want.split()
    assert [node.name for node in table.infos if node_is_demanded(node, terms)] == in_bulk
