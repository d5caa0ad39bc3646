from __future__ import annotations

import pytest

from kubegang.api.validation.conditions import condition_reason, validate_conditions
from kubegang.apimachinery.field import Path
from kubegang.apimachinery.objects import JsonObject
from tests.unit.api.validation.objects import lines

CONDITION = {
    "type": "Ready",
    "status": "True",
    "reason": "Fine",
    "message": "",
    "lastTransitionTime": "2026-11-20T00:00:00Z",
}


def fields(*conditions: JsonObject) -> list[str]:
    errors = list(validate_conditions(conditions, Path("conditions")))
    return [line.partition(": ")[0] for line in lines(errors)]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, []),
        ({"type": ""}, ["conditions[0].type"]),
        ({"type": "-"}, ["conditions[0].type"]),
        ({"status": "Maybe"}, ["conditions[0].status"]),
        ({"status": ""}, ["conditions[0].status"]),
        ({"observedGeneration": -1}, ["conditions[0].observedGeneration"]),
        ({"lastTransitionTime": None}, ["conditions[0].lastTransitionTime"]),
        ({"reason": ""}, ["conditions[0].reason"]),
        ({"reason": "no spaces"}, ["conditions[0].reason"]),
        ({"reason": "R" * 1025}, ["conditions[0].reason"]),
        ({"message": "m" * 32769}, ["conditions[0].message"]),
    ],
)
def test_a_condition_is_complete(change: JsonObject, wrong: list[str]) -> None:
    assert fields({**CONDITION, **change}) == wrong


def test_there_is_one_condition_per_type() -> None:
    assert fields(CONDITION, CONDITION) == ["conditions[1]"]


def test_the_text_about_reasons_shows_examples() -> None:
    (text,) = condition_reason("-")
    assert "(e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB'" in text
