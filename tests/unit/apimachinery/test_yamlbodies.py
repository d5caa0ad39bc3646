"""YAML bodies by go-yaml's rules, compared with kube-apiserver 1.37.2."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.decoding import (
    MalformedBodyError,
    NotAnObjectError,
    decode_yaml,
    strict_yaml_problem,
)


@pytest.mark.parametrize(
    ("word", "want"),
    [
        ("y", True),
        ("No", False),
        ("on", True),
        ("'yes'", "yes"),
        ("010", 8),
        ("0o10", 8),
        ("08", 8.0),
        ("0x1F", 31),
        ("-0b11", -3),
        ("1_000", 1000),
        ("_1", "_1"),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e400", "1e400"),
        ("12345678901234567890", 12345678901234567890),
        ("1:30", "1:30"),
        ("2020-01-01", "2020-01-01"),
        ("2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
        ("~", None),
        ("", None),
        ("=", "="),
        ("<<", "<<"),
        ("!!str 5", "5"),
        ("!!float 3", 3),
        ("!!binary aGVsbG8=", "hello"),
        ("!foo x", "x"),
        ('"\\x41"', "A"),
        ("|\n  x\n  y", "x\ny"),
        ("[a, {b: c}]", ["a", {"b": "c"}]),
    ],
)
def test_a_word_means_what_go_yaml_says(word: str, want: object) -> None:
    assert decode_yaml(f"k: {word}".encode()) == ({"k": want}, [])


@pytest.mark.parametrize(
    ("key", "want"),
    [("1", "1"), ("true", "true"), ("1.5", "1.5"), ("'a b'", "a b"), ("? x\n", "x")],
)
def test_keys_become_texts(key: str, want: str) -> None:
    assert decode_yaml(f"{key}: v".encode())[0] == {want: "v"}


def test_aliases_and_merges_are_resolved() -> None:
    body = b"base: &b {x: 1, z: 2}\nuse:\n  <<: *b\n  z: 3\nsame: *b\n"
    found, _ = decode_yaml(body)
    assert found["same"] == {"x": 1, "z": 2}
    assert found["use"] == {"x": 1, "z": 3}


def test_only_the_first_document_counts() -> None:
    assert decode_yaml(b"---\na: b\n---\nc: [\n") == ({"a": "b"}, [])
    assert decode_yaml(b"") == ({}, [])


def test_repeated_keys_are_told_with_their_line() -> None:
    found, duplicates = decode_yaml(b"a: b\nd:\n  x: 1\n  x: 2\n1: a\n1: b\n")
    assert found == {"a": "b", "d": {"x": 2}, "1": "b"}
    assert duplicates == [
        'line 4: key "x" already set in map',
        "line 6: key 1 already set in map",
    ]
    assert strict_yaml_problem(duplicates[:1]) == (
        'yaml: unmarshal errors:\n  line 4: key "x" already set in map'
    )


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("a: [", "yaml: line 1: did not find expected node content"),
        ("{", "yaml: line 1: did not find expected node content"),
        ("a: b: c", "yaml: mapping values are not allowed in this context"),
        ("\ta: b", "yaml: found character that cannot start any token"),
        ("a:\n  b\n c: d", "yaml: line 3: mapping values are not allowed in this context"),
        ("'a", "yaml: found unexpected end of stream"),
        ("a: *x", "yaml: unknown anchor 'x' referenced"),
        ("a: {b", "yaml: line 1: did not find expected ',' or '}'"),
        ("a: \x01", "yaml: control characters are not allowed"),
        ("[1]: a", "yaml: invalid map key: []interface {}{1}"),
        ("{a: b}: c", 'yaml: invalid map key: map[interface {}]interface {}{"a":"b"}'),
        ("~: a", 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "a"'),
        ("a: .inf", "json: unsupported value: +Inf"),
        ("a: !!bool x", "yaml: cannot decode !!str `x` as a !!bool"),
        ("<<: 5", "yaml: map merge requires map or sequence of maps as the value"),
    ],
)
def test_broken_yaml_is_refused_in_go_s_words(text: str, want: str) -> None:
    with pytest.raises(MalformedBodyError) as refused:
        decode_yaml(text.encode())
    assert str(refused.value) == want


@pytest.mark.parametrize(("text", "want"), [("- a", "array"), ("x", "string"), ("5", "number")])
def test_what_is_no_object_says_what_it_is(text: str, want: str) -> None:
    with pytest.raises(NotAnObjectError) as refused:
        decode_yaml(text.encode())
    assert refused.value.found == want


def test_a_text_that_means_a_huge_value_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 8)]
    with pytest.raises(MalformedBodyError, match="excessive aliasing"):
        decode_yaml("\n".join(lines).encode())


def test_json_is_yaml_and_read_as_json() -> None:
    value: dict[str, Any] = {"a": {"b": [1, True, "1:30"]}}
    assert decode_yaml(b'{"a":{"b":[1,true,"1:30"]}}') == (value, [])
    assert decode_yaml(b'{"a": y}')[0] == {"a": True}
