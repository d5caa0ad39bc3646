"""Expressions that select devices are compiled before they are stored."""

from __future__ import annotations

from kubegang.api.validation.devices.claims import (
    validate_device_class,
    validate_device_class_update,
)
from kubegang.api.validation.devices.requests import validate_selectors
from kubegang.apimachinery.field import Path
from kubegang.base.feature_gates import FeatureGates

NO_GATES = FeatureGates({})


def found(expression: str) -> list[str]:
    selectors = [{"cel": {"expression": expression}}]
    return [error.message for error in validate_selectors(selectors, Path("selectors"))]


def test_an_expression_has_to_be_a_truth_value_over_the_device() -> None:
    assert found('device.driver == "a.example.com"') == []
    assert found("1 + 1") == [
        'Invalid value: "1 + 1": must evaluate to bool or the unknown type, not int'
    ]
    (message,) = found("device.nothing")
    assert "undefined field 'nothing'" in message


def test_a_function_that_kubernetes_has_is_not_refused() -> None:
    assert found('url("https://a.example.com").getHost() == "a"') == []
    (message,) = found("nothing(1)")
    assert "undeclared reference to 'nothing'" in message


def test_a_stored_expression_is_not_looked_at_again() -> None:
    old = {"spec": {"selectors": [{"cel": {"expression": "("}}]}}
    same = {"metadata": {"labels": {"a": "b"}}, **old}
    assert list(validate_device_class_update(same, old, NO_GATES)) == []
    assert len(list(validate_device_class(old, NO_GATES))) == 1
