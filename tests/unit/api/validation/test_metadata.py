from __future__ import annotations

import copy

import pytest

from kubegang.api.validation.table import validate_create, validate_update
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from tests.unit.api.validation.objects import GATES, lines

LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
    "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)


def config_map(**metadata: object) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "x", "namespace": "default", **metadata},
    }


def create(**metadata: object) -> list[str]:
    obj = config_map(**metadata)
    return lines(validate_create(obj, GroupVersionKind.of(obj), GATES))


def update(old: JsonObject, **metadata: object) -> list[str]:
    new = copy.deepcopy(old)
    new["metadata"].update(metadata)
    return lines(validate_update(new, old, GroupVersionKind.of(old), GATES))


@pytest.mark.parametrize(
    ("metadata", "fields"),
    [
        ({"name": ""}, ["metadata.name"]),
        ({"name": "A"}, ["metadata.name"]),
        ({"name": "a.b"}, []),
        ({"generateName": "a-"}, []),
        ({"generateName": "AB-"}, ["metadata.generateName"]),
        ({"namespace": ""}, ["metadata.namespace"]),
        ({"generation": -1}, ["metadata.generation"]),
        ({"labels": {"a/b": "c"}}, []),
        ({"labels": {"a/b/c": "-"}}, ["metadata.labels", "metadata.labels"]),
        ({"annotations": {"A/b": "anything at all"}}, []),
        ({"annotations": {"-": ""}}, ["metadata.annotations"]),
        ({"annotations": {"a": "x" * (256 * 1024)}}, ["metadata.annotations"]),
        ({"finalizers": ["kubernetes", "a/b"]}, []),
        ({"finalizers": ["mine"]}, ["metadata.finalizers[0]"]),
        ({"finalizers": ["orphan", "foregroundDeletion"]}, ["metadata.finalizers"]),
        ({"managedFields": [{"operation": "x"}]}, ["metadata.managedFields[0].operation"]),
    ],
)
def test_new_metadata_is_checked(metadata: JsonObject, fields: list[str]) -> None:
    assert [line.partition(": ")[0] for line in create(**metadata)] == fields


def test_a_cluster_wide_object_has_no_namespace() -> None:
    obj = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a.b", "namespace": "x"}}
    errors = lines(validate_create(obj, GroupVersionKind.of(obj), GATES))
    assert errors == [
        'metadata.name: Invalid value: "a.b": must not contain dots',
        "metadata.namespace: Forbidden: not allowed on this type",
    ]


@pytest.mark.parametrize(
    ("owner", "errors"),
    [
        ({"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u"}, []),
        (
            {"apiVersion": "", "kind": "Job", "name": "j", "uid": "u"},
            ["metadata.ownerReferences[0].apiVersion: Required value: must not be empty"],
        ),
        (
            {"apiVersion": "v1", "kind": "", "name": "", "uid": ""},
            [
                "metadata.ownerReferences[0].kind: Required value: must not be empty",
                "metadata.ownerReferences[0].name: Required value: must not be empty",
                "metadata.ownerReferences[0].uid: Required value: must not be empty",
            ],
        ),
    ],
)
def test_owners_are_complete(owner: JsonObject, errors: list[str]) -> None:
    assert create(ownerReferences=[owner]) == errors


def test_at_most_one_owner_controls() -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": True}
    (error,) = create(ownerReferences=[owner, {**owner, "name": "q"}])
    assert error.endswith('Found "true" in references for Pod/p and Pod/q')


@pytest.mark.parametrize(
    ("change", "errors"),
    [
        ({"labels": {"a": "b"}}, []),
        ({"finalizers": []}, []),
        ({"name": "y"}, ['metadata.name: Invalid value: "y": field is immutable']),
        ({"uid": "v"}, ['metadata.uid: Invalid value: "v": field is immutable']),
        ({"generation": 1}, ["metadata.generation: Invalid value: 1: must not be decremented"]),
    ],
)
def test_identity_stays(change: JsonObject, errors: list[str]) -> None:
    stored = config_map(uid="u", generation=2, finalizers=["a/b"])
    assert update(stored, **change) == errors


def test_nothing_delays_a_deletion_that_has_begun() -> None:
    stored = config_map(deletionTimestamp="2026-11-20T00:00:00Z", finalizers=["a/b"])
    assert update(stored, finalizers=[]) == []
    assert update(stored, finalizers=["a/b", "a/d", "a/c"]) == [
        "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being "
        'deleted, found new finalizers []string{"a/c", "a/d"}'
    ]


def test_what_an_update_leaves_alone_is_not_checked_again() -> None:
    stored = config_map(labels={"-": "-"}, annotations={"-": "-"})
    assert update(stored, generateName="x-") == []
