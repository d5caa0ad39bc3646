"""Requests for certificates: since when a condition is as it is (1.37.2)."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.strategies.certificates import SIGNING_REQUESTS

BEFORE, NOW, OTHER = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"
READY = {"type": "R", "status": "True"}


def _with(*conditions: JsonObject) -> JsonObject:
    return {"spec": {}, "status": {"conditions": [dict(one) for one in conditions]}}


@pytest.mark.parametrize(
    ("old", "new", "since"),
    [
        pytest.param({}, READY, NOW, id="new"),
        pytest.param(READY, READY, BEFORE, id="as-it-was"),
        pytest.param({**READY, "status": "False"}, READY, NOW, id="changed"),
        pytest.param(READY, {**READY, "lastTransitionTime": OTHER}, OTHER, id="given"),
    ],
)
def test_a_condition_keeps_its_time_until_its_status_changes(
    old: dict[str, Any], new: dict[str, Any], since: str
) -> None:
    changed = _with(new)
    SIGNING_REQUESTS.own_subresources["approval"](
        changed, _with({**old, "lastTransitionTime": BEFORE}), NOW
    )
    condition = changed["status"]["conditions"][0]

    assert (condition["lastTransitionTime"], condition["lastUpdateTime"]) == (since, NOW)
