"""Dump and load."""

from __future__ import annotations

import json

from kubegang.scheduler.framework.pods import ControllerKey, NodeName
from kubegang.scheduler.framework.workloads import ControllerInfo, NamespaceInfo, ServiceInfo
from kubegang.scheduler.snapshot.validation import validate_snapshot
from kubegang.testing.builders import make_cluster, make_node, make_pod, make_podgroup
from kubegang.testing.deciding import DecidingCore
from kubegang.testing.podterms import evenly, pods_labelled, term
from kubegang.testing.snapshotdumps import dump_snapshot, load_snapshot


def test_a_dump_is_plain_json_and_loads_to_the_same() -> None:
    core = DecidingCore(
        make_cluster(racks=2, nodes_per_rack=2, like=make_node().capacity(gpu="8").taint("k")),
        make_podgroup("g").gang(min_count=2).topology("rack"),
        make_pod("a").group("g").req(cpu="1", gpu="1").toleration("k").port(80).on("r0-0"),
        make_pod("b")
        .requires(("rack", "In", ("r1",)))
        .prefers(2, ("rack", "Exists", ()))
        .on("gone"),
        make_pod("c")
        .near(term(pods_labelled(app="x"), "rack", in_namespaces={"team": "a"}))
        .apart(term(pods_labelled(("app", "Exists", ()))), weight=3)
        .spread(evenly(pods_labelled(), "rack"))
        .owned_by("ReplicaSet", "web")
        .on("r0-0"),
    )
    key = ControllerKey("ReplicaSet", "default", "web")
    core.builder.set_namespace(NamespaceInfo("default", {"team": "a"}))
    core.builder.set_service(ServiceInfo("default", "s", {"app": "x"}))
    core.builder.set_controller(ControllerInfo(key, None))
    core.builder.remove_node(NodeName("r0-1"))
    core.builder.set_scan_start(2)
    dump = dump_snapshot(core.snapshot)
    loaded = load_snapshot(json.loads(json.dumps(dump)))
    validate_snapshot(loaded)
    assert dump_snapshot(loaded) == dump
    assert list(loaded.pods()) == list(core.snapshot.pods())
    order = [loaded.nodes.names[row] for row in loaded.nodes.scan_order]
    assert order == [core.snapshot.nodes.names[row] for row in core.snapshot.nodes.scan_order]
    assert loaded.scan_start == 2
    assert loaded.counts.picture() == core.snapshot.counts.picture()
