from __future__ import annotations

import random
from typing import Any

from kubegang.api.resources import ROWS
from kubegang.api.scheme import ResourceInfo
from kubegang.apiserver.registry import prepare_create, prepare_update
from kubegang.base.feature_gates import FeatureGates

_GATES = FeatureGates({})
_NOW = "2026-11-29T00:00:00Z"


def _row(plural: str, version: str = "v1") -> ResourceInfo:
    return next(row for row in ROWS if row.plural == plural and row.version == version)


def _created(plural: str, obj: dict[str, Any]) -> dict[str, Any]:
    prepare_create(obj, _row(plural), gates=_GATES, now=_NOW, rng=random.Random(1))
    return obj


def _updated(
    plural: str, new: dict[str, Any], old: dict[str, Any], subresource: str = ""
) -> dict[str, Any]:
    prepare_update(new, old, _row(plural), gates=_GATES, subresource=subresource, now="now")
    return new


def _old(**members: Any) -> dict[str, Any]:
    metadata = {"name": "n", "uid": "u", "creationTimestamp": _NOW, "generation": 1}
    return {"kind": "Pod", "metadata": {**metadata, **members.pop("metadata", {})}, **members}


def test_a_node_may_be_created_with_its_status_and_a_pod_may_not() -> None:
    status = {"capacity": {"cpu": "1"}}

    assert _created("nodes", {"metadata": {"name": "n"}, "status": status})["status"] == status
    pod = _created("pods", {"metadata": {"name": "p"}, "spec": {}, "status": {"phase": "Running"}})
    assert pod["status"] == {"phase": "Pending", "qosClass": "BestEffort"}


def test_only_kinds_that_count_generations_begin_with_one() -> None:
    assert _created("pods", {"metadata": {"name": "p"}, "spec": {}})["metadata"]["generation"] == 1
    assert "generation" not in _created("configmaps", {"metadata": {"name": "c"}})["metadata"]


def test_a_namespace_begins_active_with_its_finalizer() -> None:
    namespace = _created("namespaces", {"metadata": {"generateName": "n-"}})

    name = namespace["metadata"]["name"]
    assert namespace["metadata"]["labels"] == {"kubernetes.io/metadata.name": name}
    assert namespace["spec"] == {"finalizers": ["kubernetes"]}
    assert namespace["status"] == {"phase": "Active"}


def test_an_update_keeps_the_status_and_counts_the_spec() -> None:
    old = _old(spec={"a": 1}, status={"phase": "Running"})
    new = {"metadata": {"name": "n", "generation": 99}, "spec": {"a": 2}, "status": {}}

    updated = _updated("pods", new, old)

    assert updated["status"] == {"phase": "Running"}
    assert updated["metadata"]["generation"] == 2


def test_a_status_update_keeps_everything_else_but_labels() -> None:
    old = _old(spec={"a": 1}, status={}, metadata={"labels": {"x": "1"}})
    new = {
        "metadata": {"name": "n", "labels": {"x": "2"}, "ownerReferences": [{}]},
        "spec": {"a": 2},
        "status": {"phase": "Running"},
    }

    updated = _updated("pods", new, old, "status")

    assert (updated["spec"], updated["status"]) == ({"a": 1}, {"phase": "Running"})
    assert updated["metadata"]["labels"] == {"x": "2"}
    assert "ownerReferences" not in updated["metadata"]
    assert updated["metadata"]["generation"] == 1


def test_a_deletion_mark_stays() -> None:
    mark = {"deletionTimestamp": _NOW, "deletionGracePeriodSeconds": 30}

    updated = _updated(
        "pods", {"metadata": {"name": "n"}, "spec": {}}, _old(metadata=mark, spec={})
    )

    assert updated["metadata"]["deletionTimestamp"] == _NOW
    assert updated["metadata"]["deletionGracePeriodSeconds"] == 30


def test_finalizers_of_a_namespace_change_only_through_finalize() -> None:
    old = _old(spec={"finalizers": ["kubernetes"]}, status={"phase": "Active"})

    main = _updated("namespaces", {"metadata": {"name": "n"}, "spec": {"finalizers": []}}, old)
    part = _updated(
        "namespaces", {"metadata": {"name": "n"}, "spec": {"finalizers": []}}, old, "finalize"
    )

    assert main["spec"] == {"finalizers": ["kubernetes"]}
    assert part["spec"] == {}
    assert part["status"] == {"phase": "Active"}
