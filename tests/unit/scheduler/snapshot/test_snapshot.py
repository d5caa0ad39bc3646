"""The snapshot's counts, rows and listings."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from kubegang.scheduler.framework.errors import InvariantError, NodeNotFoundError
from kubegang.scheduler.framework.pods import NodeName, PodGroupKey, PodUid
from kubegang.scheduler.snapshot.builder import SnapshotBuilder
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.scheduler.snapshot.validation import validate_snapshot
from kubegang.testing.builders import make_node, make_pod, make_podgroup


@pytest.fixture
def builder() -> Iterator[SnapshotBuilder]:
    built = SnapshotBuilder()
    yield built
    validate_snapshot(built.snapshot())


def free_cpu(snapshot: Snapshot, node: str) -> int:
    row = snapshot.nodes.row(NodeName(node))
    assert row is not None
    return int(snapshot.nodes.allocatable("cpu")[row] - snapshot.nodes.requested("cpu")[row])


def test_pods_take_room_and_give_it_back(builder: SnapshotBuilder) -> None:
    builder.set_node(make_node("n").info())
    builder.set_pod(make_pod("a").req(cpu="1").on("n").info())
    builder.set_pod(make_pod("b").req(cpu="500m").on("n").info())
    assert free_cpu(builder.snapshot(), "n") == 2500
    builder.remove_pod(PodUid("uid-a"))
    assert free_cpu(builder.snapshot(), "n") == 3500
    assert [pod.name for pod in builder.snapshot().pods_on(0)] == ["b"]


def test_a_changed_pod_counts_once(builder: SnapshotBuilder) -> None:
    builder.set_node(make_node("n").info())
    builder.set_pod(make_pod("a").req(cpu="1").on("n").info())
    builder.set_pod(make_pod("a").req(cpu="2").on("n").info())
    assert free_cpu(builder.snapshot(), "n") == 2000


def test_pods_on_a_node_that_comes_later_count_then(builder: SnapshotBuilder) -> None:
    builder.set_pod(make_pod("a").req(cpu="1").on("n").group("g").info())
    assert builder.snapshot().scheduled_count(PodGroupKey("default", "g")) == 1
    assert builder.snapshot().row_of(PodUid("uid-a")) is None
    builder.set_node(make_node("n").info())
    assert free_cpu(builder.snapshot(), "n") == 3000
    builder.remove_node(NodeName("n"))
    assert builder.snapshot().nodes.size == 0
    builder.set_node(make_node("n").info())
    assert free_cpu(builder.snapshot(), "n") == 3000


def test_removing_a_node_moves_the_last_one_into_its_row(builder: SnapshotBuilder) -> None:
    for node in make_node().image("i:1", size_bytes=7).times(3):
        builder.set_node(node.label("disk", node.metadata.name).info())
    builder.set_pod(make_pod("a").req(cpu="1", gpu="1").port(80).on("n-2").info())
    snapshot = builder.snapshot()
    assert snapshot.nodes.label("disk").ids.tolist() == [0, 1, 2]
    builder.remove_node(NodeName("n-0"))
    assert snapshot.nodes.names == ["n-2", "n-1"]
    assert snapshot.row_of(PodUid("uid-a")) == 0
    assert list(snapshot.nodes.port_users(80)) == [0]
    assert snapshot.nodes.label("disk").ids.tolist() == [2, 1]
    assert snapshot.nodes.image_nodes("i:1")[1].tolist() == [0, 1]
    # The order of coming decides, not the row.
    assert [snapshot.nodes.names[row] for row in snapshot.nodes.scan_order] == ["n-1", "n-2"]


def test_a_node_that_changes_keeps_what_is_counted(builder: SnapshotBuilder) -> None:
    node = make_node("n").taint("old").image("i:1", size_bytes=7)
    builder.set_node(node.info())
    builder.set_pod(make_pod("a").req(cpu="1").on("n").info())
    nodes = builder.snapshot().nodes
    version = nodes.version
    builder.set_node(msgspec.structs.replace(node.info(), resource_version="2"))
    assert nodes.version == version, "a heartbeat must not make caches start over"
    builder.set_node(make_node("n").capacity(cpu="8").label("disk", "ssd").info())
    assert nodes.version > version
    assert free_cpu(builder.snapshot(), "n") == 7000
    assert nodes.taint_sets[nodes.taint_set_ids[0]] == ()
    assert not len(nodes.image_nodes("i:1")[1])


def test_a_resource_that_a_node_no_longer_has_is_gone(builder: SnapshotBuilder) -> None:
    builder.set_node(make_node("n").capacity(gpu="8").info())
    builder.set_node(make_node("n").info())
    assert builder.snapshot().nodes.allocatable("nvidia.com/gpu").tolist() == [0]


def test_labels_are_interned_and_kept_up_to_date(builder: SnapshotBuilder) -> None:
    builder.set_node(make_node("a").rack("r1").info())
    column = builder.snapshot().nodes.label("rack")
    builder.set_node(make_node("b").rack("r2").info())
    builder.set_node(make_node("c").info())
    builder.set_node(make_node("a").rack("r2").info())
    assert [column.values[i] if i >= 0 else None for i in column.ids] == ["r2", "r2", None]


def test_label_values_that_nobody_uses_are_dropped_in_time(builder: SnapshotBuilder) -> None:
    for generation in range(80):
        builder.set_node(make_node("a").label("gen", str(generation)).info())
        builder.snapshot().nodes.label("gen")
    assert len(builder.snapshot().nodes.label("gen").values) < 70


def test_groups_and_their_members(builder: SnapshotBuilder) -> None:
    key = PodGroupKey("default", "g")
    builder.set_node(make_node("n").info())
    builder.set_pod_group(make_podgroup("g").info())
    builder.set_pod(make_pod("a").group("g").on("n").info())
    snapshot = builder.snapshot()
    assert snapshot.pod_group(key) == make_podgroup("g").info()
    assert [pod.name for pod in snapshot.scheduled_members(key)] == ["a"]
    builder.remove_pod_group(key)
    assert snapshot.pod_group(key) is None
    assert snapshot.scheduled_count(key) == 1


def test_changed_rows_are_told_once(builder: SnapshotBuilder) -> None:
    for node in make_node().times(3):
        builder.set_node(node.info())
    nodes = builder.snapshot().nodes
    before = nodes.changes
    builder.set_pod(make_pod("a").on("n-1").info())
    builder.set_pod(make_pod("b").on("n-1").info())
    changed = nodes.changed_rows(before)
    assert changed is not None
    assert changed.tolist() == [1]
    builder.remove_node(NodeName("n-0"))
    assert nodes.changed_rows(before) is None, "rows have moved, so nothing can be said"


def test_a_pod_is_never_counted_twice(builder: SnapshotBuilder) -> None:
    builder.set_node(make_node("n").info())
    pod = make_pod("a").on("n").info()
    builder.set_pod(pod)
    with pytest.raises(InvariantError, match="already counted on n"):
        builder.snapshot().add_pod(pod, pod.node_name)


def test_unknown_pods_and_nodes_cannot_go(builder: SnapshotBuilder) -> None:
    with pytest.raises(InvariantError, match="has no node"):
        builder.remove_pod(PodUid("nobody"))
    with pytest.raises(NodeNotFoundError, match="not in the snapshot"):
        builder.remove_node(NodeName("nowhere"))


def test_the_scan_start_stays_within_the_nodes(builder: SnapshotBuilder) -> None:
    for node in make_node().times(3):
        builder.set_node(node.info())
    builder.set_scan_start(2)
    builder.remove_node(NodeName("n-2"))
    assert builder.snapshot().scan_start == 0


def test_validation_finds_a_wrong_count() -> None:
    built = SnapshotBuilder()
    built.set_node(make_node("n").info())
    built.snapshot().nodes.pod_count[0] = 5
    with pytest.raises(InvariantError, match="node n counts 5 pods, its pods come to 0"):
        validate_snapshot(built.snapshot())
