"""How often an index has failed is remembered on its pods."""

from __future__ import annotations

from kubegang.controllers.job.perindex import FAILURES, IGNORED, failure_annotations
from tests.unit.controllers.job.objects import count, indexed, pod

IGNORE_42 = {"rules": [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}}]}


def test_the_first_pod_of_an_index_carries_no_failure() -> None:
    assert failure_annotations(indexed(backoffLimitPerIndex=1), None) == {FAILURES: "0"}


def test_a_successor_carries_one_failure_more() -> None:
    failed = pod("a", "Failed", index=0, annotations={FAILURES: "2"})

    assert failure_annotations(indexed(backoffLimitPerIndex=9), failed) == {FAILURES: "3"}


def test_ignored_failures_are_counted_apart() -> None:
    subject = indexed(backoffLimitPerIndex=9, podFailurePolicy=IGNORE_42)
    failed = pod("a", "Failed", index=0, code=42, annotations={FAILURES: "2"})

    assert failure_annotations(subject, failed) == {FAILURES: "2", IGNORED: "1"}


def test_the_last_failure_of_an_open_index_is_kept_until_its_successor_works() -> None:
    subject = indexed(backoffLimitPerIndex=9)
    first = pod("first", "Failed", index=0, ended="2026-11-01T00:10:00Z")
    second = pod(
        "second",
        "Failed",
        index=0,
        ended="2026-11-01T00:20:00Z",
        annotations={FAILURES: "1"},
    )

    open_index = count(subject, [second, first]).indexes
    at_work = count(subject, [second, first, pod("third", index=0)]).indexes

    assert open_index is not None
    assert open_index.last_failures == {0: second}
    assert at_work is not None
    assert at_work.last_failures == {}
