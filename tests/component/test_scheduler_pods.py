"""Ordinary pods beside gangs, and what the scheduler writes about them."""

from __future__ import annotations

from kubegang.client.resources import NODES, PODS
from tests.component.schedulerharness import NS, Cluster, node, scheduler_test


@scheduler_test
async def test_a_pod_that_fits_nowhere_waits_for_a_node(cluster: Cluster) -> None:
    await cluster.add_nodes("n0")
    await cluster.start()
    await cluster.add_pods("small", "big")
    await cluster.wait(5)
    assert len(await cluster.placements()) == 1
    assert len(await cluster.events("FailedScheduling")) == 1
    await cluster.add_nodes("n1")
    await cluster.wait_for(["small", "big"], at_most=0.1)


@scheduler_test
async def test_the_room_that_a_pod_leaves_is_used_at_once(cluster: Cluster) -> None:
    await cluster.add_nodes("n0")
    await cluster.start()
    await cluster.add_pods("first")
    await cluster.wait_for(["first"], at_most=0.1)
    await cluster.add_pods("second")
    await cluster.wait(3)
    await cluster.delete_pod("first")
    await cluster.wait_for(["second"], at_most=0.1)


@scheduler_test
async def test_a_finished_pod_takes_no_room(cluster: Cluster) -> None:
    await cluster.add_nodes("n0")
    await cluster.start()
    await cluster.add_pods("first", "second")
    await cluster.wait_for(["first"], at_most=0.1)
    await cluster.user.patch(
        PODS, "first", NS, patch={"status": {"phase": "Succeeded"}}, subresource="status"
    )
    await cluster.wait_for(["second"], at_most=1.1)


@scheduler_test
async def test_an_event_looks_as_upstream_writes_it(cluster: Cluster) -> None:
    await cluster.add_nodes("n0")
    await cluster.start()
    await cluster.add_pods("p")
    await cluster.wait(0.5)
    seen = await cluster.pod("p")
    (event,) = await cluster.events("Scheduled")
    shape = {k: v for k, v in event.items() if k not in {"metadata", "eventTime", "regarding"}}
    assert {k: v for k, v in shape.items() if not k.startswith("deprecated")} == {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "action": "Binding",
        "note": "Successfully assigned default/p to n0",
        "reason": "Scheduled",
        "reportingController": "default-scheduler",
        "reportingInstance": "default-scheduler-here",
        "type": "Normal",
    }
    regarding = event["regarding"]
    assert regarding.pop("resourceVersion")
    assert regarding == {
        "apiVersion": "v1",
        "kind": "Pod",
        "namespace": NS,
        "name": "p",
        "uid": seen["metadata"]["uid"],
    }
    name, _, suffix = event["metadata"]["name"].partition(".")
    assert (name, bool(int(suffix, 16))) == ("p", True)


@scheduler_test
async def test_alike_events_become_a_series(cluster: Cluster) -> None:
    """The first attempt changes the pod, so the series begins with the second (as measured)."""
    await cluster.add_nodes("n0")
    await cluster.start()
    await cluster.add_group("g", 2)
    await cluster.add_pods("a", "b", group="g")
    await cluster.wait(8)
    events = [e for e in await cluster.events("FailedScheduling") if e["regarding"]["name"] == "a"]
    assert [e.get("series", {}).get("count") for e in events] == [None, 2]


@scheduler_test
async def test_an_unchanged_condition_is_written_once(cluster: Cluster) -> None:
    await cluster.add_nodes("n0")
    await cluster.start()
    await cluster.add_group("g", 2)
    await cluster.add_pods("a", "b", group="g")
    await cluster.wait(10)
    assert len(cluster.client.sent(method="PATCH", path="pods/a/status")) == 1
    assert len(cluster.client.sent(method="PATCH", path="podgroups/g/status")) == 1


@scheduler_test
async def test_a_gated_pod_is_not_looked_at_until_its_gate_is_gone(cluster: Cluster) -> None:
    await cluster.add_nodes("n0")
    await cluster.start()
    await cluster.add_pods("p", schedulingGates=[{"name": "example.com/wait"}])
    await cluster.wait(3)
    assert await cluster.events("FailedScheduling") == []
    gone = [{"op": "remove", "path": "/spec/schedulingGates"}]
    await cluster.user.patch(PODS, "p", NS, patch=gone, patch_type="json")
    await cluster.wait_for(["p"], at_most=0.1)


@scheduler_test
async def test_a_cordoned_node_takes_nobody_until_it_is_opened(cluster: Cluster) -> None:
    closed = node("n0", cpu=4)
    closed["spec"] = {"unschedulable": True}
    await cluster.user.create(NODES, closed)
    await cluster.start()
    await cluster.add_pods("p")
    await cluster.wait(3)
    message = (await cluster.condition("p"))["message"]
    assert message.startswith("0/1 nodes are available: 1 node(s) were unschedulable.")
    await cluster.user.patch(NODES, "n0", patch={"spec": {"unschedulable": None}})
    await cluster.wait_for(["p"], at_most=0.1)


@scheduler_test
async def test_pods_of_another_scheduler_are_left_alone(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", cpu=4)
    await cluster.start()
    await cluster.add_pods("p", schedulerName="somebody-else")
    await cluster.wait(3)
    assert await cluster.placements() == {}


@scheduler_test
async def test_a_pod_that_is_being_deleted_is_skipped(cluster: Cluster) -> None:
    await cluster.add_pods("p", finalizers=["example.com/hold"])
    await cluster.user.delete(PODS, "p", NS)
    await cluster.add_nodes("n0")
    await cluster.start()
    await cluster.wait(1)
    assert await cluster.placements() == {}
    (event,) = await cluster.events("FailedScheduling")
    assert event["note"] == "skip schedule deleting pod: default/p"
