"""Builders: valid objects by default, and nothing shared between them."""

from __future__ import annotations

import pytest

from kubegang.api.defaults.table import apply_defaults
from kubegang.api.validation.table import validate_create
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.app.profiles.table import profile_named
from kubegang.testing.builders import (
    make_cluster,
    make_node,
    make_pod,
    make_podgroup,
    make_priority_class,
)

GATES = profile_named("1.37").gates["apiserver"]


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(make_pod().json(), id="pod"),
        pytest.param(
            make_pod().group("g").req(cpu="1", gpu="1").gated("example.com/g").json(), id="member"
        ),
        pytest.param(
            make_pod()
            .requires(("a", "In", ("b",)))
            .prefers(1, ("a", "Exists", ()))
            .port(80)
            .init(sidecar=True)
            .json(),
            id="picky-pod",
        ),
        pytest.param(make_node().json(), id="node"),
        pytest.param(
            make_node().taint("a").rack("r").cordoned().image("i:1", size_bytes=1).json(),
            id="special-node",
        ),
        pytest.param(make_podgroup().json(), id="group"),
        pytest.param(
            make_podgroup().gang(min_count=2).topology("rack").disrupted_whole().json(), id="gang"
        ),
        pytest.param(make_priority_class("high", 100).json(), id="priority-class"),
    ],
)
def test_what_is_built_passes_validation(obj: JsonObject) -> None:
    gvk = GroupVersionKind.of(obj)
    obj["metadata"].setdefault("namespace", "")
    apply_defaults(obj, gvk, GATES)
    assert validate_create(obj, gvk, GATES) == []


def test_a_shared_base_does_not_leak() -> None:
    base = make_pod("w")
    base.req(cpu="1").label("a", "b").gated("x")
    assert base == make_pod("w")


def test_numbered_copies_have_names_and_uids_of_their_own() -> None:
    one, two = make_pod("w").times(2)
    assert (one.info().name, two.info().name) == ("w-0", "w-1")
    assert one.info().uid != two.info().uid


def test_a_cluster_of_racks() -> None:
    nodes = make_cluster(racks=2, nodes_per_rack=2)
    assert [(node.info().name, node.info().labels["rack"]) for node in nodes] == [
        ("r0-0", "r0"),
        ("r0-1", "r0"),
        ("r1-0", "r1"),
        ("r1-1", "r1"),
    ]
