"""How capacity that several claims share may be asked for; texts as kube-apiserver's."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.api.validation.devices.capacity import validate_capacity
from kubegang.apimachinery.field import Path


def found(policy: dict[str, Any], *, value: str = "10", shared: bool = True) -> list[str]:
    device = {
        "allowMultipleAllocations": shared,
        "capacity": {"memory": {"value": value, "requestPolicy": policy}},
    }
    errors = validate_capacity(device, Path("capacity"))
    return [f"{error.field.removeprefix('capacity[memory].')}: {error.message}" for error in errors]


def test_a_policy_needs_a_device_that_is_shared() -> None:
    assert found({}, shared=False) == [
        "requestPolicy: Forbidden: allowMultipleAllocations must be true"
    ]


@pytest.mark.parametrize(
    "policy",
    [
        {},
        {"default": "1", "validValues": ["1", "2", "10"]},
        {"default": "4", "validRange": {"min": "2", "max": "8", "step": "2"}},
        {"default": "3", "validRange": {"min": "1"}},
    ],
)
def test_a_sensible_policy_is_taken(policy: dict[str, Any]) -> None:
    assert found(policy) == []


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        (
            {"default": "1", "validValues": ["1"], "validRange": {"min": "1"}},
            "requestPolicy: Forbidden: exactly one policy can be specified, "
            'cannot specify "validValues" and "validRange" at the same time',
        ),
        (
            {"validValues": ["1"]},
            "requestPolicy.default: Required value: required when validValues is defined",
        ),
        (
            {"default": "3", "validValues": ["1", "2"]},
            'requestPolicy.validValues: Invalid value: "3": default value is not valid according '
            "to the requestPolicy",
        ),
        (
            {"default": "1", "validValues": ["1", "11"]},
            'requestPolicy.validValues[1]: Invalid value: "11": option is larger than capacity '
            "value: 10",
        ),
        (
            {"default": "2", "validValues": ["2", "1"]},
            'requestPolicy.validValues[1]: Invalid value: "1": values must be sorted in '
            "ascending order",
        ),
        (
            {"default": "1", "validRange": {"max": "2"}},
            "requestPolicy.validRange.min: Required value: required when validRange is defined",
        ),
        (
            {"default": "3", "validRange": {"min": "2", "step": "2"}},
            'requestPolicy.validRange.step: Invalid value: "3": value is not a multiple of a '
            "given step (2) from (2)",
        ),
        (
            {"default": "1", "validRange": {"min": "2"}},
            'requestPolicy.validRange.default: Invalid value: "1": default is less than min: 2',
        ),
        (
            {"default": "2", "validRange": {"min": "2", "step": "0"}},
            'requestPolicy.validRange.step: Invalid value: "0": must be greater than zero',
        ),
    ],
)
def test_a_wrong_policy_is_refused(policy: dict[str, Any], problem: str) -> None:
    assert found(policy) == [problem]
