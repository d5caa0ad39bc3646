from __future__ import annotations

import json

from kubegang.apimachinery.objects import GroupVersionKind
from kubegang.apiserver import codec
from kubegang.store.interface import Revision

_POD = GroupVersionKind("", "v1", "Pod")
_GROUP = GroupVersionKind("scheduling.k8s.io", "v1beta1", "PodGroup")


def test_a_stored_value_begins_with_its_kind_and_carries_its_revision() -> None:
    obj = {"metadata": {"uid": "u", "name": "n"}, "status": {}, "spec": {"a": 1}}

    value = codec.encoder(obj, _POD)(Revision(7))

    assert value.startswith(b'{"kind":"Pod","apiVersion":"v1","metadata":{"name":"n",')
    decoded = json.loads(value)
    assert list(decoded) == ["kind", "apiVersion", "metadata", "spec", "status"]
    assert decoded["metadata"] == {"name": "n", "uid": "u", "resourceVersion": "7"}


def test_a_dry_run_carries_no_revision_that_it_did_not_have() -> None:
    value = codec.encode_object({"metadata": {"name": "n"}}, _POD)

    assert "resourceVersion" not in json.loads(value)["metadata"]


def test_items_of_a_list_are_values_without_their_head() -> None:
    values = [codec.encode_object({"metadata": {"name": name}}, _POD) for name in "ab"]

    items = json.loads(b"[" + codec.join_items(values, _POD) + b"]")

    assert items == [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]
    assert codec.join_items([], _POD) == b""


def test_another_version_is_another_head() -> None:
    value = codec.encode_object({"metadata": {"name": "n"}, "spec": {}}, _GROUP)
    alpha = GroupVersionKind("scheduling.k8s.io", "v1alpha3", "PodGroup")

    shown = json.loads(codec.with_head(value, _GROUP, alpha))

    assert shown == {**json.loads(value), "apiVersion": "scheduling.k8s.io/v1alpha3"}
