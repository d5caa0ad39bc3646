"""Typed forms: every wire name is upstream's, and what servers send can be decoded."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from kubegang.api.apps.types import ReplicaSet, StatefulSet
from kubegang.api.batch.types import Job
from kubegang.api.coordination.types import Lease
from kubegang.api.core.services import ReplicationController, Service
from kubegang.api.core.types import Namespace, Node, Pod
from kubegang.api.facts import Facts, load_facts
from kubegang.api.meta import Form, ObjectMeta, decode
from kubegang.api.policy.types import PodDisruptionBudget
from kubegang.api.scheduling import types as scheduling
from kubegang.api.scheduling import v1alpha1, v1alpha2
from kubegang.apimachinery.objects import GroupVersionKind
from kubegang.apimachinery.schema import Schema

FORMS: list[tuple[type[Form], str, tuple[str, ...]]] = [
    (Pod, "/v1/Pod", ("1.35", "1.36", "1.37")),
    (Node, "/v1/Node", ("1.35", "1.36", "1.37")),
    (Namespace, "/v1/Namespace", ("1.35", "1.36", "1.37")),
    (Service, "/v1/Service", ("1.35", "1.36", "1.37")),
    (ReplicationController, "/v1/ReplicationController", ("1.35", "1.36", "1.37")),
    (ReplicaSet, "apps/v1/ReplicaSet", ("1.35", "1.36", "1.37")),
    (StatefulSet, "apps/v1/StatefulSet", ("1.35", "1.36", "1.37")),
    (Job, "batch/v1/Job", ("1.37",)),
    (Lease, "coordination.k8s.io/v1/Lease", ("1.35", "1.36", "1.37")),
    (PodDisruptionBudget, "policy/v1/PodDisruptionBudget", ("1.35", "1.36", "1.37")),
    (scheduling.PriorityClass, "scheduling.k8s.io/v1/PriorityClass", ("1.35", "1.36", "1.37")),
    (scheduling.Workload, "scheduling.k8s.io/v1beta1/Workload", ("1.37",)),
    (scheduling.Workload, "scheduling.k8s.io/v1alpha3/Workload", ("1.37",)),
    (scheduling.PodGroup, "scheduling.k8s.io/v1beta1/PodGroup", ("1.37",)),
    (scheduling.PodGroup, "scheduling.k8s.io/v1alpha3/PodGroup", ("1.37",)),
    (scheduling.CompositePodGroup, "scheduling.k8s.io/v1alpha3/CompositePodGroup", ("1.37",)),
    (v1alpha1.Workload, "scheduling.k8s.io/v1alpha1/Workload", ("1.35",)),
    (v1alpha2.Workload, "scheduling.k8s.io/v1alpha2/Workload", ("1.36",)),
    (v1alpha2.PodGroup, "scheduling.k8s.io/v1alpha2/PodGroup", ("1.36",)),
]

# Not in the facts table of every release.
ONE_RELEASE_ONLY = {
    "schedulingGroup": "1.36 and later",
    "workloadRef": "1.35",
    "bindMountOptions": "1.37",
}


def struct_types(info: msgspec.inspect.Type) -> Iterator[msgspec.inspect.StructType]:
    """Yield the struct types behind optional, list and map types."""
    if isinstance(info, msgspec.inspect.StructType):
        yield info
    elif isinstance(info, msgspec.inspect.UnionType):
        for member in info.types:
            yield from struct_types(member)
    elif isinstance(info, msgspec.inspect.VarTupleType):
        yield from struct_types(info.item_type)
    elif isinstance(info, msgspec.inspect.DictType):
        yield from struct_types(info.value_type)


def fields_with_schema(
    info: msgspec.inspect.StructType, schema: Schema, seen: set[str]
) -> Iterator[tuple[str, msgspec.inspect.Field, Schema, Schema | None]]:
    """Yield every field below a struct with the parent's structure and its own, if it has one."""
    if info.cls.__qualname__ in seen:
        return
    seen.add(info.cls.__qualname__)
    for field in info.fields:
        name = field.encode_name
        node = schema.fields.get(name)
        yield f"{info.cls.__name__}.{name}", field, schema, node
        inner = node
        while inner is not None and inner.items is not None:
            inner = inner.items
        if inner is not None:
            for struct in struct_types(field.type):
                yield from fields_with_schema(struct, inner, seen)


def all_fields(
    form: type[Form], facts: Facts, kind: str
) -> Iterator[tuple[str, msgspec.inspect.Field, Schema, Schema | None]]:
    info = msgspec.inspect.type_info(form)
    assert isinstance(info, msgspec.inspect.StructType)
    yield from fields_with_schema(info, facts.kind(GroupVersionKind(*kind.split("/"))), set())


CASES = [
    pytest.param(form, kind, version, id=f"{kind} in {version}")
    for form, kind, versions in FORMS
    for version in versions
]


@pytest.mark.parametrize(("form", "kind", "version"), CASES)
def test_every_field_name_is_upstreams(form: type[Form], kind: str, version: str) -> None:
    unknown = [
        path
        for path, field, _, node in all_fields(form, load_facts(version), kind)
        if node is None and field.encode_name not in ONE_RELEASE_ONLY
    ]
    assert unknown == []


@pytest.mark.parametrize(("form", "kind", "version"), CASES)
def test_fields_that_are_written_as_null_may_be_null(
    form: type[Form], kind: str, version: str
) -> None:
    refusing = [
        path
        for path, field, parent, node in all_fields(form, load_facts(version), kind)
        if node is not None and is_written_as_null(field.encode_name, parent, node)
        if not accepts_null(field.type)
    ]
    assert refusing == []


def is_written_as_null(name: str, parent: Schema, node: Schema) -> bool:
    a_time = node.format in {"date-time", "micro-time"}
    return name in parent.written_as_null or (name in parent.always_written and a_time)


def accepts_null(info: msgspec.inspect.Type) -> bool:
    if isinstance(info, msgspec.inspect.UnionType):
        return any(isinstance(member, msgspec.inspect.NoneType) for member in info.types)
    return isinstance(info, msgspec.inspect.NoneType)


def test_acronyms_keep_upstreams_capitals() -> None:
    node = decode(b'{"spec": {"podCIDR": "10.0.0.0/24", "providerID": "x"}}', Node)
    assert (node.spec.pod_cidr, node.spec.provider_id) == ("10.0.0.0/24", "x")


def test_unknown_fields_are_ignored() -> None:
    pod = decode({"spec": {"nodeName": "n", "fromTheFuture": {"a": 1}}}, Pod)
    assert pod.spec.node_name == "n"


def test_null_means_not_there() -> None:
    pod = decode(
        {"metadata": {"labels": None, "creationTimestamp": None}, "spec": {"tolerations": None}},
        Pod,
    )
    assert (pod.metadata, pod.spec.tolerations) == (ObjectMeta(), ())


def test_amounts_may_be_numbers() -> None:
    pod = decode(
        {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": 2}}}]}}, Pod
    )
    assert pod.spec.containers is not None
    assert pod.spec.containers[0].resources.requests == {"cpu": 2}


def test_a_wrong_type_is_refused_with_its_path() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"\$\.spec\.nodeName"):
        decode({"spec": {"nodeName": 3}}, Pod)


def test_the_controller_is_the_owner_that_manages() -> None:
    job = decode(
        {
            "metadata": {
                "ownerReferences": [
                    {"kind": "Node", "name": "n", "uid": "1"},
                    {"kind": "CronJob", "name": "c", "uid": "2", "controller": True},
                ]
            }
        },
        Job,
    )
    assert job.metadata.controller is not None
    assert job.metadata.controller.name == "c"
