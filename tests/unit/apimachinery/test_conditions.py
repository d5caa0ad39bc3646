"""Conditions keep the time of their last transition."""

from __future__ import annotations

from kubegang.apimachinery.conditions import (
    find_condition,
    is_true,
    set_condition,
)
from kubegang.apimachinery.objects import JsonObject

T0, T1 = 0.0, 60.0


def _set(conditions: list[JsonObject], status: str = "True", **said: str) -> bool:
    now = T1 if conditions else T0
    return set_condition(
        conditions,
        type="Ready",
        status="True" if status == "True" else "False",
        reason=said.get("reason", ""),
        message=said.get("message", ""),
        now=now,
    )


def test_a_new_condition_gets_the_time() -> None:
    conditions: list[JsonObject] = []
    assert _set(conditions, reason="Fine")
    assert conditions == [
        {
            "type": "Ready",
            "status": "True",
            "reason": "Fine",
            "message": "",
            "lastTransitionTime": "1970-01-01T00:00:00Z",
        }
    ]


def test_saying_the_same_again_changes_nothing() -> None:
    conditions: list[JsonObject] = []
    _set(conditions, reason="Fine")
    assert not _set(conditions, reason="Fine")


def test_another_reason_keeps_the_time() -> None:
    conditions: list[JsonObject] = []
    _set(conditions, reason="Fine")
    assert _set(conditions, reason="Finer")
    assert conditions[0]["lastTransitionTime"] == "1970-01-01T00:00:00Z"


def test_another_status_moves_the_time() -> None:
    conditions: list[JsonObject] = []
    _set(conditions)
    assert _set(conditions, "False")
    assert conditions[0]["lastTransitionTime"] == "1970-01-01T00:01:00Z"


def test_heartbeats_are_kept() -> None:
    conditions: list[JsonObject] = [
        {"type": "Ready", "status": "False", "lastHeartbeatTime": "1970-01-01T00:00:30Z"}
    ]
    _set(conditions)
    assert conditions[0]["lastHeartbeatTime"] == "1970-01-01T00:00:30Z"


def test_conditions_are_found_and_removed_by_type() -> None:
    conditions: list[JsonObject] = [{"type": "A", "status": "False"}]
    _set(conditions)
    assert find_condition(conditions, "A") is conditions[0]
    assert find_condition(None, "A") is None
    assert is_true(conditions, "Ready")
    assert not is_true(conditions, "A")


def test_the_observed_generation_is_part_of_what_is_said() -> None:
    conditions: list[JsonObject] = []
    said = {"type": "A", "reason": "R", "message": "m"}
    for generation in (1, 2):
        assert set_condition(
            conditions, status="True", now=T0, observed_generation=generation, **said
        )
    assert conditions[0]["observedGeneration"] == 2
