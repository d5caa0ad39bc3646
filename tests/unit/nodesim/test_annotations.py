"""How a pod behaves, as its annotations say."""

from __future__ import annotations

import pytest

from kubegang.nodesim.annotations import (
    AnnotationError,
    Behaviour,
    behaviour_of,
    check_annotations,
    parse_duration,
)


@pytest.mark.parametrize("text", ["", "5", "abc", "5s3", "-5s"])
def test_durations_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(AnnotationError, match="90s or 1h30m"):
        parse_duration(text)


def test_durations_may_have_several_parts() -> None:
    assert parse_duration("1h30m5.5s") == 5405.5


def test_without_annotations_a_pod_runs_for_ever() -> None:
    assert behaviour_of({"other": "x"}) == Behaviour()


def test_a_failure_before_the_end_comes_first() -> None:
    behaviour = behaviour_of({"kubegang.dev/run-duration": "9s", "kubegang.dev/fail-after": "5s"})

    assert (behaviour.runs_for, behaviour.exit_code) == (5, 1)


@pytest.mark.parametrize(
    "annotation",
    [
        pytest.param({"kubegang.dev/run-duration": "5 minutes"}, id="run-duration"),
        pytest.param({"kubegang.dev/termination-duration": "x"}, id="termination-duration"),
        pytest.param({"kubegang.dev/exit-code": "256"}, id="exit-code"),
    ],
)
def test_annotations_can_be_checked_before_a_pod_runs(annotation: dict[str, str]) -> None:
    (name,) = annotation

    with pytest.raises(AnnotationError, match=f"annotation {name}"):
        check_annotations(annotation)
