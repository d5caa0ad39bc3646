"""What a pod tells about itself."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.controllers.job.pods import ended_at, has_failed, restarts_of
from tests.unit.controllers.job.objects import CREATED, NOW, pod

UNREADY = {"type": "Ready", "status": "False", "lastTransitionTime": "2026-11-01T00:20:00Z"}


def marked(subject: dict[str, Any]) -> dict[str, Any]:
    subject["metadata"] |= {
        "deletionTimestamp": "2026-11-01T00:30:30Z",
        "deletionGracePeriodSeconds": 30,
    }
    return subject


@pytest.mark.parametrize(
    ("subject", "want"),
    [
        pytest.param(
            pod("a", "Failed", ended="2026-11-01T00:50:00Z", conditions=[UNREADY]),
            NOW - 600,
            id="when its container ended",
        ),
        pytest.param(pod("a", conditions=[UNREADY]), NOW - 2400, id="when it became unready"),
        pytest.param(marked(pod("a")), NOW - 1800, id="when it was deleted"),
        pytest.param(pod("a"), NOW - 3600, id="when it was made"),
    ],
)
def test_the_end_of_a_pod_is_known_from_the_best_there_is(
    subject: dict[str, Any], want: float
) -> None:
    assert CREATED == "2026-11-01T00:00:00Z"
    assert ended_at(subject) == want


def test_a_container_without_an_end_leaves_it_to_the_others() -> None:
    subject = pod("a", "Failed", ended="2026-11-01T00:50:00Z")
    subject["status"]["containerStatuses"].append({"name": "d", "state": {"running": {}}})

    assert ended_at(subject) == NOW - 3600


def test_a_deleted_pod_counts_as_failed_unless_it_must_have_ended() -> None:
    deleted = pod("a", deleted=True)

    assert has_failed(deleted, only_ended=False)
    assert not has_failed(deleted, only_ended=True)
    assert has_failed(pod("b", "Failed"), only_ended=True)
    assert not has_failed(pod("c", "Succeeded", deleted=True), only_ended=False)


def test_restarts_of_all_containers_are_added() -> None:
    subject = pod("a", restarts=2)
    subject["status"]["initContainerStatuses"] = [{"name": "i", "restartCount": 1}]

    assert restarts_of(subject) == 3
