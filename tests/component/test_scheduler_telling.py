"""What the scheduler tells besides the API: explanations and metrics."""

from __future__ import annotations

from kubegang.scheduler.framework.pods import PodGroupKey
from tests.component.schedulerharness import NS, Cluster, scheduler_test

KEY = PodGroupKey(NS, "g")


@scheduler_test
async def test_a_gang_is_explained_from_held_to_refused_to_gone(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", "n1")
    scheduler = await cluster.start()
    await cluster.add_pods("a", "b", group="g")
    await cluster.wait(0.1)
    incomplete = scheduler.explain(KEY)
    assert incomplete is not None
    assert incomplete.message == "waiting for PodGroup g to be created"

    await cluster.add_group("g", 3)
    await cluster.wait(0.1)
    held = scheduler.explain(KEY)
    assert held is not None
    assert (held.outcome, held.message) == ("waiting", "waiting for 1 more pod (2 of 3)")
    assert (held.quorum, held.scheduled) == (3, 0)

    await cluster.add_pods("c", group="g")
    await cluster.wait(0.1)
    refused = scheduler.explain(KEY)
    assert refused is not None
    assert refused.outcome == "unschedulable"
    assert [entry.pod.name for entry in refused.pods] == ["c"]

    await cluster.add_nodes("n2")
    await cluster.wait_for(["a", "b", "c"], at_most=2)
    assert scheduler.explain(KEY) is None


@scheduler_test
async def test_metrics_bear_upstreams_names(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", cpu=2)
    await cluster.start()
    await cluster.add_group("g", 3)
    await cluster.add_pods("a", "b", group="g")
    await cluster.add_pods("plain")
    await cluster.add_pods("big", cpu="5")
    await cluster.add_pods("lost", group="unknown")
    await cluster.wait(0.5)
    profile = "default-scheduler"
    assert cluster.metric("pending_pods", queue="gated") == 2
    assert cluster.metric("pending_pods", queue="incomplete") == 1
    assert cluster.metric("pending_pods", queue="unschedulable") == 1
    assert cluster.metric("queued_entities", queue="gated", type="podgroup") == 1
    assert cluster.metric("cache_size", type="pods") == 1
    assert cluster.metric("schedule_attempts_total", result="scheduled", profile=profile) == 1
    assert cluster.metric("schedule_attempts_total", result="unschedulable", profile=profile) == 1
    assert (
        cluster.metric(
            "queue_incoming_entities_total", queue="active", event="UnscheduledPodAdd", type="pod"
        )
        == 2
    )
    assert cluster.metric("event_handling_duration_seconds_count", event="AssignedPodAdd") == 1
    assert cluster.metric("pod_scheduling_sli_duration_seconds_count", attempts="1") == 1

    await cluster.add_pods("c", group="g")
    await cluster.wait(0.5)
    attempts = cluster.metric(
        "podgroup_schedule_attempts_total", result="unschedulable", profile=profile
    )
    assert attempts == 1
    assert cluster.metric("pending_pods", queue="backoff") == 3
