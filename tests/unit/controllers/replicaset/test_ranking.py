"""Which pods a ReplicaSet loses first."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.controllers.replicaset.ranking import DELETION_COST, pods_to_delete

NOW = 1_800_000_000.0


def pod(
    name: str,
    *,
    node: str = "n",
    phase: str = "Running",
    ready_for: float | None = 1000,
    age: float = 5000,
    restarts: int = 0,
    cost: str = "",
) -> JsonObject:
    conditions: list[dict[str, Any]] = []
    if ready_for is not None:
        since = format_time(NOW - ready_for)
        conditions.append({"type": "Ready", "status": "True", "lastTransitionTime": since})
    return {
        "metadata": {
            "name": name,
            "uid": name,
            "creationTimestamp": format_time(NOW - age),
            "annotations": {DELETION_COST: cost} if cost else {},
        },
        "spec": {"nodeName": node},
        "status": {
            "phase": phase,
            "conditions": conditions,
            "containerStatuses": [{"restartCount": restarts}],
        },
    }


def first_of(*pods: JsonObject) -> str:
    (chosen,) = pods_to_delete(pods, pods, count=1, now=NOW)
    return str(chosen["metadata"]["name"])


def test_an_unassigned_pod_goes_first() -> None:
    assert first_of(pod("a"), pod("b", node="", phase="Pending", ready_for=None)) == "b"


def test_a_pending_pod_goes_before_a_running_one() -> None:
    assert first_of(pod("a", ready_for=None), pod("b", phase="Pending", ready_for=None)) == "b"


def test_an_unready_pod_goes_before_a_ready_one() -> None:
    assert first_of(pod("a"), pod("b", ready_for=None)) == "b"


def test_a_cheap_pod_goes_before_a_dear_one() -> None:
    assert first_of(pod("a", cost="10"), pod("b", cost="-3"), pod("c")) == "b"


def test_a_cost_that_is_no_number_is_none() -> None:
    assert first_of(pod("a", cost="x"), pod("b", cost="1")) == "a"


def test_a_crowded_node_loses_a_pod_first() -> None:
    assert first_of(pod("a", node="1"), pod("b", node="2"), pod("c", node="2")) in ("b", "c")


def test_a_pod_that_is_ready_for_a_much_shorter_time_goes_first() -> None:
    assert first_of(pod("a", ready_for=1000), pod("b", ready_for=10)) == "b"


def test_among_times_of_one_size_chance_decides() -> None:
    assert first_of(pod("a", ready_for=1000), pod("b", ready_for=990)) == "a"
    assert first_of(pod("y", ready_for=1000), pod("x", ready_for=990)) == "x"


def test_a_pod_that_was_restarted_often_goes_first() -> None:
    assert first_of(pod("a", restarts=1), pod("b", restarts=4)) == "b"
