"""What a pod's row says; measured on 1.37.2."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from tests.unit.apiserver.tables import ago, cells, render


def container(name: str, state: JsonObject, **more: Any) -> JsonObject:
    return {"name": name, "state": state, **more}


def pod(status: JsonObject, **more: Any) -> JsonObject:
    spec = {"containers": [{"name": "a"}, {"name": "b"}]}
    metadata = {"name": "p", "creationTimestamp": ago(300)}
    return {"metadata": metadata, "spec": spec, "status": status, **more}


RUNNING: JsonObject = {"running": {}}
DONE: JsonObject = {"terminated": {"exitCode": 0, "reason": "Completed"}}
CRASHED: JsonObject = {"terminated": {"exitCode": 1}}
KILLED: JsonObject = {"terminated": {"exitCode": 137, "signal": 9}}
WAITING: JsonObject = {"waiting": {"reason": "CrashLoopBackOff"}}


def test_a_pod_without_containers_yet_shows_its_phase() -> None:
    assert cells("v1", "Pod", pod({"phase": "Pending"})) == {
        "Name": "p",
        "Ready": "0/2",
        "Status": "Pending",
        "Restarts": "0",
        "Age": "5m",
        "IP": "<none>",
        "Node": "<none>",
        "Nominated Node": "<none>",
        "Readiness Gates": "<none>",
    }


@pytest.mark.parametrize(
    ("containers", "conditions", "want_status", "want_ready"),
    [
        pytest.param(
            [container("a", RUNNING, ready=True), container("b", RUNNING)],
            [],
            "Running",
            "1/2",
            id="running",
        ),
        pytest.param(
            [container("a", WAITING), container("b", KILLED)],
            [],
            "CrashLoopBackOff",
            "0/2",
            id="first-container-wins",
        ),
        pytest.param([container("a", KILLED)], [], "Signal:9", "0/2", id="signal"),
        pytest.param([container("a", CRASHED)], [], "ExitCode:1", "0/2", id="exit-code"),
        pytest.param(
            [container("a", DONE), container("b", RUNNING, ready=True)],
            [{"type": "Ready", "status": "True"}],
            "Running",
            "1/2",
            id="one-done-pod-ready",
        ),
        pytest.param(
            [container("a", DONE), container("b", RUNNING, ready=True)],
            [],
            "NotReady",
            "1/2",
            id="one-done-pod-not-ready",
        ),
        pytest.param(
            [container("a", DONE), container("b", CRASHED)],
            [],
            "ExitCode:1",
            "0/2",
            id="one-done-one-failed",
        ),
        pytest.param([container("a", DONE)], [], "Completed", "0/2", id="done"),
        pytest.param(
            [],
            [{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}],
            "SchedulingGated",
            "0/2",
            id="gated",
        ),
    ],
)
def test_the_status_of_a_pod_is_its_most_telling_container(
    containers: list[JsonObject],
    conditions: list[JsonObject],
    want_status: str,
    want_ready: str,
) -> None:
    status = {"phase": "Running", "containerStatuses": containers, "conditions": conditions}
    row = cells("v1", "Pod", pod(status))

    assert (row["Status"], row["Ready"]) == (want_status, want_ready)


@pytest.mark.parametrize(
    ("statuses", "want"),
    [
        pytest.param([container("i", DONE), container("j", RUNNING)], "Init:1/2", id="second"),
        pytest.param([container("i", CRASHED)], "Init:ExitCode:1", id="failed"),
        pytest.param([container("i", WAITING)], "Init:CrashLoopBackOff", id="waiting"),
        pytest.param(
            [container("i", {"waiting": {"reason": "PodInitializing"}})], "Init:0/2", id="first"
        ),
    ],
)
def test_a_starting_pod_tells_how_far_its_init_containers_are(
    statuses: list[JsonObject], want: str
) -> None:
    starting = pod({"phase": "Pending", "initContainerStatuses": statuses})
    starting["spec"]["initContainers"] = [{"name": "i"}, {"name": "j"}]

    assert cells("v1", "Pod", starting)["Status"] == want


def test_a_sidecar_counts_as_a_container_and_its_restarts_stay() -> None:
    restarted = {"terminated": {"exitCode": 1, "finishedAt": ago(60)}}
    sidecar = container(
        "side", RUNNING, ready=True, started=True, restartCount=2, lastState=restarted
    )
    init = container("once", DONE, restartCount=5)
    running = pod(
        {
            "phase": "Running",
            "initContainerStatuses": [init, sidecar],
            "containerStatuses": [container("a", RUNNING, ready=True)],
        }
    )
    running["spec"]["initContainers"] = [
        {"name": "once"},
        {"name": "side", "restartPolicy": "Always"},
    ]
    row = cells("v1", "Pod", running)

    assert (row["Ready"], row["Status"]) == ("2/3", "Running")
    assert row["Restarts"] == "2 (60s ago)"


@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param({"phase": "Running"}, "Terminating", id="running"),
        pytest.param({"phase": "Succeeded"}, "Succeeded", id="ended"),
        pytest.param({"phase": "Running", "reason": "NodeLost"}, "Unknown", id="node-lost"),
    ],
)
def test_a_pod_being_deleted(status: JsonObject, want: str) -> None:
    deleted = pod(status)
    deleted["metadata"]["deletionTimestamp"] = ago(1)

    assert cells("v1", "Pod", deleted)["Status"] == want


def test_an_ended_pod_has_a_row_condition() -> None:
    table = render("v1", "Pod", pod({"phase": "Failed"}), pod({"phase": "Running"}))

    assert table["rows"][0]["conditions"][0]["reason"] == "Failed"
    assert "conditions" not in table["rows"][1]


def test_readiness_gates_count_their_conditions() -> None:
    gated = pod({"conditions": [{"type": "x/a", "status": "True"}]})
    gated["spec"]["readinessGates"] = [{"conditionType": "x/a"}, {"conditionType": "x/b"}]

    assert cells("v1", "Pod", gated)["Readiness Gates"] == "1/2"
