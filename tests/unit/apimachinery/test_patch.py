"""JSON patch and JSON merge patch; rows with recorded names are from the corpus of 1.37.2."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from kubegang.apimachinery import jsonpatch, patch, patchbodies
from kubegang.apimachinery.errors import (
    BadRequestError,
    InvalidError,
    RequestEntityTooLargeError,
    StatusDetails,
)
from kubegang.apimachinery.objects import JsonObject

DOC: JsonObject = {
    "metadata": {"name": "c", "labels": {"x/y": "z"}},
    "data": {"a": "1", "b": "2"},
    "list": ["p", "q"],
}


def _patched(**changes: Any) -> JsonObject:
    return {**DOC, **changes}


def _op(op: str, path: str, **more: Any) -> JsonObject:
    return {"op": op, "path": path, **more}


@pytest.mark.parametrize(
    ("ops", "want"),
    [
        pytest.param(
            [_op("add", "/data/c", value="3")],
            _patched(data={"a": "1", "b": "2", "c": "3"}),
            id="json-add",
        ),
        pytest.param([_op("remove", "/data/a")], _patched(data={"b": "2"}), id="json-remove"),
        pytest.param(
            [{"op": "copy", "from": "/data/a", "path": "/data/z"}],
            _patched(data={"a": "1", "b": "2", "z": "1"}),
            id="json-copy",
        ),
        pytest.param(
            [{"op": "move", "from": "/data/a", "path": "/data/z"}],
            _patched(data={"b": "2", "z": "1"}),
            id="move",
        ),
        pytest.param(
            [_op("test", "/data/a", value="1"), _op("add", "/data/t", value="x")],
            _patched(data={"a": "1", "b": "2", "t": "x"}),
            id="json-test-ok",
        ),
        pytest.param([_op("add", "data/a", value="x")], _patched(a="x"), id="json-bad-path"),
        pytest.param(
            [_op("replace", "/data/zz", value="x")],
            _patched(data={"a": "1", "b": "2", "zz": "x"}),
            id="replace-of-a-missing-member-adds",
        ),
        pytest.param([_op("replace", "", value={})], {}, id="json-root-replace"),
        pytest.param(
            [_op("add", "/metadata/labels/x~1y", value="n")],
            _patched(metadata={"name": "c", "labels": {"x/y": "n"}}),
            id="escaped-slash",
        ),
        pytest.param(
            [_op("add", "/list/0", value="o")], _patched(list=["o", "p", "q"]), id="insert"
        ),
        pytest.param([_op("add", "/list/-", value="r")], _patched(list=["p", "q", "r"]), id="end"),
        pytest.param(
            [_op("add", "/list/-1", value="r")], _patched(list=["p", "q", "r"]), id="from-the-end"
        ),
        pytest.param([_op("remove", "/list/-1")], _patched(list=["p"]), id="remove-the-last"),
        pytest.param([_op("replace", "/list/1", value="r")], _patched(list=["p", "r"]), id="item"),
        pytest.param([_op("test", "/data/none", value=None)], DOC, id="missing-equals-null"),
        pytest.param([_op("test", "", value=copy.deepcopy(DOC))], DOC, id="test-of-the-whole"),
        pytest.param(
            [{"op": "copy", "from": "/data/none", "path": "/data/n"}],
            _patched(data={"a": "1", "b": "2", "n": None}),
            id="copy-of-nothing",
        ),
        pytest.param([], DOC, id="nothing-to-do"),
    ],
)
def test_operations_are_applied(ops: list[JsonObject], want: JsonObject) -> None:
    before = copy.deepcopy(DOC)
    assert jsonpatch.json_patch(DOC, ops) == want
    assert before == DOC


@pytest.mark.parametrize(
    "ops",
    [
        pytest.param([_op("remove", "/data/zz")], id="json-remove-missing"),
        pytest.param([_op("add", "/spec/x/y", value="1")], id="json-add-below-missing"),
        pytest.param([_op("frob", "/data/a")], id="json-unknown-op"),
        pytest.param([_op("replace", "/list/9", value="x")], id="json-list-out-of-range"),
        pytest.param([_op("add", "/list/4", value="x")], id="insert-beyond-the-end"),
        pytest.param([_op("replace", "/list/x", value="x")], id="no-index"),
        pytest.param([_op("test", "/data/a", value="2")], id="test-fails"),
        pytest.param([_op("test", "/data/a", value=1)], id="types-differ"),
        pytest.param([_op("add", "x", value=1)], id="no-slash-at-all"),
        pytest.param([_op("add", "/data/a/b", value=1)], id="below-a-text"),
        pytest.param([{"op": "add", "value": 1}], id="no-path"),
        pytest.param([_op("move", "/data/x")], id="no-from"),
        pytest.param([_op("replace", "", value="x")], id="root-of-wrong-type"),
        pytest.param([_op("add", "/data/c", value=1), _op("frob", "/x")], id="all-or-none"),
    ],
)
def test_all_failures_have_one_sentence(ops: list[JsonObject]) -> None:
    with pytest.raises(InvalidError) as refused:
        jsonpatch.json_patch(DOC, ops)
    assert refused.value.message == (
        "the server rejected our request due to an error in our request"
    )
    assert refused.value.details == StatusDetails()


def test_a_list_is_no_object() -> None:
    with pytest.raises(InvalidError, match="cannot unmarshal array into Go value"):
        jsonpatch.json_patch(DOC, [_op("replace", "", value=[])])


@pytest.mark.parametrize(
    ("change", "want"),
    [
        pytest.param({"data": {"a": None}}, _patched(data={"b": "2"}), id="merge-null-deletes"),
        pytest.param(
            {"data": None, "list": None}, {"metadata": DOC["metadata"]}, id="merge-null-object"
        ),
        pytest.param({}, DOC, id="merge-empty"),
        pytest.param({"list": ["x"]}, _patched(list=["x"]), id="lists-are-replaced"),
        pytest.param(
            {"new": {"a": {"b": None}, "c": [{"d": None}, None]}},
            _patched(new={"a": {}, "c": [{}, None]}),
            id="new-values-lose-their-nulls",
        ),
        pytest.param({"data": {"a": {"x": 1}}}, None, id="object-over-text"),
        pytest.param({"data": ["x", {"y": None}]}, _patched(data=["x", {"y": None}]), id="over"),
    ],
)
def test_a_merge_patch_is_merged(change: JsonObject, want: JsonObject | None) -> None:
    before = copy.deepcopy(DOC)
    expected = want if want is not None else _patched(data={"a": {"x": 1}, "b": "2"})
    assert patch.merge_patch(DOC, change) == expected
    assert before == DOC


def test_broken_bodies_have_one_sentence() -> None:
    for decode in (
        patchbodies.decode_json_patch,
        patchbodies.decode_merge_patch,
        patchbodies.decode_strategic_merge_patch,
    ):
        with pytest.raises(BadRequestError, match=r"^invalid JSON patch$"):
            decode(b"[{")


@pytest.mark.parametrize(
    ("body", "want"),
    [
        (b"{}", "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"),
        (b'"x"', "json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp"),
        (b"[5]", "json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"),
        (
            b'[{"op":5}]',
            "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
        ),
    ],
)
def test_what_is_no_list_of_operations_is_refused(body: bytes, want: str) -> None:
    with pytest.raises(BadRequestError) as refused:
        patchbodies.decode_json_patch(body)
    assert refused.value.message == f"error decoding patch: {want}"


def test_unknown_members_of_operations_are_strict_problems() -> None:
    body = b'[{"op":"add","path":"/a","path":"/b","value":1,"extra":2}]'
    ops, problems = patchbodies.decode_json_patch(body)
    assert ops[0]["path"] == "/b"
    assert problems == [
        'json patch unknown field "[0].extra"',
        'json patch duplicate field "[0].path"',
    ]
    assert patchbodies.decode_json_patch(b"null") == ([], [])


def test_too_many_operations_are_refused() -> None:
    body = b"[" + b",".join([b'{"op":"test"}'] * 10_001) + b"]"
    with pytest.raises(RequestEntityTooLargeError, match="is 10000, got 10001"):
        patchbodies.decode_json_patch(body)


def test_a_merge_patch_must_be_an_object() -> None:
    target = "into Go value of type map[string]interface {}"
    with pytest.raises(BadRequestError) as refused:
        patchbodies.decode_merge_patch(b"[1]")
    assert refused.value.message == f"error decoding patch: json: cannot unmarshal array {target}"
    with pytest.raises(BadRequestError) as refused:
        patchbodies.decode_strategic_merge_patch(b"[1]")
    assert refused.value.message == f"json: cannot unmarshal array {target}"
    with pytest.raises(BadRequestError, match=r"^Invalid JSON Patch$"):
        patchbodies.decode_merge_patch(b"null")
    assert patchbodies.decode_strategic_merge_patch(b"null") == ({}, [])
    assert patchbodies.decode_merge_patch(b'{"a":1,"a":2}') == ({"a": 2}, ["a"])


def test_a_result_that_cannot_be_decoded_is_quoted() -> None:
    text = patch.patched_text({"kind": "ConfigMap", "data": {"a": 5}, "apiVersion": "v1"})
    error = patch.invalid_patch(text, "why")
    assert error.message == (
        ' "" is invalid: patch: Invalid value: '
        r'"{\"apiVersion\":\"v1\",\"data\":{\"a\":5},\"kind\":\"ConfigMap\"}": why'
    )
    assert error.details is not None
    assert error.details.causes[0].field == "patch"


def test_only_what_was_taken_apart_is_quoted_in_the_order_of_names() -> None:
    patched = {"kind": "K", "metadata": {"name": "n", "a": 1}, "data": {"z": 1, "b": 2}}
    assert patch.patched_text(patched, {"data": {"z": 1}, "kind": "K"}) == (
        '{"data":{"b":2,"z":1},"kind":"K","metadata":{"name":"n","a":1}}'
    )
    listed: dict[str, Any] = {"nope": [{"z": 1, "a": 2}]}
    assert patch.patched_text(listed, listed) == '{"nope":[{"a":2,"z":1}]}'
    assert patch.opened_by([{"op": "add", "path": "/metadata/labels/a~1b"}, {"path": "/x"}]) == {
        "metadata": {"labels": {}}
    }
