"""Protobuf bodies, taken from real clients where they are base64."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubegang.api.facts import load_facts
from kubegang.api.resources import ROWS
from kubegang.api.scheme import Scheme
from kubegang.apimachinery.errors import BadRequestError, UnsupportedMediaTypeError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.protobuf import MAGIC, Fields, decode_protobuf, load_fields
from kubegang.app.profiles.table import profile_named

CORPUS = Path(__file__).parents[2] / "conformance/corpus/public/protobuf-bodies.yaml"


def recorded(entry_id: str) -> bytes:
    """Return a body from the corpus."""
    for entry in yaml.safe_load(CORPUS.read_text()):
        if entry["id"] == entry_id:
            return base64.b64decode(entry["request"]["rawBodyBase64"])
    raise KeyError(entry_id)


def field(number: int, value: bytes | str | int) -> bytes:
    """Return one field as it stands on the wire."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value % (1 << 64))
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def varint(value: int) -> bytes:
    data = b""
    while value > 0x7F:
        data += bytes([value & 0x7F | 0x80])
        value >>= 7
    return data + bytes([value])


def envelope(api_version: str, kind: str, raw: bytes) -> bytes:
    return MAGIC + field(1, field(1, api_version) + field(2, kind)) + field(2, raw)


def decoded(api_version: str, kind: str, raw: bytes) -> JsonObject:
    return decode_protobuf(envelope(api_version, kind, raw), expected=kind)


TEXT = field(5, "string")
"""A schema of texts."""


def test_a_config_map_with_text_and_binary_data() -> None:
    assert decode_protobuf(recorded("configmap"), expected="ConfigMap") == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "labels": {"a": "b"}},
        "data": {"k": "v"},
        "binaryData": {"bin": "AAE="},
    }


def test_a_secret_has_its_data_in_base64() -> None:
    secret = decode_protobuf(recorded("secret"), expected="Secret")

    assert secret["data"] == {"k": "Ynl0ZXM="}
    assert secret["stringData"] == {"t": "text"}


def test_a_pointer_keeps_its_zero() -> None:
    job = decode_protobuf(recorded("job-parallelism-0"), expected="Job")

    assert job["spec"]["parallelism"] == 0
    assert job["spec"]["backoffLimit"] == 0
    assert "manualSelector" not in job["spec"]


@pytest.mark.parametrize(
    ("entry_id", "kind", "path", "want"),
    [
        pytest.param("pdb-min", "PodDisruptionBudget", ("spec", "minAvailable"), 1, id="number"),
        pytest.param(
            "pdb-percent", "PodDisruptionBudget", ("spec", "maxUnavailable"), "50%", id="text"
        ),
        pytest.param("binding", "Binding", ("target", "name"), "node-1", id="binding"),
        pytest.param("eviction", "Eviction", ("metadata", "name"), "p", id="eviction"),
        pytest.param(
            "delete-options-bad-policy",
            "DeleteOptions",
            ("propagationPolicy",),
            "Sideways",
            id="delete-options",
        ),
    ],
)
def test_values_of_recorded_bodies(
    entry_id: str, kind: str, path: tuple[str, ...], want: int | str
) -> None:
    value: Any = decode_protobuf(recorded(entry_id), expected=kind)
    for key in path:
        value = value[key]

    assert value == want


