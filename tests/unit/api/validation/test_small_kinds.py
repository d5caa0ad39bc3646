from __future__ import annotations

import copy

import pytest

from kubegang.api.validation.table import validate_status_update, validate_update
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from tests.unit.api.validation.objects import GATES, create, lines, update_status

SUBJECT = {"kind": "Pod", "name": "p", "namespace": "default"}
STRICT = {
    "regarding": SUBJECT,
    "eventTime": "2026-11-20T00:00:00.000000Z",
    "reportingController": "example.com/x",
    "reportingInstance": "x-1",
    "action": "Run",
    "reason": "Ran",
    "type": "Normal",
}


def made(api_version: str, kind: str, **members: object) -> JsonObject:
    metadata: JsonObject = {"name": "x"}
    if kind not in ("Namespace", "PriorityClass"):
        metadata["namespace"] = "default"
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **members}


def changed(old: JsonObject, **members: object) -> list[str]:
    """Return the errors of an object of which some members are others now."""
    new = {**copy.deepcopy(old), **members}
    return lines(validate_update(new, old, GroupVersionKind.of(old), GATES))


@pytest.mark.parametrize(
    ("members", "errors"),
    [
        ({"data": {"a.b_c-d": ""}}, []),
        ({"data": {"a": "x"}, "binaryData": {"a": "eA=="}}, ["data[a]"]),
        ({"data": {"a/b": ""}}, ["data[a/b]"]),
        ({"binaryData": {"..": ""}}, ["binaryData[..]"]),
        ({"data": {"a": "x" * (1024 * 1024)}}, []),
        ({"data": {"a": "x" * (1024 * 1024), "b": "y"}}, ["[]"]),
    ],
)
def test_config_maps_have_keys_and_a_size(members: JsonObject, errors: list[str]) -> None:
    found = create(made("v1", "ConfigMap", **members))
    assert [line.partition(": ")[0] for line in found] == errors


def test_an_immutable_config_map_stays_as_it_is() -> None:
    frozen = made("v1", "ConfigMap", immutable=True, data={"a": "b"})
    assert changed(frozen, metadata={**frozen["metadata"], "labels": {"a": "b"}}) == []
    detail = "Forbidden: field is immutable when `immutable` is set"
    assert changed(frozen, immutable=None, data={}) == [f"immutable: {detail}", f"data: {detail}"]


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        ({"leaseDurationSeconds": 1}, []),
        ({"leaseDurationSeconds": 0}, ["leaseDurationSeconds"]),
        ({"leaseTransitions": -1}, ["leaseTransitions"]),
        ({"strategy": "OldestEmulationVersion", "preferredHolder": "x"}, []),
        ({"strategy": "example.com/mine"}, []),
        ({"strategy": "Mine"}, ["strategy.strategy"]),
        ({"preferredHolder": "x"}, ["preferredHolder"]),
    ],
)
def test_leases_last_some_seconds(spec: JsonObject, errors: list[str]) -> None:
    found = create(made("coordination.k8s.io/v1", "Lease", spec=spec))
    assert [line.partition(": ")[0] for line in found] == [f"spec.{field}" for field in errors]


def test_unqualified_finalizers_of_leases_may_be_anything() -> None:
    lease = made("coordination.k8s.io/v1", "Lease")
    lease["metadata"]["finalizers"] = ["mine"]
    assert create(lease) == []


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        ({"minAvailable": 0}, []),
        ({"maxUnavailable": "100%"}, []),
        ({"maxUnavailable": "101%"}, ["maxUnavailable"]),
        ({"minAvailable": "many"}, ["minAvailable"]),
        ({"minAvailable": -1}, ["minAvailable"]),
        ({"unhealthyPodEvictionPolicy": "x"}, ["unhealthyPodEvictionPolicy"]),
        ({"selector": {"matchLabels": {"-": "a"}}}, ["selector.matchLabels"]),
    ],
)
def test_budgets_count_pods_or_a_share_of_them(spec: JsonObject, errors: list[str]) -> None:
    found = create(made("policy/v1", "PodDisruptionBudget", spec=spec))
    assert [line.partition(": ")[0] for line in found] == [f"spec.{field}" for field in errors]


def test_a_budget_has_one_number_and_shows_itself_if_it_has_two() -> None:
    spec = {"minAvailable": 1, "maxUnavailable": "10%", "selector": {}}
    assert create(made("policy/v1", "PodDisruptionBudget", spec=spec)) == [
        'spec: Invalid value: {"MinAvailable":1,"Selector":{},"MaxUnavailable":"10%",'
        '"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set'
    ]


