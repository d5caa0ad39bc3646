"""What the rows of other kinds say; measured on 1.37.2."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from tests.unit.apiserver.tables import ago, cells, render


def test_a_cordoned_node_with_roles() -> None:
    node = {
        "metadata": {
            "name": "n",
            "labels": {"node-role.kubernetes.io/gpu": "", "kubernetes.io/role": "old"},
        },
        "spec": {"unschedulable": True},
        "status": {
            "conditions": [{"type": "Ready", "status": "Unknown"}],
            "addresses": [{"type": "InternalIP", "address": "10.0.0.5"}],
            "nodeInfo": {"kernelVersion": "6.1", "architecture": "amd64"},
        },
    }
    row = cells("v1", "Node", node)

    assert row["Status"] == "NotReady,SchedulingDisabled"
    assert row["Roles"] == "gpu,old"
    assert (row["Internal-IP"], row["External-IP"]) == ("10.0.0.5", "<none>")
    assert (row["Kernel-Version"], row["OS-Image"]) == ("6.1 (amd64)", "<unknown>")


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        ({"completions": 4, "parallelism": 2}, "1/4"),
        ({"parallelism": 3}, "1/1 of 3"),
        ({"parallelism": 1}, "1/1"),
    ],
)
def test_completions_of_a_job(spec: JsonObject, want: str) -> None:
    job = {"metadata": {"name": "j"}, "spec": spec, "status": {"succeeded": 1}}

    assert cells("batch/v1", "Job", job)["Completions"] == want


@pytest.mark.parametrize(
    ("conditions", "deleted", "want"),
    [
        (["FailureTarget"], False, "FailureTarget"),
        (["FailureTarget", "Failed"], False, "Failed"),
        (["Suspended"], False, "Suspended"),
        (["Suspended"], True, "Terminating"),
        (["Complete"], True, "Complete"),
        ([], False, "Running"),
    ],
)
def test_the_status_of_a_job(conditions: list[str], deleted: bool, want: str) -> None:
    job: JsonObject = {
        "metadata": {"name": "j", **({"deletionTimestamp": ago(1)} if deleted else {})},
        "spec": {},
        "status": {"conditions": [{"type": name, "status": "True"} for name in conditions]},
    }

    assert cells("batch/v1", "Job", job)["Status"] == want


def test_a_job_counts_its_duration_until_it_ends() -> None:
    spec = {
        "template": {"spec": {"containers": [{"name": "a", "image": "x"}, {"name": "b"}]}},
        "selector": {"matchLabels": {"k": "v"}},
    }
    status = {"startTime": ago(600)}
    job: JsonObject = {"metadata": {"name": "j"}, "spec": spec, "status": status}

    assert cells("batch/v1", "Job", job)["Duration"] == "10m"
    status["completionTime"] = ago(500)
    row = cells("batch/v1", "Job", job)
    assert row["Duration"] == "100s"
    assert (row["Containers"], row["Images"], row["Selector"]) == ("a,b", "x,", "k=v")


@pytest.mark.parametrize(
    ("conditions", "want"),
    [
        ([], "Pending"),
        ([("PodGroupInitiallyScheduled", "True", "Scheduled")], "Scheduled"),
        ([("PodGroupInitiallyScheduled", "False", "SchedulerError")], "Unschedulable"),
        ([("PodGroupInitiallyScheduled", "Unknown", "X")], "Unschedulable"),
        (
            [
                ("PodGroupInitiallyScheduled", "True", "Scheduled"),
                ("DisruptionTarget", "False", "PreemptionByScheduler"),
            ],
            "PreemptionByScheduler",
        ),
    ],
)
def test_the_status_of_a_pod_group(conditions: list[tuple[str, str, str]], want: str) -> None:
    group = {
        "metadata": {"name": "pg"},
        "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}},
        "status": {
            "conditions": [
                {"type": name, "status": status, "reason": reason}
                for name, status, reason in conditions
            ]
        },
    }
    row = cells("scheduling.k8s.io/v1beta1", "PodGroup", group)

    assert (row["Policy"], row["Workload"], row["Status"]) == ("Gang", "<none>", want)


def test_a_basic_pod_group_of_a_workload() -> None:
    spec = {"schedulingPolicy": {"basic": {}}, "workloadRef": {"workloadName": "w"}}
    row = cells("scheduling.k8s.io/v1alpha3", "PodGroup", {"metadata": {}, "spec": spec})

    assert (row["Policy"], row["Workload"]) == ("Basic", "w")


def test_an_event_shows_the_same_in_both_groups() -> None:
    core = {
        "metadata": {"name": "e"},
        "involvedObject": {"kind": "Pod", "name": "p", "fieldPath": "spec.containers{c}"},
        "type": "Normal",
        "reason": "R",
        "message": " text\n",
        "source": {"component": "c", "host": "h"},
        "firstTimestamp": ago(60),
        "lastTimestamp": ago(30),
        "count": 3,
    }
    newer = {
        "metadata": {"name": "e"},
        "regarding": core["involvedObject"],
        "type": "Normal",
        "reason": "R",
        "note": " text\n",
        "deprecatedSource": core["source"],
        "deprecatedFirstTimestamp": ago(60),
        "deprecatedLastTimestamp": ago(30),
        "deprecatedCount": 3,
    }
    row = cells("v1", "Event", core)

    assert row == cells("events.k8s.io/v1", "Event", newer)
    assert list(row.values()) == [
        "30s",
        "Normal",
        "R",
        "pod/p",
        "spec.containers{c}",
        "c, h",
        "text",
        "60s",
        3,
        "e",
    ]


def test_an_event_series_tells_when_it_was_seen_last() -> None:
    event = {
        "metadata": {"name": "e"},
        "involvedObject": {"kind": "Node"},
        "eventTime": "2026-11-29T11:59:00.000000Z",
        "reportingComponent": "rc",
        "series": {"count": 9, "lastObservedTime": "2026-11-29T11:59:58.000000Z"},
    }
    row = cells("v1", "Event", event)

    assert (row["Last Seen"], row["First Seen"], row["Count"]) == ("2s", "60s", 9)
    assert (row["Object"], row["Source"]) == ("node", "rc")


@pytest.mark.parametrize(
    ("api_version", "kind", "obj", "want"),
    [
        pytest.param(
            "v1",
            "ConfigMap",
            {"data": {"a": "b"}, "binaryData": {"c": "AA=="}},
            ["x", 2, "<unknown>"],
            id="config-map",
        ),
        pytest.param(
            "policy/v1",
            "PodDisruptionBudget",
            {"spec": {"maxUnavailable": "30%"}, "status": {"disruptionsAllowed": 1}},
            ["x", "N/A", "30%", 1, "<unknown>"],
            id="budget",
        ),
        pytest.param(
            "coordination.k8s.io/v1",
            "Lease",
            {"spec": {"holderIdentity": "me"}},
            ["x", "me", "<unknown>"],
            id="lease",
        ),
        pytest.param(
            "scheduling.k8s.io/v1",
            "PriorityClass",
            {"value": 5, "preemptionPolicy": "Never"},
            ["x", 5, False, "<unknown>", "Never"],
            id="priority-class",
        ),
        pytest.param(
            "resource.k8s.io/v1",
            "ResourceClaim",
            {"status": {"allocation": {}, "reservedFor": [{"name": "p"}]}},
            ["x", "allocated,reserved", "<unknown>"],
            id="claim",
        ),
        pytest.param(
            "resource.k8s.io/v1",
            "ResourceSlice",
            {"spec": {"nodeName": "n", "driver": "d", "pool": {"name": "p"}}},
            ["x", "n", "d", "p", "<unknown>"],
            id="slice",
        ),
        pytest.param(
            "v1",
            "Service",
            {
                "spec": {
                    "type": "NodePort",
                    "clusterIPs": ["10.0.0.1"],
                    "ports": [{"port": 80, "nodePort": 30080, "protocol": "TCP"}],
                }
            },
            ["x", "NodePort", "10.0.0.1", "<none>", "80:30080/TCP", "<unknown>", "<none>"],
            id="service",
        ),
        pytest.param("v1", "ServiceAccount", {}, ["x", "<unknown>"], id="service-account"),
        pytest.param(
            "scheduling.k8s.io/v1beta1", "Workload", {"spec": {}}, ["x", "<unknown>"], id="workload"
        ),
        pytest.param(
            "storage.k8s.io/v1",
            "CSIStorageCapacity",
            {"metadata": {"name": "x", "creationTimestamp": "2026-11-29T11:00:00Z"}},
            ["x", "2026-11-29T11:00:00Z"],
            id="no-columns-upstream",
        ),
    ],
)
def test_cells_of_other_kinds(
    api_version: str, kind: str, obj: JsonObject, want: list[Any]
) -> None:
    table = render(api_version, kind, {"metadata": {"name": "x"}, **obj})

    assert table["rows"][0]["cells"] == want
