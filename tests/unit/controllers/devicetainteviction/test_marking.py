"""The condition that tells why a pod is deleted."""

from __future__ import annotations

from kubegang.apimachinery.times import parse_time
from kubegang.controllers.devicetainteviction.marking import disruption_target
from tests.component.claimobjects import Json

BEFORE, NOW = "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z"


def mark(*conditions: Json) -> Json | None:
    return disruption_target({"status": {"conditions": list(conditions)}}, now=parse_time(NOW))


def test_a_pod_is_marked_once() -> None:
    first = mark()
    assert first is not None
    assert first["lastTransitionTime"] == NOW
    assert mark(first) is None


def test_a_mark_for_another_reason_is_replaced_and_keeps_its_time() -> None:
    other = {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByTaintManager"}
    replaced = mark({**other, "lastTransitionTime": BEFORE})
    assert replaced is not None
    assert (replaced["reason"], replaced["lastTransitionTime"]) == (
        "DeletionByDeviceTaintManager",
        BEFORE,
    )
    again = mark({**other, "status": "False", "lastTransitionTime": BEFORE})
    assert again is not None
    assert again["lastTransitionTime"] == NOW
