"""The canonical form: what is dropped, what is filled, how values are written."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubegang.api.canonical import canonicalize
from kubegang.api.facts import load_facts
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.schema import Schema

POD = GroupVersionKind("", "v1", "Pod")
EVENT = GroupVersionKind("", "v1", "Event")
SECRET = GroupVersionKind("", "v1", "Secret")
WORKLOAD = GroupVersionKind("scheduling.k8s.io", "v1beta1", "Workload")
POD_GROUP = GroupVersionKind("scheduling.k8s.io", "v1beta1", "PodGroup")
OLD_POD_GROUP = GroupVersionKind("scheduling.k8s.io", "v1alpha2", "PodGroup")


def canonical(obj: JsonObject, gvk: GroupVersionKind) -> JsonObject:
    result = copy.deepcopy(obj)
    canonicalize(result, gvk)
    return result


def canonical_spec(spec: JsonObject) -> JsonObject:
    """Return the canonical spec of a pod, without the containers that it has to have."""
    whole = canonical({"spec": {"containers": [{"name": "c"}], **spec}}, POD)["spec"]
    return {key: value for key, value in whole.items() if key != "containers"}


@pytest.mark.parametrize(
    ("sent", "want"),
    [
        pytest.param({"hostNetwork": False}, {}, id="a-zero-that-means-unset-is-dropped"),
        pytest.param({"nodeName": ""}, {}, id="so-is-an-empty-text"),
        pytest.param({"priority": 0}, {"priority": 0}, id="a-zero-that-is-a-value-stays"),
        pytest.param(
            {"enableServiceLinks": False},
            {"enableServiceLinks": False},
            id="and-a-false-that-is-a-value",
        ),
        pytest.param({"priority": None}, {}, id="null-is-dropped"),
        pytest.param({"tolerations": []}, {}, id="an-empty-list-is-dropped"),
        pytest.param({"nodeSelector": {}}, {}, id="an-empty-map-is-dropped"),
        pytest.param({"nodeSelector": {"a": None}}, {"nodeSelector": {"a": ""}}, id="null-in-map"),
        pytest.param({"affinity": {}}, {"affinity": {}}, id="an-empty-object-stays"),
        pytest.param(
            {"overhead": {"cpu": "1000m", "memory": "1024Mi", "pods": 2}},
            {"overhead": {"cpu": "1", "memory": "1Gi", "pods": "2"}},
            id="quantities-get-their-one-text",
        ),
        pytest.param(
            {"volumes": [{"name": "v", "emptyDir": {"medium": "", "sizeLimit": "0.5Gi"}}]},
            {"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "512Mi"}}]},
            id="at-any-depth",
        ),
        pytest.param({"fromTheFuture": {}}, {"fromTheFuture": {}}, id="what-is-unknown-stays"),
        pytest.param({"nodeName": 3}, {"nodeName": 3}, id="what-has-the-wrong-type-stays"),
    ],
)
def test_members_of_a_pod_spec(sent: JsonObject, want: JsonObject) -> None:
    """Compared with what kube-apiserver 1.37.2 answers to these."""
    assert canonical_spec(sent) == want


def test_members_without_omitempty_are_filled_in() -> None:
    assert canonical({"spec": {"containers": [{"name": "c"}]}}, POD) == {
        "metadata": {},
        "spec": {"containers": [{"name": "c", "resources": {}}]},
        "status": {},
    }


def test_a_divisor_that_was_not_given_is_zero() -> None:
    env = [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}]
    pod = canonical({"spec": {"containers": [{"name": "c", "env": env}]}}, POD)
    field = pod["spec"]["containers"][0]["env"][0]["valueFrom"]["resourceFieldRef"]
    assert field == {"resource": "limits.cpu", "divisor": "0"}


def test_a_template_has_its_constraints_as_null() -> None:
    template = {"name": "a", "schedulingPolicy": {"basic": {}}}
    workload = canonical({"spec": {"podGroupTemplates": [template]}}, WORKLOAD)
    assert workload["spec"] == {"podGroupTemplates": [{**template, "schedulingConstraints": None}]}


def test_a_workload_of_composites_has_its_other_list_as_null() -> None:
    composite = {"name": "a", "schedulingPolicy": {"basic": {}}}
    workload = canonical({"spec": {"compositePodGroupTemplates": [composite]}}, WORKLOAD)
    assert workload["spec"]["podGroupTemplates"] is None
    assert "schedulingConstraints" not in workload["spec"]["compositePodGroupTemplates"][0]


def test_an_empty_list_of_topologies_is_not_echoed() -> None:
    group = canonical({"spec": {"schedulingConstraints": {"topology": []}}}, POD_GROUP)
    assert group["spec"]["schedulingConstraints"] == {}


def test_a_pod_group_of_1_36_has_its_reference_as_null() -> None:
    spec = canonical({"spec": {"schedulingPolicy": {"basic": {}}}}, OLD_POD_GROUP)["spec"]
    assert spec == {"podGroupTemplateRef": None, "schedulingPolicy": {"basic": {}}}


def test_times_are_written_in_utc_and_to_their_precision() -> None:
    event = canonical(
        {
            "firstTimestamp": "2026-01-01T12:00:00.5+02:00",
            "eventTime": "2026-01-01T12:00:00.000250+02:00",
        },
        EVENT,
    )
    assert event["firstTimestamp"] == "2026-01-01T10:00:00Z"
    assert event["eventTime"] == "2026-01-01T10:00:00.000250Z"
    assert event["lastTimestamp"] is None


def test_a_missing_creation_time_is_left_out() -> None:
    assert canonical({"metadata": {"creationTimestamp": None}}, SECRET)["metadata"] == {}


def test_line_breaks_in_base64_are_taken_out() -> None:
    assert canonical({"data": {"a": "YWJj\nZGVm"}}, SECRET)["data"] == {"a": "YWJjZGVm"}


def test_bad_base64_is_left_for_decoding_to_refuse() -> None:
    assert canonical({"data": {"a": "!"}}, SECRET)["data"] == {"a": "!"}


def test_a_custom_resource_is_left_as_it_is() -> None:
    obj: JsonObject = {"spec": {"a": [], "b": None}}
    assert canonical(obj, GroupVersionKind("example.com", "v1", "Thing")) == obj


def values(schema: Schema, depth: int) -> st.SearchStrategy[Any]:
    """Return a strategy for values that a client may send for a node, nulls included."""
    if depth == 0:
        return st.none()
    match schema.type:
        case "object":
            members = {name: values(node, depth - 1) for name, node in schema.fields.items()}
            return st.fixed_dictionaries({}, optional=members)
        case "array" if schema.items is not None:
            return st.none() | st.lists(values(schema.items, depth - 1), max_size=2)
        case "map" if schema.items is not None:
            keys = st.sampled_from(("a", "b"))
            return st.dictionaries(keys, values(schema.items, depth - 1), max_size=2)
        case "string":
            return st.sampled_from((None, "", "a", "1000m", "2026-01-01T12:00:00+02:00", "YQ=="))
        case "integer" | "number" | "int-or-string":
            return st.sampled_from((None, 0, 5))
        case "boolean":
            return st.sampled_from((None, True, False))
        case _:
            return st.none()


@given(values(load_facts("1.37").kind(WORKLOAD), 6))
def test_the_canonical_form_of_the_canonical_form_is_itself(obj: JsonObject) -> None:
    once = canonical(obj, WORKLOAD)
    assert canonical(once, WORKLOAD) == once
