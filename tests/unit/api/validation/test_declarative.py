from __future__ import annotations

from typing import Any

import pytest

from kubegang.api.validation.declarative import Field, Struct, same, shown, validate_struct
from kubegang.apimachinery.field import Path
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates
from tests.unit.api.validation.objects import lines

ITEM = Struct(Field(name="name", required=True), Field(name="size", pointer=True, minimum=1))
RULES = Struct(
    Field(name="word", allowed=("a", "b")),
    Field(name="frozen", immutable=True),
    Field(name="once", pointer=True, set_once=True),
    Field(name="gated", gate="Gate", filled_in="default"),
    Field(name="items", is_list=True, key="name", max_items=2, struct=ITEM, fixed_items=True),
)
UNION = Struct(Field(name="a", pointer=True), Field(name="b", pointer=True), union=("a", "b"))


def errors(
    rules: Struct, new: JsonObject, old: JsonObject | None = None, *, gate: bool = True
) -> list[str]:
    found = validate_struct(
        rules,
        new,
        old,
        path=Path("spec"),
        gates=FeatureGates({"Gate": gate}),
        updating=old is not None,
    )
    return lines(list(found))


@pytest.mark.parametrize(
    ("new", "told"),
    [
        ({"word": "a"}, []),
        ({"word": "x"}, ['spec.word: Unsupported value: "x": supported values: "a", "b"']),
        ({"items": [{}]}, ["spec.items[0].name: Required value"]),
        (
            {"items": [{"name": "x", "size": 0}]},
            ["spec.items[0].size: Invalid value: 0: must be greater than or equal to 1"],
        ),
        (
            {"items": [{"name": "x"}, {"name": "x"}]},
            ['spec.items[1]: Duplicate value: {"name":"x"}'],
        ),
        ({"items": [{}, {}, {}]}, ["spec.items: Too many: 3: must have at most 2 items"]),
    ],
)
def test_new_objects_keep_the_rows(new: JsonObject, told: list[str]) -> None:
    assert errors(RULES, new) == told


@pytest.mark.parametrize(
    ("new", "old", "told"),
    [
        ({"frozen": "x"}, {"frozen": "x"}, []),
        ({"frozen": "y"}, {"frozen": "x"}, ["frozen: Invalid value: null: field is immutable"]),
        ({"once": 2}, {"once": 1}, []),
        ({"once": 2}, {}, ["once: Invalid value: null: field cannot be set once created"]),
        ({}, {"once": 1}, ["once: Invalid value: null: field cannot be cleared once set"]),
        ({"word": "x"}, {"word": "x"}, []),
        (
            {"items": [{"name": "b"}]},
            {"items": [{"name": "a"}]},
            [
                "items[0]: Forbidden: item may not be added",
                "items: Forbidden: item may not be removed",
            ],
        ),
        (
            {"items": [{"name": "b"}, {"name": "a", "size": 2}]},
            {"items": [{"name": "a"}, {"name": "b"}]},
            [],
        ),
        ({"items": []}, {"items": [{"name": "a"}]}, ["items: Forbidden: item may not be removed"]),
    ],
)
def test_changed_objects_keep_what_is_frozen(
    new: JsonObject, old: JsonObject, told: list[str]
) -> None:
    assert errors(RULES, new, old) == [f"spec.{line}" for line in told]


@pytest.mark.parametrize(
    ("value", "told"), [("x", ["spec.gated: Forbidden"]), ("default", []), (None, [])]
)
def test_a_field_waits_for_its_gate(value: str | None, told: list[str]) -> None:
    assert errors(RULES, {"gated": value}, gate=False) == told


@pytest.mark.parametrize(
    ("new", "told"),
    [
        ({"a": {}}, []),
        ({}, ['spec: Invalid value: "": must specify one of: `a`, `b`']),
        (
            {"a": {}, "b": {}},
            ['spec: Invalid value: "{a, b}": must specify exactly one of: `a`, `b`'],
        ),
    ],
)
def test_exactly_one_member_of_a_union_is_set(new: JsonObject, told: list[str]) -> None:
    assert errors(UNION, new) == told


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (None, [], True),
        (None, "", True),
        ({"a": None}, {}, True),
        ({"a": []}, {"b": ""}, True),
        ([{"a": None}], [{}], True),
        (0, None, False),
        ({}, None, False),
        ([1], [1, 2], False),
    ],
)
def test_null_empty_and_left_out_mean_the_same(one: Any, other: Any, alike: bool) -> None:
    assert same(one, other) is alike
    assert same(other, one) is alike


def test_a_struct_is_shown_in_the_order_of_its_rows() -> None:
    rules = Struct(
        Field(name="name"),
        Field(name="limits", explicit_null=True),
        Field(name="items", is_list=True, struct=ITEM),
    )
    obj = {"items": [{"size": 1, "name": "x"}], "name": "n"}
    assert list(shown(rules, obj).items()) == [
        ("name", "n"),
        ("limits", None),
        ("items", [{"name": "x", "size": 1}]),
    ]
