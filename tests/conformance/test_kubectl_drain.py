"""kubectl drain to its end: as far as the disruption budget lets it, and no faster."""

from __future__ import annotations

import json
from typing import Any

from tests.conformance.kubectl.running import Kubectl

AMOUNTS = {"cpu": "4", "memory": "8Gi", "pods": "110"}
CONTAINER = {"name": "c", "image": "registry.example/app:1"}


def node(name: str, word: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"test": word}},
        "status": {"capacity": AMOUNTS, "allocatable": AMOUNTS},
    }


def deployment(word: str, replicas: int) -> dict[str, Any]:
    labels = {"app": "a"}
    spec = {"nodeSelector": {"test": word}, "containers": [CONTAINER]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


def budget(available: int) -> dict[str, Any]:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b"},
        "spec": {"minAvailable": available, "selector": {"matchLabels": {"app": "a"}}},
    }


def create(kubectl: Kubectl, *objects: dict[str, Any]) -> None:
    listing = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
    done = kubectl("create", "-f", "-", stdin=json.dumps(listing))
    assert done.code == 0, done.stderr


def test_a_drain_ends_when_the_pods_run_elsewhere(cluster_kubectl: Kubectl, word: str) -> None:
    first, second = f"{word}-a", f"{word}-b"
    create(cluster_kubectl, node(first, word), budget(1), deployment(word, 2))
    ready = cluster_kubectl("rollout", "status", "deployment/d", "--timeout=40s")
    assert ready.code == 0, ready.stderr
    # The budget has to know its pods before it lets any go.
    cluster_kubectl("wait", "--for=jsonpath={.status.disruptionsAllowed}=1", "pdb/b")
    create(cluster_kubectl, node(second, word))

    drained = cluster_kubectl("drain", first, "--timeout=60s")
    assert drained.code == 0, drained.stderr
    assert f"node/{first} drained" in drained.stdout
    assert cluster_kubectl("rollout", "status", "deployment/d", "--timeout=40s").code == 0
    where = cluster_kubectl("get", "pods", "-o", "jsonpath={.items[*].spec.nodeName}")
    assert set(where.stdout.split()) == {second}
    taints = cluster_kubectl("get", "node", first, "-o", "jsonpath={.spec.taints[*].key}")
    assert "node.kubernetes.io/unschedulable" in taints.stdout
    assert cluster_kubectl("uncordon", first).code == 0
    cluster_kubectl("delete", "node", first, second)
