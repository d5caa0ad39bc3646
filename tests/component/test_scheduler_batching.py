"""Batching in the loop: the ranking goes from one decision into the next, and is counted."""

from __future__ import annotations

from tests.component.schedulerharness import Cluster, scheduler_test

PROFILE = "default-scheduler"
LIST = {PROFILE: {"PodTopologySpread": {"defaultingType": "List"}}}
"""Without default constraints, which would leave no pod with a signature."""


def attempts(cluster: Cluster, result: str) -> float | None:
    return cluster.metric("batch_attempts_total", result=result, profile=PROFILE)


@scheduler_test
async def test_pods_in_a_row_use_one_ranking(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", "n1", "n2", "n3", cpu=2)
    await cluster.add_pods("a", "b", "c", cpu="2")
    await cluster.start(cluster.scheduler(plugin_args=LIST))
    await cluster.wait_for(["a", "b", "c"], at_most=1)
    assert attempts(cluster, "no_hint") == 1
    assert attempts(cluster, "hint_used") == 2
    seconds = "store_schedule_results_duration_seconds_count"
    assert cluster.metric(seconds, profile=PROFILE) == 3


@scheduler_test
async def test_a_ranking_grows_old_on_the_schedulers_clock(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", "n1", "n2", cpu=2)
    await cluster.start(cluster.scheduler(plugin_args=LIST))
    await cluster.add_pods("a", cpu="2")
    await cluster.wait(0.6)
    await cluster.add_pods("b", cpu="2")
    await cluster.wait_for(["a", "b"], at_most=1)
    assert attempts(cluster, "no_hint") == 2
    flushed = cluster.metric("batch_cache_flushed_total", reason="expired", profile=PROFILE)
    assert flushed == 1


@scheduler_test
async def test_by_default_every_pod_is_counted_as_not_batchable(cluster: Cluster) -> None:
    await cluster.add_nodes("n0", "n1", "n2", cpu=2)
    await cluster.add_pods("a", "b")
    await cluster.start()
    await cluster.wait_for(["a", "b"], at_most=1)
    reason = "pod_not_batchable"
    assert cluster.metric("batch_cache_flushed_total", reason=reason, profile=PROFILE) == 2
    assert attempts(cluster, "hint_used") is None
