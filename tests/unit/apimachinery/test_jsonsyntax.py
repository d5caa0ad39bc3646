"""Broken JSON in Go's words, as kube-apiserver 1.37.2 quoted them."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.jsonsyntax import syntax_problem

END = "unexpected end of JSON input"


@pytest.mark.parametrize(
    ("body", "want"),
    [
        ("", END),
        (" ", END),
        ("{", END),
        ('{"data":', END),
        ("[{", END),
        ('{"a" 1}', "invalid character '1' after object key"),
        ('{"a":1 "b":2}', "invalid character '\"' after object key:value pair"),
        ('{"a":tru}', "invalid character '}' in literal true (expecting 'e')"),
        ('{"a":01}', "invalid character '1' after object key:value pair"),
        ('{"a":1.}', "invalid character '}' after decimal point in numeric literal"),
        ('{"a":"x\ny"}', r"invalid character '\n' in string literal"),
        ('{"a":"\\q"}', "invalid character 'q' in string escape code"),
        ("{a:1}", "invalid character 'a' looking for beginning of object key string"),
        ("[1 2]", "invalid character '2' after array element"),
        ("{}x", "invalid character 'x' after top-level value"),
        ("nul", "invalid character ' ' in literal null (expecting 'l')"),
        ('{"a":+1}', "invalid character '+' looking for beginning of value"),
        ('{"a":1e}', "invalid character '}' in exponent of numeric literal"),
        ("{'a':1}", r"invalid character '\'' looking for beginning of object key string"),
        ('{"a":1,}', "invalid character '}' looking for beginning of object key string"),
        ("[1,]", "invalid character ']' looking for beginning of value"),
        ('{"a":"\\u12"}', "invalid character '\"' in \\u hexadecimal character escape"),
        ('{"a":-}', "invalid character '}' in numeric literal"),
        ('{"a":é}', "invalid character 'Ã' looking for beginning of value"),
        ("[" * 100_000, "exceeded max depth"),
    ],
)
def test_the_first_misplaced_character_is_named(body: str, want: str) -> None:
    assert syntax_problem(body.encode()) == want


@pytest.mark.parametrize(
    "body", ["{}", "[]", ' {"a":[1,-0.5e+3,true,false,null,"\\u00e9\\n"]} ', "5", '"x"']
)
def test_json_has_no_problem(body: str) -> None:
    assert syntax_problem(body.encode()) is None
