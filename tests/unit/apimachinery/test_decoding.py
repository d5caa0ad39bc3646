"""Request bodies: decoding, wrong types, unknown and repeated fields."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubegang.apimachinery import decoding, unknownfields
from kubegang.apimachinery.decoding import MalformedBodyError, NotAnObjectError
from kubegang.apimachinery.errors import BadRequestError
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.schema import Schema
from kubegang.apimachinery.typecheck import conversion_problem
from tests.unit.apimachinery.schemas import CONFIG_MAP, POD, STRING, array, scalar, struct

POD_KIND = GroupVersionKind("", "v1", "Pod")


@pytest.mark.parametrize(
    ("body", "want_object", "want_duplicates"),
    [
        pytest.param('{"a":1}', {"a": 1}, [], id="plain"),
        pytest.param('{"a": 1,\n "b": "x:y"}', {"a": 1, "b": "x:y"}, [], id="blanks-and-colons"),
        pytest.param("null", {}, [], id="null-is-empty"),
        pytest.param('{"a":1,"a":2}', {"a": 2}, ["a"], id="last-one-counts"),
        pytest.param(
            '{"d":{"a":"1","a":"2"},"l":[{"x":1,"x":1}]}',
            {"d": {"a": "2"}, "l": [{"x": 1}]},
            ["d.a", "l[0].x"],
            id="paths",
        ),
        pytest.param('{"a":1,"a":2,"a":3}', {"a": 3}, ["a"], id="named-once"),
        pytest.param(
            '{"m":{"a":"1"},"m":{"b":"2"}}', {"m": {"a": "1", "b": "2"}}, ["m"], id="joined"
        ),
        pytest.param('{"a":"\\u003a","a":"\\u003a"}', {"a": ":"}, ["a"], id="escaped-colons"),
        pytest.param('{"a\\u0062":1,"ab":2}', {"ab": 2}, ["ab"], id="escaped-names"),
        pytest.param('{"a":"\\ud800"}', {"a": "�"}, [], id="half-a-character"),
    ],
)
def test_json_is_decoded_and_repeated_fields_named(
    body: str, want_object: JsonObject, want_duplicates: list[str]
) -> None:
    assert decoding.decode_json(body.encode()) == (want_object, want_duplicates)


def test_what_is_not_utf8_is_replaced() -> None:
    assert decoding.decode_json(b'{"a":"\xe9"}')[0] == {"a": "�"}


def test_broken_json_is_refused_in_go_s_words() -> None:
    with pytest.raises(MalformedBodyError, match="unexpected end of JSON input"):
        decoding.decode_json(b"{")


def test_what_is_no_object_says_what_it_is() -> None:
    with pytest.raises(NotAnObjectError) as refused:
        decoding.decode_json(b"[]")
    assert refused.value.found == "array"
    assert str(refused.value) == (
        "json: cannot unmarshal array into Go value of type struct "
        '{ APIVersion string "json:\\"apiVersion,omitempty\\""; '
        'Kind string "json:\\"kind,omitempty\\"" }'
    )


def test_a_deep_body_is_refused() -> None:
    with pytest.raises(MalformedBodyError, match="exceeded max depth"):
        decoding.decode_json(b'{"a":' * 50_000 + b"1" + b"}" * 50_000)


@pytest.mark.parametrize(
    ("body", "want"),
    [
        (b"", "<empty>"),
        (b'{"a" 1}', '{"a" 1}'),
        (b'{"apiVersion":"v1","kind":"ConfigMap"', '{"apiVersion":"v1","kind":"Con ...'),
        (b"[]", "5b5d"),
    ],
)
def test_an_unrecognised_body_is_shown_in_short(body: bytes, want: str) -> None:
    error = decoding.unrecognized_body("P", body, "ConfigMap")
    assert error.message == (
        f"the object provided is unrecognized (must be of type ConfigMap): P ({want})"
    )


def _pod(**spec: Any) -> JsonObject:
    containers = [{"name": "c", "image": "i"}]
    return {"metadata": {"name": "p"}, "spec": {"containers": containers, **spec}}


def _refusal(obj: JsonObject, schema: Schema = POD) -> str | None:
    try:
        decoding.check_types(obj, schema, POD_KIND)
    except BadRequestError as error:
        return error.message.removeprefix('Pod in version "v1" cannot be handled as a Pod: ')
    return None


FIELD = "into Go struct field"


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        (
            {"restartPolicy": 5},
            f"json: cannot unmarshal number {FIELD} PodSpec.spec.restartPolicy "
            "of type v1.RestartPolicy",
        ),
        (
            {"hostNetwork": "true"},
            f"json: cannot unmarshal string {FIELD} PodSpec.spec.hostNetwork of type bool",
        ),
        (
            {"priority": 3.5},
            f"json: cannot unmarshal number 3.5 {FIELD} PodSpec.spec.priority of type int32",
        ),
        (
            {"priority": 2**31},
            f"json: cannot unmarshal number 2147483648 {FIELD} PodSpec.spec.priority of type int32",
        ),
        (
            {"containers": {}},
            f"json: cannot unmarshal object {FIELD} PodSpec.spec.containers of type []v1.Container",
        ),
        (
            {"containers": ["x"]},
            f"json: cannot unmarshal string {FIELD} PodSpec.spec.containers of type v1.Container",
        ),
        (
            {"nodeSelector": {"a": 1}},
            f"json: cannot unmarshal number {FIELD} PodSpec.spec.nodeSelector of type string",
        ),
        (
            {"nodeSelector": []},
            f"json: cannot unmarshal array {FIELD} PodSpec.spec.nodeSelector "
            "of type map[string]string",
        ),
        (
            {"containers": [{"args": [1]}]},
            f"json: cannot unmarshal number {FIELD} Container.spec.containers.args of type string",
        ),
        (
            {"containers": [{"resources": {"requests": "x"}}]},
            f"json: cannot unmarshal string {FIELD} "
            "ResourceRequirements.spec.containers.resources.requests of type v1.ResourceList",
        ),
        (
            {"restartPolicy": 5, "containers": [{"resources": {"requests": {"cpu": "1K"}}}]},
            "unable to parse quantity's suffix",
        ),
        ({"restartPolicy": None, "containers": None, "nodeSelector": {"a": None}}, None),
        ({"unknown": 5}, None),
    ],
)
def test_a_wrong_type_is_refused_in_go_s_words(spec: JsonObject, want: str | None) -> None:
    assert _refusal(_pod(**spec)) == want


def test_times_decode_themselves() -> None:
    text = {"metadata": {"creationTimestamp": "x"}}
    assert _refusal(text) == (
        'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'
    )
    number = {"metadata": {"creationTimestamp": 5}}
    assert _refusal(number) == (
        f"json: cannot unmarshal number {FIELD} ObjectMeta.metadata.creationTimestamp "
        "of type string"
    )


def test_embedded_structs_are_named() -> None:
    http = struct("HTTPGetAction", {"path": STRING, "port": scalar("int-or-string")})
    probe = struct("Probe", {"httpGet": http})
    schema = struct("Container", {"probe": probe})
    assert _refusal({"probe": {"httpGet": {"path": 1}}}, schema) == (
        f"json: cannot unmarshal number {FIELD} HTTPGetAction.probe.ProbeHandler.httpGet.path "
        "of type string"
    )
    assert _refusal({"probe": {"httpGet": {"port": True}}}, schema) == (
        f"json: cannot unmarshal bool {FIELD} HTTPGetAction.probe.ProbeHandler.httpGet.port "
        "of type int32"
    )


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("x", 0),
        ("aGVsbG8", 4),
        ("aGVs bG8=", 4),
        ("a=b=", 1),
        ("aa=", 3),
        ("aa=b", 2),
        ("aGVsbG8=x", 8),
    ],
)
def test_broken_base64_is_located(text: str, want: int) -> None:
    schema = struct("Secret", {"data": array(scalar("string", "byte"))})
    assert _refusal({"data": [text]}, schema) == f"illegal base64 data at input byte {want}"


def test_base64_may_have_line_breaks() -> None:
    schema = struct("Secret", {"data": array(scalar("string", "byte"))})
    assert _refusal({"data": ["aGVs\nbG8=", None]}, schema) is None
    assert _refusal({"data": [5]}, schema) == (
        f"json: cannot unmarshal number {FIELD} Secret.data of type []uint8"
    )


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        ({"restartPolicy": 5}, "cannot convert int64 to v1.RestartPolicy"),
        ({"restartPolicy": True}, "unrecognized type: string"),
        ({"hostNetwork": "x"}, "unrecognized type: bool"),
        ({"priority": "3"}, "unrecognized type: int32"),
        ({"priority": 3.5}, "cannot convert float64 to int32"),
        ({"priority": 3.0}, None),
        ({"priority": 2**40}, None),
        ({"containers": {"a": 1}}, "cannot restore slice from map"),
        ({"nodeSelector": "x"}, "cannot restore map from string"),
        ({"containers": [{"resources": []}]}, "cannot restore struct from: slice"),
        (
            {"containers": [{"resources": {"requests": {"cpu": "1K"}}}]},
            "unable to parse quantity's suffix",
        ),
    ],
)
def test_merged_objects_are_converted_with_other_words(spec: JsonObject, want: str | None) -> None:
    assert conversion_problem(_pod(**spec), POD) == want


def test_merged_times_have_no_field_in_their_complaint() -> None:
    assert conversion_problem({"metadata": {"creationTimestamp": 5}}, POD) == (
        "json: cannot unmarshal number into Go value of type string"
    )


def test_unknown_fields_are_listed_in_the_order_of_the_document() -> None:
    obj = _pod(bogus={"a": 1}, containers=[{"name": "c", "resource": {}, "ports": [{"x": 1}]}])
    obj["other"] = 1
    assert unknownfields.unknown_fields(obj, POD) == [
        "spec.containers[0].resource",
        "spec.containers[0].ports[0].x",
        "spec.bogus",
        "other",
    ]
    assert unknownfields.unknown_fields(_pod(nodeSelector={"any": "key"}), POD) == []


def test_pruning_drops_unknown_fields_and_shares_the_rest() -> None:
    obj = _pod(bogus=1, containers=[{"name": "c", "bogus": 1}])
    before = json.dumps(obj)

    pruned = unknownfields.prune(obj, POD)

    assert pruned == {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}
    assert pruned["metadata"] is obj["metadata"]
    assert json.dumps(obj) == before
    assert unknownfields.prune(pruned, POD) is pruned


def test_strict_problems_are_quoted_and_limited() -> None:
    assert decoding.strict_problems(["a"], ["b.c"]) == [
        'unknown field "a"',
        'duplicate field "b.c"',
    ]
    assert len(decoding.strict_problems([str(i) for i in range(200)], [])) == 100


def test_a_fitting_object_passes_whole() -> None:
    assert _refusal({"metadata": {"labels": {"a": "b"}}, "data": {"k": "v"}}, CONFIG_MAP) is None
