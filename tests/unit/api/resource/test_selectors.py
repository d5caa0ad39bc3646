"""Expressions over devices; texts and verdicts are those of kube-apiserver 1.37.2."""

from __future__ import annotations

import pytest

from kubegang.api.meta import decode
from kubegang.api.resource.selectors import SelectorError, compile_selector, device_value
from kubegang.api.resource.types import Device

DEVICE = decode(
    {
        "name": "d0",
        "attributes": {
            "model": {"string": "a100"},
            "cores": {"int": 4},
            "healthy": {"bool": True},
            "example.com/release": {"version": "1.2.3"},
        },
        "capacity": {"memory": {"value": "80Gi"}},
    },
    Device,
)
GPU = 'device.attributes["gpu.example.com"]'
MEMORY = 'device.capacity["gpu.example.com"].memory'
HINT = (
    ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check "
    "with has() for optional fields"
)


def matches(expression: str) -> bool:
    return compile_selector(expression).matches(device_value("gpu.example.com", DEVICE))


def fault(expression: str) -> str:
    with pytest.raises(SelectorError) as error:
        matches(expression)
    return str(error.value)


@pytest.mark.parametrize(
    "expression",
    [
        'device.driver == "gpu.example.com"',
        f'{GPU}.model == "a100" && {GPU}.cores >= 4',
        f"{GPU}.healthy",
        'has(device.attributes["gpu.example.com"].model)',
        "has(device.driver)",
        f'{GPU}.?unknown.orValue("none") == "none"',
        'device.attributes[?"nowhere"].?unknown.orValue(true)',
        'cel.bind(g, device.attributes["gpu.example.com"], g.healthy && g.cores == 4)',
        'cel.bind(d, device, d.driver == "gpu.example.com")',
        f'{GPU}.model.lowerAscii().matches("^a[0-9]+$")',
        "!device.allowMultipleAllocations",
    ],
)
def test_attributes_are_looked_up(expression: str) -> None:
    assert matches(expression)


@pytest.mark.parametrize(
    "expression",
    [
        f'{MEMORY}.isGreaterThan(quantity("40Gi"))',
        f'!{MEMORY}.isLessThan(quantity("80Gi"))',
        f'{MEMORY}.compareTo(quantity("81920Mi")) == 0',
        f'{MEMORY} == quantity("81920Mi")',
        'quantity("1").add(1) == quantity("2000m")',
        'quantity("1").sub(quantity("500m")).asApproximateFloat() == 0.5',
        'quantity("2k").asInteger() == 2000 && !quantity("1500m").isInteger()',
        'sign(quantity("-1")) == -1',
        'isQuantity("1Gi") && !isQuantity("x")',
    ],
)
def test_quantities_are_computed_with(expression: str) -> None:
    assert matches(expression)


@pytest.mark.parametrize(
    "expression",
    [
        'device.attributes["example.com"].release.isGreaterThan(semver("1.2.3-rc.1"))',
        'device.attributes["example.com"].release == semver("1.2.3+build")',
        'device.attributes["example.com"].release.compareTo(semver("v1.10", true)) == -1',
        'device.attributes["example.com"].release.minor() == 2',
        'isSemver("1.2.3") && !isSemver("v1.2") && isSemver("v1.2", true)',
    ],
)
def test_versions_are_compared(expression: str) -> None:
    assert matches(expression)


def test_a_domain_without_attributes_is_empty_when_looked_up_and_not_there_when_listed() -> None:
    assert not matches('has(device.attributes["nowhere"].model)')
    assert not matches('"nowhere" in device.attributes')


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (
            "device.foo",
            "compilation failed: ERROR: <input>:1:7: undefined field 'foo'\n"
            " | device.foo\n | ......^",
        ),
        (
            "device.driver.foo",
            "compilation failed: ERROR: <input>:1:14: type 'string' does not support field "
            "selection\n | device.driver.foo\n | .............^",
        ),
        (
            "semver(1).major() == 1",
            "compilation failed: ERROR: <input>:1:7: found no matching overload for 'semver' "
            "applied to '(int)'\n | semver(1).major() == 1\n | ......^",
        ),
        (
            'quantity("1").add("1")',
            "compilation failed: ERROR: <input>:1:18: found no matching overload for 'add' "
            "applied to 'kubernetes.Quantity.(string)'\n"
            ' | quantity("1").add("1")\n | .................^',
        ),
        ("device.driver", "must evaluate to bool or the unknown type, not string"),
        ("[1]", "must evaluate to bool or the unknown type, not list(int)"),
        ('{"a": 1}', "must evaluate to bool or the unknown type, not map(string, int)"),
        ("null", "must evaluate to bool or the unknown type, not null_type"),
        ('quantity("1")', "must evaluate to bool or the unknown type, not kubernetes.Quantity"),
        ("device", "must evaluate to bool or the unknown type, not kubernetes.DRADevice"),
    ],
)
def test_what_is_no_expression_is_explained(expression: str, text: str) -> None:
    assert fault(expression) == text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (f'{GPU}.unknown == "x"', f"no such key: unknown{HINT}"),
        (f'{GPU}.model.isGreaterThan(quantity("1"))', "no such overload"),
        (f"{GPU}.cores / 0 == 1", "division by zero"),
        (f"[1][{GPU}.cores] == 1", "index out of bounds: 4"),
        (
            'quantity("x").isInteger()',
            "quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        ('semver("1") == semver("1.0.0")', "No Major.Minor.Patch elements found"),
    ],
)
def test_what_has_no_value_for_a_device_is_explained(expression: str, text: str) -> None:
    assert fault(expression) == text


@pytest.mark.parametrize(
    ("expression", "kind", "why"),
    [
        (f"{GPU}.model", "string", "unsupported native conversion from string to 'bool'"),
        (f"{GPU}.cores", "int", "unsupported type conversion from 'int' to bool"),
        (
            'device.attributes["example.com"].release',
            "kubernetes.Semver",
            "type conversion error from 'Semver' to 'bool'",
        ),
    ],
)
def test_a_value_that_is_no_truth_value_is_no_answer(expression: str, kind: str, why: str) -> None:
    text = f"CEL result of type {kind} could not be converted to bool: {why}"
    assert fault(expression) == text


def test_an_attribute_that_is_no_version_is_refused() -> None:
    device = decode({"name": "d", "attributes": {"v": {"version": "1"}}}, Device)
    with pytest.raises(SelectorError, match=r"attribute v: parse semantic version: No Major"):
        device_value("gpu.example.com", device)
