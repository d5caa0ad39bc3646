"""Answers of plugins."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.status import (
    SKIP,
    SUCCESS,
    Code,
    Status,
    failure,
    unresolvable,
    unschedulable,
    waiting,
)


@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param(SUCCESS, "success", id="success"),
        pytest.param(SKIP, "success", id="skip-refuses-nothing"),
        pytest.param(unschedulable("x"), "rejected", id="unschedulable"),
        pytest.param(unresolvable("x"), "rejected", id="unresolvable"),
        pytest.param(Status(Code.PENDING), "rejected", id="pending"),
        pytest.param(failure("x"), "error", id="error"),
        pytest.param(waiting("x"), "wait", id="wait"),
    ],
)
def test_each_code_is_of_one_kind(status: Status, want: str) -> None:
    kinds = {
        "success": status.is_success,
        "rejected": status.is_rejected,
        "error": status.is_error,
        "wait": status.is_wait,
    }
    assert [kind for kind, holds in kinds.items() if holds] == [want]


def test_the_cause_stands_before_the_reasons_and_alone_as_an_error() -> None:
    status = Status(Code.UNSCHEDULABLE, ("a", "b"), cause="c")
    assert (status.message, status.as_error) == ("c, a, b", "c")
    assert unschedulable("a", "b").as_error == "a, b"


def test_a_status_remembers_its_author() -> None:
    assert unschedulable("a").by("Fit") == Status(Code.UNSCHEDULABLE, ("a",), "Fit")
