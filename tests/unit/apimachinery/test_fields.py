"""Field selectors."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.fields import parse_field_selector
from kubegang.apimachinery.labelsyntax import SelectorError


def test_terms_are_sorted_and_compared_as_text() -> None:
    selector = parse_field_selector("status.phase!=Failed,spec.nodeName==n1,")
    assert selector.terms == (("spec.nodeName", "=", "n1"), ("status.phase", "!=", "Failed"))
    assert selector.matches({"spec.nodeName": "n1", "status.phase": "Running"})
    assert not selector.matches({"spec.nodeName": "n1", "status.phase": "Failed"})
    assert str(selector) == "spec.nodeName=n1,status.phase!=Failed"


def test_a_missing_field_is_empty() -> None:
    assert parse_field_selector("spec.nodeName=").matches({})
    assert parse_field_selector("").empty


def test_values_may_hold_escaped_separators() -> None:
    selector = parse_field_selector(r"a=1\,2\=3\\")
    assert selector.matches({"a": "1,2=3\\"})
    assert str(selector) == r"a=1\,2\=3\\"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
        ("a=b=c", "invalid field selector: unescaped character in value: 61"),
        (r"a=\x", r"invalid field selector: invalid escape sequence: \x"),
        ("a=b\\", "invalid field selector: invalid escape sequence: \\"),
    ],
)
def test_a_broken_selector_is_refused_in_upstream_s_words(text: str, want: str) -> None:
    with pytest.raises(SelectorError) as refused:
        parse_field_selector(text)
    assert str(refused.value) == want
