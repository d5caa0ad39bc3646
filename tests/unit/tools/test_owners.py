"""How many pods an owner makes before any of them runs."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.tools.cluster.state import ClusterState, ObjectKey
from kubegang.tools.explaining.owners import owner_finding


def limit(kind: str, spec: JsonObject, status: JsonObject | None = None) -> tuple[int | None, str]:
    key = ObjectKey(kind, "default", "x")
    state = ClusterState(taken=0.0, objects={key: {"spec": spec, "status": status or {}}})
    found = owner_finding(state, key)
    return found.can_create, found.why


@pytest.mark.parametrize(
    ("kind", "spec", "status", "expected"),
    [
        ("Job", {"parallelism": 4}, {}, (4, "parallelism is 4")),
        (
            "Job",
            {"parallelism": 4, "completions": 5},
            {"succeeded": 3},
            (2, "2 completions are left"),
        ),
        ("Job", {"parallelism": 4, "suspend": True}, {}, (0, "it is suspended")),
        (
            "Job",
            {"parallelism": 4},
            {"conditions": [{"type": "Failed", "status": "True"}]},
            (0, "it is failed"),
        ),
        ("ReplicaSet", {"replicas": 3}, {}, (3, "replicas is 3")),
        (
            "StatefulSet",
            {"replicas": 3},
            {},
            (1, "it makes one pod at a time and waits until that runs"),
        ),
        (
            "StatefulSet",
            {"replicas": 3, "podManagementPolicy": "Parallel"},
            {},
            (3, "replicas is 3"),
        ),
        ("RayCluster", {"replicas": 3}, {}, (None, "")),
    ],
)
def test_an_owner_makes_what_its_object_says(
    kind: str, spec: JsonObject, status: JsonObject, expected: tuple[int | None, str]
) -> None:
    assert limit(kind, spec, status) == expected
