"""Values as Go prints them, compared with what Go prints."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.gotext import go_json, go_plain, go_quote, go_syntax, go_type


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("a", '"a"', id="plain"),
        pytest.param('a"b\\', r'"a\"b\\"', id="quotes-and-backslashes"),
        pytest.param("a\ab\n\t", r'"a\ab\n\t"', id="named-escapes"),
        pytest.param("\x00\x7f", r'"\x00\x7f"', id="control-characters"),
        pytest.param("é漢😀", '"é漢😀"', id="printable-unicode-stays"),
        pytest.param("\u00a0\u2028", r'"\u00a0\u2028"', id="unprintable-unicode"),
        pytest.param("\U000e0001", r'"\U000e0001"', id="beyond-the-basic-plane"),
    ],
)
def test_quoting_is_go_s(text: str, want: str) -> None:
    assert go_quote(text) == want


@pytest.mark.parametrize(
    ("value", "want"),
    [
        pytest.param({"b": [1, "x"], "a": None}, "map[a:<nil> b:[1 x]]", id="nested-and-sorted"),
        pytest.param(True, "true", id="boolean"),
        pytest.param(1.0, "1", id="whole-float"),
        pytest.param(0.25, "0.25", id="float"),
        pytest.param(1e20, "100000000000000000000", id="no-exponent-yet"),
        pytest.param(1e21, "1e+21", id="exponent"),
        pytest.param(1e-5, "1e-05", id="negative-exponent"),
    ],
)
def test_plain_printing_is_go_s(value: object, want: str) -> None:
    assert go_plain(value) == want


def test_syntax_printing_names_types() -> None:
    assert go_syntax({"a": ["x", None]}) == (
        'map[string]interface {}{"a":[]interface {}{"x", interface {}(nil)}}'
    )
    assert go_syntax(None) == "<nil>"


def test_json_escapes_what_html_would_read() -> None:
    assert go_json({"a": "<&>\u2028"}) == '{"a":"\\u003c\\u0026\\u003e\\u2028"}'


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (None, "<nil>"),
        (True, "bool"),
        (1, "int64"),
        (1.5, "float64"),
        ("a", "string"),
        ({}, "map[string]interface {}"),
        ([], "[]interface {}"),
    ],
)
def test_types_have_go_s_names(value: object, want: str) -> None:
    assert go_type(value) == want
