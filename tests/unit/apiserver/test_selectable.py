from __future__ import annotations

import json
from typing import Any

import pytest

from kubegang.apimachinery.objects import GroupResource, GroupVersionKind
from kubegang.apiserver.selectable import Selectable, selectable_kind


def _read(gvk: GroupVersionKind, plural: str, **members: Any) -> Selectable:
    value = {"metadata": {"name": "n", "namespace": "ns"}, **members}
    kind = selectable_kind(gvk, GroupResource(gvk.group, plural))
    return kind.read(json.dumps(value).encode())


def test_every_kind_has_name_namespace_and_labels() -> None:
    read = _read(
        GroupVersionKind("", "v1", "ConfigMap"),
        "configmaps",
        metadata={"name": "n", "namespace": "ns", "labels": {"a": "b"}},
    )

    assert read.labels == {"a": "b"}
    assert read.fields == {"metadata.name": "n", "metadata.namespace": "ns"}


@pytest.mark.parametrize(
    ("gvk", "plural", "members", "want"),
    [
        pytest.param(
            GroupVersionKind("", "v1", "Pod"),
            "pods",
            {
                "spec": {"nodeName": "n1", "hostNetwork": True},
                "status": {"phase": "Running", "podIP": "10.0.0.1"},
            },
            {
                "spec.nodeName": "n1",
                "spec.hostNetwork": "true",
                "spec.schedulerName": "",
                "status.phase": "Running",
                "status.podIP": "10.0.0.1",
            },
            id="pod",
        ),
        pytest.param(
            GroupVersionKind("", "v1", "Node"),
            "nodes",
            {"spec": {"unschedulable": True}},
            {"spec.unschedulable": "true"},
            id="node",
        ),
        pytest.param(
            GroupVersionKind("batch", "v1", "Job"),
            "jobs",
            {"status": {"succeeded": 3}},
            {"status.successful": "3"},
            id="job",
        ),
        pytest.param(
            GroupVersionKind("events.k8s.io", "v1", "Event"),
            "events",
            {"involvedObject": {"kind": "Pod"}, "source": {"component": "c"}, "reason": "R"},
            {"involvedObject.kind": "Pod", "source": "c", "reason": "R", "type": ""},
            id="event",
        ),
        pytest.param(
            GroupVersionKind("resource.k8s.io", "v1", "ResourceSlice"),
            "resourceslices",
            {"spec": {"driver": "d"}},
            {"spec.driver": "d", "spec.nodeName": ""},
            id="slice",
        ),
    ],
)
def test_some_kinds_have_fields_of_their_own(
    gvk: GroupVersionKind, plural: str, members: dict[str, Any], want: dict[str, str]
) -> None:
    fields = _read(gvk, plural, **members).fields

    assert {name: fields[name] for name in want} == want


def test_names_of_the_new_events_mean_the_stored_ones() -> None:
    kind = selectable_kind(
        GroupVersionKind("events.k8s.io", "v1", "Event"), GroupResource("events.k8s.io", "events")
    )

    assert kind.stored_name("regarding.name") == "involvedObject.name"
    assert kind.stored_name("involvedObject.name") is None