def test_a_budgets_status_counts_upwards() -> None:
    budget = made("policy/v1", "PodDisruptionBudget", spec={})
    found = update_status(budget, disruptionsAllowed=-1, expectedPods=-1)
    assert [line.partition(": ")[0] for line in found] == [
        "status.disruptionsAllowed",
        "status.expectedPods",
    ]


@pytest.mark.parametrize(
    ("metadata", "phase", "errors"),
    [
        ({}, "Active", []),
        ({}, "Terminating", ["may only be 'Active' if `deletionTimestamp` is empty"]),
        ({"deletionTimestamp": "2026-11-20T00:00:00Z"}, "Terminating", []),
        (
            {"deletionTimestamp": "2026-11-20T00:00:00Z"},
            "Active",
            ["may only be 'Terminating' if `deletionTimestamp` is not empty"],
        ),
    ],
)
def test_a_namespaces_phase_tells_whether_it_is_deleted(
    metadata: JsonObject, phase: str, errors: list[str]
) -> None:
    old = made("v1", "Namespace")
    old["metadata"].update(metadata)
    new = {**copy.deepcopy(old), "status": {"phase": phase}}
    found = lines(validate_status_update(new, old, GroupVersionKind.of(old), GATES))
    assert [line.rpartition(": ")[2] for line in found] == errors


@pytest.mark.parametrize(
    ("event", "errors"),
    [
        ({"involvedObject": SUBJECT}, []),
        ({"involvedObject": {**SUBJECT, "namespace": "other"}}, ["involvedObject.namespace"]),
        ({"involvedObject": {"kind": "Node", "name": "n"}}, []),
        ({"involvedObject": SUBJECT, "type": "anything", "count": 3}, []),
        (
            {"involvedObject": SUBJECT, "eventTime": STRICT["eventTime"]},
            ["reportingComponent", "reportingComponent", "reportingInstance", "action", "reason"],
        ),
    ],
)
def test_core_events_are_checked_leniently(event: JsonObject, errors: list[str]) -> None:
    found = create(made("v1", "Event", **event))
    fields = [line.partition(": ")[0] for line in found]
    assert [field for field in fields if field in errors] == fields
    assert set(fields) == set(errors)


@pytest.mark.parametrize(
    ("change", "errors"),
    [
        ({}, []),
        ({"eventTime": None}, ["eventTime: Required value"]),
        ({"type": "Odd"}, ['type: Invalid value: "": has invalid value: Odd']),
        ({"note": "x" * 1025}, ['message: Invalid value: "": can have at most 1024 characters']),
        ({"deprecatedCount": 1}, ['count: Invalid value: "": needs to be unset']),
        (
            {"series": {"count": 1, "lastObservedTime": STRICT["eventTime"]}},
            ['series.count: Invalid value: "": should be at least 2'],
        ),
    ],
)
def test_new_events_are_checked_strictly(change: JsonObject, errors: list[str]) -> None:
    assert create(made("events.k8s.io/v1", "Event", **{**STRICT, **change})) == errors


def test_only_the_series_of_an_event_changes() -> None:
    event = made("events.k8s.io/v1", "Event", **STRICT)
    series = {"count": 2, "lastObservedTime": STRICT["eventTime"]}
    assert changed(event, series=series) == []
    assert changed(event, note="other", reportingController="example.com/y") == [
        'message: Invalid value: "other": field is immutable',
        'reportingController: Invalid value: "example.com/y": field is immutable',
    ]


@pytest.mark.parametrize(
    ("name", "members", "errors"),
    [
        ("x", {"value": 1_000_000_000}, []),
        ("x", {"value": 1_000_000_001}, ["value"]),
        ("x", {"value": -5}, []),
        ("x", {"preemptionPolicy": "x"}, ["preemptionPolicy"]),
        ("system-mine", {}, ["metadata.name"]),
        ("system-node-critical", {"value": 2_000_001_000}, []),
        ("system-node-critical", {"value": 1}, ["metadata.name"]),
        (
            "system-node-critical",
            {"value": 2_000_001_000, "globalDefault": True},
            ["metadata.name"],
        ),
    ],
)
def test_high_priorities_are_kubernetes_own(
    name: str, members: JsonObject, errors: list[str]
) -> None:
    priority_class = made("scheduling.k8s.io/v1", "PriorityClass", **members)
    priority_class["metadata"]["name"] = name
    assert [line.partition(": ")[0] for line in create(priority_class)] == errors


def test_a_priority_stays() -> None:
    old = made("scheduling.k8s.io/v1", "PriorityClass", value=1, preemptionPolicy="Never")
    assert changed(old, description="x") == []
    assert changed(old, value=2, preemptionPolicy="PreemptLowerPriority") == [
        "value: Forbidden: may not be changed in an update.",
        'preemptionPolicy: Invalid value: "PreemptLowerPriority": field is immutable',
    ]
