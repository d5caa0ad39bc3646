"""A Job waits until the informer shows what was done to its pods."""

from __future__ import annotations

from kubegang.controllers.job.expectations import PATIENCE_SECONDS, Expectations


def made(*uids: str) -> Expectations:
    expectations = Expectations()
    for uid in uids:
        expectations.begin_creation("job", now=0)
        expectations.end_creation("job", uid, now=0)
    return expectations


def test_a_pod_that_was_made_is_waited_for() -> None:
    expectations = made("a", "b")
    assert not expectations.satisfied("job", now=1)

    expectations.saw_created("job", "a")
    expectations.saw_created("job", "b")
    assert expectations.satisfied("job", now=1)


def test_a_pod_may_appear_before_the_answer_to_its_creation() -> None:
    expectations = Expectations()
    expectations.begin_creation("job", now=0)
    expectations.saw_created("job", "a")
    expectations.saw_deleted("job", "a")
    expectations.end_creation("job", "a", now=0)

    assert expectations.satisfied("job", now=1)


def test_a_creation_that_failed_is_not_waited_for() -> None:
    assert made("").satisfied("job", now=1)


def test_a_deletion_is_waited_for_until_its_mark_is_seen() -> None:
    expectations = Expectations()
    expectations.expect_deleted("job", ["a"], now=0)
    assert not expectations.satisfied("job", now=1)

    expectations.saw_deleted("job", "a")
    assert expectations.satisfied("job", now=1)


def test_patience_ends() -> None:
    assert made("a").satisfied("job", now=PATIENCE_SECONDS + 1)


def test_a_pod_that_was_let_go_is_known_until_it_is_seen_so() -> None:
    expectations = Expectations()
    expectations.expect_released("job", ["a", "b"], now=0)
    expectations.saw_released("job", "a")

    assert set(expectations.released("job")) == {"b"}
    assert expectations.satisfied("job", now=1)


def test_a_job_that_is_gone_is_forgotten() -> None:
    expectations = made("a")
    expectations.forget("job")

    assert expectations.satisfied("job", now=1)


def test_an_answer_that_comes_after_the_job_is_gone_is_forgotten_too() -> None:
    expectations = Expectations()
    expectations.begin_creation("job", now=0)
    expectations.forget("job")
    expectations.end_creation("job", "a", now=0)

    assert expectations.satisfied("job", now=1)
