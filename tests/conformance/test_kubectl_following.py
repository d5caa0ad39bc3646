"""kubectl commands that follow what happens: get --watch, events --watch, wait, delete."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conformance.kubectl.running import Kubectl, following


def create(kubectl: Kubectl, *objects: dict[str, Any]) -> None:
    """Create objects from standard input."""
    for obj in objects:
        done = kubectl("create", "-f", "-", stdin=json.dumps(obj))
        assert done.code == 0, done.stderr


def pod(name: str, **labels: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "schedulerName": "none",
            "containers": [{"name": "c", "image": "registry.example/app:1"}],
        },
    }


def pod_group(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.k8s.io/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}},
    }


def set_phase(kubectl: Kubectl, name: str, phase: str) -> None:
    patch = json.dumps({"status": {"phase": phase}})
    kubectl("patch", "pod", name, "--subresource=status", "--type=merge", "-p", patch)


def test_a_watch_prints_a_row_for_each_change(kubectl: Kubectl) -> None:
    create(kubectl, pod("p"))

    with following(kubectl, "get", "pods", "--watch") as watch:
        first = watch.lines(2)
        set_phase(kubectl, "p", "Running")
        create(kubectl, pod("q"))
        kubectl("delete", "pod", "p")
        changes = watch.lines(3)

    assert first == [
        "NAME   READY   STATUS   RESTARTS   AGE",
        "p   0/1   Pending   0   <age>",
    ]
    assert changes == [
        "p   0/1   Running   0   <age>",
        "q   0/1   Pending   0   <age>",
        "p   0/1   Terminating   0   <age>",
    ]


def test_a_watch_with_a_selector_sees_objects_come_and_go(kubectl: Kubectl) -> None:
    create(kubectl, pod("p", app="web"), pod("q"))
    command = ("get", "pods", "--watch", "--output-watch-events", "--selector=app=web")

    with following(kubectl, *command) as watch:
        first = watch.lines(2)
        kubectl("label", "pod", "q", "app=web")
        kubectl("label", "pod", "p", "app-")
        kubectl("annotate", "pod", "q", "note=x")
        changes = watch.lines(3)

    assert first[1] == "ADDED   p   0/1   Pending   0   <age>"
    assert changes == [
        "ADDED   q   0/1   Pending   0   <age>",
        "DELETED   p   0/1   Pending   0   <age>",
        "MODIFIED   q   0/1   Pending   0   <age>",
    ]


def test_one_object_can_be_watched_as_names_or_fields(kubectl: Kubectl) -> None:
    create(kubectl, pod_group("train"))
    path = "jsonpath={.spec.schedulingPolicy.gang.minCount}{'\\n'}"
    patch = json.dumps({"spec": {"schedulingPolicy": {"gang": {"minCount": 3}}}})

    with following(kubectl, "get", "podgroup", "train", "--watch", "-o", path) as watch:
        first = watch.lines(1)
        kubectl("patch", "podgroup", "train", "--type=merge", "-p", patch)
        changed = watch.lines(1)

    assert (first, changed) == (["2"], ["3"])


def test_events_are_followed(kubectl: Kubectl) -> None:
    def event(name: str, message: str) -> dict[str, Any]:
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": kubectl.namespace},
            "involvedObject": {"kind": "Pod", "name": "p", "namespace": kubectl.namespace},
            "type": "Normal",
            "reason": "Tested",
            "message": message,
            "firstTimestamp": "2026-01-01T00:00:00Z",
            "lastTimestamp": "2026-01-01T00:00:00Z",
            "count": 1,
        }

    create(kubectl, event("one", "first"))

    with following(kubectl, "events", "--watch") as watch:
        header, first = watch.lines(2)
        create(kubectl, event("two", "second"))
        second = watch.lines(1)

    assert header == "LAST SEEN   TYPE   REASON   OBJECT   MESSAGE"
    assert first == "<age>   Normal   Tested   Pod/p   first"
    assert second == ["<age>   Normal   Tested   Pod/p   second"]


@pytest.mark.parametrize(
    "condition", ["condition=Ready", "jsonpath={.status.phase}=Running"], ids=["condition", "path"]
)
def test_wait_ends_when_the_condition_is_met_meanwhile(kubectl: Kubectl, condition: str) -> None:
    create(kubectl, pod("p"))
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}

    with following(kubectl, "wait", f"--for={condition}", "pod/p", "--timeout=30s") as wait:
        patch = json.dumps({"status": status})
        kubectl("patch", "pod", "p", "--subresource=status", "--type=merge", "-p", patch)
        result = wait.end()

    assert (result.code, result.stdout) == (0, "pod/p condition met")


def test_delete_waits_until_the_last_finalizer_is_gone(kubectl: Kubectl) -> None:
    held = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "held", "finalizers": ["example.com/hold"]},
    }
    create(kubectl, held)

    with following(kubectl, "delete", "configmap", "held") as deletion:
        first = deletion.lines(1)
        patch = json.dumps({"metadata": {"finalizers": None}})
        kubectl("patch", "configmap", "held", "--type=merge", "-p", patch)
        result = deletion.end()

    assert first == [f'configmap "held" deleted from {kubectl.namespace} namespace']
    assert result.code == 0
