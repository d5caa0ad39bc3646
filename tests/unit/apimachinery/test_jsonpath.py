"""JSONPath as columns of custom resources use it."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.jsonpath import JsonPathError, find, parse_path

DOCUMENT = {
    "spec": {
        "size": 3,
        "a.b": "dotted",
        "parts": [
            {"name": "a", "weight": 1},
            {"name": "b", "weight": 2},
            {"name": "c"},
        ],
    }
}

FOUND: list[tuple[str, list[Any]]] = [
    (".spec.size", [3]),
    (".spec.nothing", []),
    (".spec.a\\.b", ["dotted"]),
    (".spec['a.b']", ["dotted"]),
    (".spec.parts[0].name", ["a"]),
    (".spec.parts[-1].name", ["c"]),
    (".spec.parts[-1:].name", ["c"]),
    (".spec.parts[*].name", ["a", "b", "c"]),
    (".spec.parts[0:2].weight", [1, 2]),
    (".spec.parts[?(@.name=='b')].weight", [2]),
    (".spec.parts[?(@.weight>1)].name", ["b"]),
    ("..name", ["a", "b", "c"]),
]


@pytest.mark.parametrize(("path", "values"), FOUND)
def test_paths_find_values(path: str, values: list[Any]) -> None:
    assert find(parse_path(path), DOCUMENT) == values


@pytest.mark.parametrize("path", [".spec[", ".spec[?(@.a", ".spec[x"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(JsonPathError):
        parse_path(path)
