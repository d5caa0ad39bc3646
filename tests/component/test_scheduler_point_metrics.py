"""Metrics of extension points, of waits, and of what refuses pods."""

from __future__ import annotations

from tests.component.bindingplugins import Pairs
from tests.component.schedulerharness import Cluster, scheduler_test

PROFILE = "default-scheduler"


@scheduler_test
async def test_extension_points_are_timed_and_plugins_counted(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", "n2", cpu=1)
    await cluster.start()
    await cluster.add_pods("a")
    await cluster.wait_for(["a"], at_most=2)
    for point in ("PreFilter", "Filter", "PreScore", "Score"):
        name = "framework_extension_point_duration_seconds_count"
        labels = {"extension_point": point, "status": "Success", "profile": PROFILE}
        assert cluster.metric(name, **labels) == 1, point

    def asked(plugin: str, point: str) -> float | None:
        return cluster.metric(
            "plugin_evaluation_total", plugin=plugin, extension_point=point, profile=PROFILE
        )

    assert asked("NodeResourcesFit", "Filter") == 1
    assert asked("NodeResourcesFit", "Score") == 1
    assert asked("NodePorts", "PreFilter") == 1
    assert asked("NodePorts", "Filter") is None, "the pod has no ports, so it is left out"


@scheduler_test
async def test_who_refuses_pods_is_counted_until_they_are_tried_again(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", cpu=1)
    await cluster.start()
    await cluster.add_pods("a", "b")
    await cluster.wait(1)
    refused = {"plugin": "NodeResourcesFit", "profile": PROFILE}
    assert cluster.metric("unschedulable_pods", **refused) == 1
    await cluster.delete_pod("a")
    await cluster.wait(3)
    assert cluster.metric("unschedulable_pods", **refused) is None


@scheduler_test
async def test_the_search_for_victims_is_timed(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", cpu=1)
    await cluster.add_priority_class("high", 100)
    await cluster.start()
    await cluster.add_pods("low")
    await cluster.wait_for(["low"], at_most=2)
    await cluster.add_pods("urgent", priorityClassName="high")
    await cluster.wait(1)
    name = "preemption_evaluation_duration_seconds_count"
    assert cluster.metric(name, preemptor="pod", result="Success") == 1
    assert cluster.metric("preemption_goroutines_execution_total", result="success") == 1
    (event,) = await cluster.events("Preempted")
    assert "related" not in event, "only groups are referred to (measured on 1.37.2)"


@scheduler_test
async def test_waits_on_permit_are_timed(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", cpu=4)
    await cluster.start(cluster.scheduler(plugins=[Pairs()]))
    await cluster.add_pods("p1")
    await cluster.wait(2)
    await cluster.add_pods("p2")
    await cluster.wait_for(["p1", "p2"], at_most=1)
    name = "permit_wait_duration_seconds"
    assert cluster.metric(f"{name}_count", result="Success") == 1
    seconds = cluster.metric(f"{name}_sum", result="Success")
    assert seconds is not None
    assert 1.5 < seconds < 2.5


@scheduler_test
async def test_pods_bound_only_because_they_waited_too_long_are_counted(cluster: Cluster) -> None:
    await cluster.add_nodes("n1", cpu=1)
    await cluster.start()
    await cluster.add_pods("a", "b")
    await cluster.wait(400)
    # It was tried again for that in vain, and now something happened.
    await cluster.delete_pod("a")
    await cluster.wait_for(["b"], at_most=20)
    assert cluster.metric("pod_scheduled_after_flush_total") == 0
