"""Label selectors: what they match, how they are written, how they are refused."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.labels import (
    NOTHING,
    SelectorError,
    format_label_selector,
    label_selector_of,
    parse_label_selector,
)
from kubegang.apimachinery.objects import JsonObject


@pytest.mark.parametrize(
    ("text", "labels", "want"),
    [
        pytest.param("", {}, True, id="nothing-asked"),
        pytest.param("a=1", {"a": "1"}, True, id="equal"),
        pytest.param("a==1", {"a": "2"}, False, id="not-equal"),
        pytest.param("a!=1", {}, True, id="unequal-or-missing"),
        pytest.param("a!=1", {"a": "1"}, False, id="unequal"),
        pytest.param("a in (1, 2)", {"a": "2"}, True, id="in"),
        pytest.param("a in (1,2)", {}, False, id="in-needs-the-label"),
        pytest.param("a notin (1,2)", {}, True, id="notin-does-not"),
        pytest.param("a notin (1,2)", {"a": "1"}, False, id="notin"),
        pytest.param("a", {"a": ""}, True, id="exists"),
        pytest.param("!a", {"a": ""}, False, id="exists-not"),
        pytest.param("a>5", {"a": "6"}, True, id="greater"),
        pytest.param("a<5", {"a": "6"}, False, id="less"),
        pytest.param("a>5", {"a": "x"}, False, id="no-number"),
        pytest.param("a=", {"a": ""}, True, id="equal-to-nothing"),
        pytest.param("a in (,1)", {"a": ""}, True, id="in-with-nothing"),
        pytest.param("in in (in)", {"in": "in"}, True, id="in-is-a-word-too"),
        pytest.param("a=1,b", {"a": "1"}, False, id="all-must-hold"),
    ],
)
def test_a_selector_matches(text: str, labels: dict[str, str], want: bool) -> None:
    assert parse_label_selector(text).matches(labels) is want


NAME_PART = "name part must consist of alphanumeric characters, '-', '_' or '.'"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("a>", "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt'"),
        (">", "found '>', expected: !, identifier, or 'end of string'"),
        ("a=>", "unable to parse requirement: found '>', expected: identifier"),
        ("a=b,", "found '', expected: identifier after ','"),
        ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        ("a in b", "unable to parse requirement: found 'b' expected: '('"),
        ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"),
        ("a in (!", "unable to parse requirement: found '!', expected: ',', ')' or identifier"),
        ("!a=b", "found '=', expected: ',' or 'end of string'"),
        ("-a", f'unable to parse requirement: <nil>: Invalid value: "-a": {NAME_PART}'),
        ("a=-", 'unable to parse requirement: values[0][a]: Invalid value: "-": a valid label'),
    ],
)
def test_a_broken_selector_is_refused_in_upstream_s_words(text: str, want: str) -> None:
    with pytest.raises(SelectorError) as refused:
        parse_label_selector(text)
    assert str(refused.value).startswith(want)


def test_the_first_mistake_is_told() -> None:
    with pytest.raises(SelectorError, match="must be an integer"):
        parse_label_selector("a<x b")


def test_an_object_selector_needs_all_its_parts() -> None:
    selector = label_selector_of(
        {
            "matchLabels": {"a": "1"},
            "matchExpressions": [
                {"key": "b", "operator": "In", "values": ["2", "3"]},
                {"key": "c", "operator": "DoesNotExist"},
            ],
        }
    )
    assert selector.matches({"a": "1", "b": "3"})
    assert not selector.matches({"a": "1", "b": "3", "c": ""})
    assert str(selector) == "a=1,b in (2,3),!c"


def test_a_missing_object_selector_matches_nothing_and_an_empty_one_everything() -> None:
    assert label_selector_of(None) is NOTHING
    assert not NOTHING.matches({})
    assert not NOTHING.empty
    assert label_selector_of({}).matches({})
    assert label_selector_of({}).empty


@pytest.mark.parametrize(
    ("expression", "want"),
    [
        ({"key": "a", "operator": "x"}, '"x" is not a valid label selector operator'),
        (
            {"key": "a", "operator": "In"},
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
        ),
        (
            {"key": "a", "operator": "Exists", "values": ["b"]},
            'values: Invalid value: ["b"]: values set must be empty for exists and does not exist',
        ),
    ],
)
def test_a_broken_object_selector_is_refused(expression: JsonObject, want: str) -> None:
    with pytest.raises(SelectorError) as refused:
        label_selector_of({"matchExpressions": [expression]})
    assert str(refused.value) == want


def test_several_mistakes_of_a_requirement_come_together() -> None:
    with pytest.raises(SelectorError) as refused:
        label_selector_of({"matchLabels": {"": "!"}})
    assert str(refused.value).startswith('[key: Invalid value: "": name part must be non-empty; ')


@pytest.mark.parametrize(
    ("obj", "want"),
    [
        (None, "<none>"),
        ({}, "<none>"),
        ({"matchLabels": {"b": "2", "a": "1"}}, "a=1,b=2"),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["y", "x"]}]}, None),
        ({"matchExpressions": [{"key": "a", "operator": "?"}]}, "<error>"),
    ],
)
def test_tables_print_selectors(obj: JsonObject | None, want: str | None) -> None:
    assert format_label_selector(obj) == (want or "a notin (x,y)")


def test_every_operator_is_written_as_it_is_read() -> None:
    text = "a=1,b==2,c!=3,d in (4,5),e notin (6),f,!g,h>7,i<8"
    assert str(parse_label_selector(text)) == text