def test_delete_options_may_be_sent_under_any_group() -> None:
    options = decoded("batch/v1", "DeleteOptions", field(1, 0))

    assert options == {"apiVersion": "batch/v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}


def test_an_embedded_struct_has_its_members_in_the_one_around_it() -> None:
    empty_dir = field(2, field(2, field(1, "Memory")))
    pod = decoded("v1", "Pod", field(2, field(1, field(1, "scratch") + empty_dir)))

    assert pod["spec"]["volumes"] == [{"name": "scratch", "emptyDir": {"medium": "Memory"}}]


def test_times_and_micro_times() -> None:
    acquired = field(3, field(1, 1_700_000_000) + field(2, 123_456_000))
    renewed = field(4, b"")
    created = field(1, field(8, field(1, 1_700_000_000)))
    lease = decoded("coordination.k8s.io/v1", "Lease", created + field(2, acquired + renewed))

    assert lease["metadata"]["creationTimestamp"] == "2023-11-14T22:13:20Z"
    assert lease["spec"]["acquireTime"] == "2023-11-14T22:13:20.123456Z"
    assert lease["spec"]["renewTime"] is None


def test_a_list_in_a_message_of_its_own_is_a_list_in_json() -> None:
    extra = field(5, field(1, "scopes") + field(2, field(1, "a") + field(1, "b")))
    review = decoded("authorization.k8s.io/v1", "SubjectAccessReview", field(2, extra))

    assert review["spec"]["extra"] == {"scopes": ["a", "b"]}


def test_raw_json_is_json() -> None:
    revision = decoded("apps/v1", "ControllerRevision", field(2, field(1, '{"a":[1]}')))

    assert revision["data"] == {"a": [1]}


def test_negative_numbers_and_packed_lists() -> None:
    priority = decoded("scheduling.k8s.io/v1", "PriorityClass", field(2, -5))
    groups = field(4, varint(7) + varint(8))
    pod = decoded("v1", "Pod", field(2, field(14, groups)))

    assert priority["value"] == -5
    assert pod["spec"]["securityContext"]["supplementalGroups"] == [7, 8]


def test_fields_of_newer_releases_are_passed_over() -> None:
    config_map = decoded("v1", "ConfigMap", field(1, field(1, "c")) + field(900, "x"))

    assert config_map["metadata"] == {"name": "c"}


@pytest.mark.parametrize(
    ("body", "want"),
    [
        pytest.param(b"plain text", "(706c61696e2074657874)", id="text"),
        pytest.param(
            b'{"apiVersion":"v1","kind":"ConfigMap"}',
            '({"apiVersion":"v1","kind":"Con ...)',
            id="json",
        ),
        pytest.param(b"", "(<empty>)", id="nothing"),
    ],
)
def test_a_body_without_the_envelope_is_refused(body: bytes, want: str) -> None:
    with pytest.raises(BadRequestError) as caught:
        decode_protobuf(body, expected="ConfigMap")

    assert caught.value.message == (
        "the object provided is unrecognized (must be of type ConfigMap): provided data does not "
        f"appear to be a protobuf message, expected prefix [107 56 115 0] {want}"
    )


def test_an_unknown_kind_is_refused_by_name() -> None:
    with pytest.raises(BadRequestError, match='no kind "Nothing" is registered'):
        decode_protobuf(recorded("unknown-kind"), expected="ConfigMap")


def test_a_kind_that_is_served_but_not_in_the_table_must_come_as_json() -> None:
    with pytest.raises(UnsupportedMediaTypeError, match="send application/json"):
        decoded("example.com/v1", "Widget", b"")


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"\x0a\x05a", id="cut-short"),
        pytest.param(b"\x80", id="cut-varint"),
        pytest.param(b"\xff" * 11, id="endless-varint"),
        pytest.param(b"\x0b", id="group"),
        pytest.param(b"\x08\x01", id="number-for-message"),
        pytest.param(field(2, field(1, "k") + field(2, 5)), id="number-for-text"),
    ],
)
def test_broken_bytes_are_a_bad_request(raw: bytes) -> None:
    with pytest.raises(BadRequestError, match='in version "v1" cannot be handled as a ConfigMap'):
        decoded("v1", "ConfigMap", raw)


def test_endless_nesting_is_a_bad_request() -> None:
    template = b""
    for _ in range(500):
        template = field(9, template)
    raw = field(2, field(3, template))

    with pytest.raises(BadRequestError, match="nested too deeply"):
        decoded("scheduling.k8s.io/v1beta1", "Workload", raw)


def json_names(table: Fields, message: str) -> set[str]:
    """Return the members that a message has in JSON, those of embedded structs included."""
    names: set[str] = set()
    for _, json_name, kind, presence in table.messages[message]:
        names |= json_names(table, kind) if presence == "inline" else {json_name}
    return names


def test_the_fields_are_those_of_the_facts_tables() -> None:
    """The newest release that has a kind says most; older ones may have had more fields."""
    table, releases = load_fields(), [load_facts(name) for name in ("1.37", "1.36", "1.35")]
    of_every_kind = {"apiVersion", "kind"}

    differing = {}
    for message in table.messages:
        package = "apimachinery.pkg.apis" if message.startswith("meta.") else "api"
        definition = f"io.k8s.{package}.{message}"
        # Embedded structs have no definition of their own.
        known = [facts for facts in releases if definition in set(facts.names())]
        if known:
            fields: set[str] = set()
            fields.update(*(facts.definition(definition).fields for facts in known))
            differing[message] = (json_names(table, message) ^ fields) - of_every_kind

    assert len(differing) > 400
    assert not {message: names for message, names in differing.items() if names}


@pytest.mark.parametrize("release", ["1.37", "1.36", "1.35"])
def test_every_kind_that_a_release_serves_is_in_the_table(release: str) -> None:
    profile = profile_named(release)
    scheme = Scheme.for_profile(ROWS, profile.served, profile.gates["apiserver"])
    served = {f"{row.group_version}/{row.kind}" for row in scheme.resources()}

    assert not served - set(load_fields().kinds)


def test_a_pod_of_1_35_names_its_workload() -> None:
    reference = field(1, "train") + field(2, "workers")
    pod = decoded("v1", "Pod", field(2, field(42, reference)))

    assert pod["spec"]["workloadRef"] == {"name": "train", "podGroup": "workers"}


@pytest.mark.parametrize(
    ("raw", "want"),
    [
        pytest.param(field(30, field(1, 1)), {"additionalProperties": True}, id="yes"),
        pytest.param(field(30, b""), {"additionalProperties": False}, id="no"),
        pytest.param(
            field(30, field(2, TEXT)), {"additionalProperties": {"type": "string"}}, id="schema"
        ),
        pytest.param(field(24, field(1, TEXT)), {"items": {"type": "string"}}, id="one"),
        pytest.param(field(24, field(2, TEXT)), {"items": [{"type": "string"}]}, id="several"),
        pytest.param(
            field(32, field(1, "a") + field(2, field(2, "b") + field(2, "c"))),
            {"dependencies": {"a": ["b", "c"]}},
            id="names",
        ),
        pytest.param(field(8, field(1, b"[1]")), {"default": [1]}, id="default"),
    ],
)
def test_a_schema_may_have_something_simpler_in_its_place(raw: bytes, want: JsonObject) -> None:
    version = field(4, field(1, raw))
    made = decoded(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", field(2, field(7, version))
    )

    assert made["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == want
