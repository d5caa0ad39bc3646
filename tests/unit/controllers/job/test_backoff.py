"""Pauses before failed pods are replaced."""

from __future__ import annotations

from kubegang.controllers.job.backoff import Backoff, remaining_pause
from tests.unit.controllers.job.objects import NOW, pod


def failed(ended: str) -> dict[str, object]:
    return pod("f", "Failed", ended=ended)


def test_the_pause_doubles_with_each_failure_up_to_ten_minutes() -> None:
    pauses = [remaining_pause(n, last_failure=NOW, now=NOW) for n in (0, 1, 2, 3, 7, 99)]

    assert pauses == [0, 10, 20, 40, 600, 600]


def test_a_pause_that_is_over_leaves_nothing() -> None:
    assert remaining_pause(1, last_failure=NOW - 11, now=NOW) == 0


def test_failures_add_up_until_a_pod_succeeds() -> None:
    first = Backoff().after([], [failed("2026-11-01T00:10:00Z")])
    second = first.after([], [failed("2026-11-01T00:30:00Z"), failed("2026-11-01T00:20:00Z")])
    success = second.after([pod("s", "Succeeded", ended="2026-11-01T00:40:00Z")], [])

    assert (second.failures, second.last_failure) == (3, NOW - 1800)
    assert success == Backoff()


def test_only_failures_after_the_last_success_count() -> None:
    success = pod("s", "Succeeded", ended="2026-11-01T00:20:00Z")
    failures = [failed("2026-11-01T00:10:00Z"), failed("2026-11-01T00:30:00Z")]

    assert Backoff(failures=5, last_failure=1).after([success], failures).failures == 1


def test_nothing_new_changes_nothing() -> None:
    assert Backoff(2, NOW).after([], []) == Backoff(2, NOW)
