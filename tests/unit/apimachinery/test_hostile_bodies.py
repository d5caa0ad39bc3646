"""Small bodies that ask for much: refused, in no time and with little memory."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.decoding import MalformedBodyError, decode_json, decode_yaml
from kubegang.apimachinery.errors import InvalidError
from kubegang.apimachinery.jsonpatch import json_patch

NINES = "9" * 5000


def test_a_patch_whose_copies_double_the_object_is_refused() -> None:
    document = {"data": {"a": "1"}}
    doubling = [{"op": "copy", "from": "/data", "path": f"/data/{n}"} for n in range(40)]

    with pytest.raises(InvalidError, match="the server rejected our request"):
        json_patch(document, doubling)


def test_a_few_copies_are_fine() -> None:
    copies = [{"op": "copy", "from": "/a", "path": f"/b{n}"} for n in range(3)]

    assert json_patch({"a": [1]}, copies) == {"a": [1], "b0": [1], "b1": [1], "b2": [1]}


def test_a_number_larger_than_any_float_is_refused_by_name() -> None:
    with pytest.raises(MalformedBodyError, match=r"cannot unmarshal number 9+ into Go value"):
        decode_json(f'{{"n": {NINES}}}'.encode())


@pytest.mark.parametrize("number", [NINES, "0x" + "f" * 3000, "-" + NINES])
def test_in_yaml_it_is_a_text(number: str) -> None:
    assert decode_yaml(f"a: {number}".encode()) == ({"a": number}, [])
