"""How preemption is counted, and what upstream's metrics call its attempts."""

from __future__ import annotations

import pytest
from prometheus_client import CollectorRegistry

from kubegang.scheduler.binder.outcome import group_result
from kubegang.scheduler.binder.preemptionmetrics import PreemptionMetrics
from kubegang.scheduler.cycle.decision import SearchForRoom
from kubegang.testing.builders import make_node, make_pod, make_podgroup
from kubegang.testing.deciding import DecidingCore

NODE = make_node("n").capacity(cpu="1")
LOW = make_pod("low").req(cpu="1").on("n")
GROUP = make_podgroup("g").gang(min_count=1).priority(10)
MEMBER = make_pod("m").group("g").req(cpu="1").priority(10)


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def metrics(registry: CollectorRegistry) -> PreemptionMetrics:
    return PreemptionMetrics(registry)


def test_a_search_for_a_pod(registry: CollectorRegistry, metrics: PreemptionMetrics) -> None:
    metrics.note_search(SearchForRoom("Success", 3, 1, 2), for_group=False)
    metrics.note_search(SearchForRoom("Unschedulable"), for_group=False)
    labels = {"preemptor": "pod"}
    assert registry.get_sample_value("scheduler_preemption_attempts_total") == 2
    assert registry.get_sample_value("scheduler_preemption_victims_sum") == 3
    assert registry.get_sample_value("scheduler_preemption_victims_count") == 1
    disruptions = "scheduler_preemption_workload_disruptions_sum"
    assert registry.get_sample_value(disruptions, labels) == 1
    violations = "scheduler_preemption_pdb_violations_total"
    assert registry.get_sample_value(violations, labels) == 2


def test_a_search_for_a_group(registry: CollectorRegistry, metrics: PreemptionMetrics) -> None:
    metrics.note_search(SearchForRoom("Success", 3), for_group=True)
    metrics.note_search(SearchForRoom("UnschedulableAndUnresolvable"), for_group=True)
    attempts = "scheduler_workload_preemption_attempts_total"
    for result in ("Success", "UnschedulableAndUnresolvable"):
        assert registry.get_sample_value(attempts, {"result": result}) == 1
    assert registry.get_sample_value("scheduler_workload_preemption_victims_sum") == 3
    assert registry.get_sample_value("scheduler_preemption_attempts_total") == 0


@pytest.mark.parametrize(("failed", "result"), [(False, "success"), (True, "error")])
def test_how_long_telling_the_victims_took(
    registry: CollectorRegistry, metrics: PreemptionMetrics, failed: bool, result: str
) -> None:
    metrics.note_execution("podgroup", failed=failed, seconds=0.5)
    labels = {"preemptor": "podgroup", "result": result}
    name = "scheduler_preemption_execution_duration_seconds_sum"
    assert registry.get_sample_value(name, labels) == 0.5


def test_a_group_whose_victims_go_waits_for_them() -> None:
    core = DecidingCore(NODE, LOW, GROUP, MEMBER)
    assert group_result(core.decide_group()) == "waiting_on_preemption"


def test_a_group_whose_victims_are_leaving_waits_for_them() -> None:
    core = DecidingCore(NODE, LOW.preempted(), GROUP, MEMBER.nominated("n"))
    assert group_result(core.decide_group()) == "waiting_on_preemption"


def test_a_group_that_nobody_makes_room_for_is_unschedulable() -> None:
    core = DecidingCore(NODE, LOW.priority(10), GROUP, MEMBER)
    assert group_result(core.decide_group()) == "unschedulable"
