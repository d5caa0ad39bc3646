from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from tests.unit.api.validation.objects import container, pod, update, update_status

GATE = {"name": "wait"}


def node_affinity(*keys: str) -> JsonObject:
    expressions = [{"key": key, "operator": "Exists"} for key in keys]
    required = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


@pytest.mark.parametrize(
    "change",
    [
        {"containers": [container(image="registry.example/app:2")]},
        {"activeDeadlineSeconds": 10},
        {"tolerations": [{"operator": "Exists"}]},
    ],
)
def test_images_deadline_and_more_tolerations_may_change(change: JsonObject) -> None:
    assert update(pod(), **change) == []


def test_a_refused_change_is_shown_as_a_difference() -> None:
    (error,) = update(pod(), schedulerName="other")
    first, *difference = error.split("\n")
    assert first.startswith("spec: Forbidden: pod updates may not change fields other than")
    assert '- "SchedulerName": "default-scheduler",' in difference
    assert '+ "SchedulerName": "other",' in difference


def test_containers_are_neither_added_nor_removed() -> None:
    assert update(pod(), containers=[container(), container(name="d")]) == [
        "spec.containers: Forbidden: pod updates may not add or remove containers"
    ]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (10, 5, ""),
        (10, 20, "must be less than or equal to previous value"),
        (10, None, "must not update from a positive integer to nil value"),
        (None, 5, ""),
    ],
)
def test_the_deadline_only_shrinks(old: int | None, new: int | None, problem: str) -> None:
    errors = update(pod(activeDeadlineSeconds=old), activeDeadlineSeconds=new)
    assert [error.rpartition(": ")[2] for error in errors] == ([problem] if problem else [])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"schedulingGates": []}, ""),
        ({"schedulingGates": [{"name": "new"}]}, "but found new scheduling gate 'new'"),
        ({"nodeSelector": {"a": "b", "c": "d"}}, ""),
        ({"nodeSelector": {"a": "x"}}, "only additions to spec.nodeSelector are allowed"),
        ({"nodeSelector": {}}, "only additions to spec.nodeSelector are allowed"),
        ({"affinity": node_affinity("zone", "rack")}, ""),
        ({"affinity": node_affinity("rack")}, "only additions are allowed"),
        ({"affinity": None}, "no additions/deletions to non-empty NodeSelectorTerms list"),
        ({"hostname": "x"}, "pod updates may not change fields"),
    ],
)
def test_a_gated_pod_may_be_narrowed(change: JsonObject, problem: str) -> None:
    gated = pod(schedulingGates=[GATE], nodeSelector={"a": "b"}, affinity=node_affinity("zone"))
    errors = update(gated, **change)
    assert len(errors) == bool(problem)
    assert problem in "".join(errors)


def test_a_pod_that_is_not_gated_stays_where_it_may_run() -> None:
    (error,) = update(pod(), nodeSelector={"a": "b"})
    assert "pod updates may not change fields" in error


def test_quantities_that_mean_the_same_are_no_change() -> None:
    old = pod(containers=[container(resources={"requests": {"cpu": "1000m"}})])
    assert update(old, containers=[container(resources={"requests": {"cpu": "1"}})]) == []


def running(exit_code: int | None = None) -> list[JsonObject]:
    state: JsonObject = {"running": {}}
    if exit_code is not None:
        state = {"terminated": {"exitCode": exit_code}}
    return [{"name": "c", "state": state}]


@pytest.mark.parametrize(
    ("spec", "exit_code", "may"),
    [
        ({"restartPolicy": "Always"}, 0, True),
        ({"restartPolicy": "OnFailure"}, 1, True),
        ({"restartPolicy": "OnFailure"}, 0, False),
        ({"restartPolicy": "Never"}, 1, False),
        ({"restartPolicy": "Never", "containers": [container(restartPolicy="OnFailure")]}, 1, True),
    ],
)
def test_containers_come_back_only_as_their_policy_allows(
    spec: JsonObject, exit_code: int, may: bool
) -> None:
    dead = pod(**spec)
    dead["status"] = {"containerStatuses": running(exit_code)}
    errors = update_status(dead, containerStatuses=running())
    path = "status.containerStatuses[0].state"
    refused = [f"{path}: Forbidden: may not be transitioned to non-terminated state"]
    assert errors == ([] if may else refused)


@pytest.mark.parametrize(
    ("status", "errors"),
    [
        ({"podIP": "1.2.3.4", "podIPs": [{"ip": "1.2.3.4"}]}, []),
        ({"podIP": "1.2.3.4"}, ["podIP and podIPs must either both be set or both be unset"]),
        ({"podIP": "x", "podIPs": [{"ip": "x"}]}, ["must be a valid IP address"]),
        (
            {"podIP": "1.2.3.4", "podIPs": [{"ip": "1.2.3.4"}, {"ip": "1.2.3.5"}]},
            ["may specify no more than one IP for each IP family"],
        ),
        ({"nominatedNodeName": "node-1"}, []),
        ({"nominatedNodeName": "A"}, ["a lowercase RFC 1123 subdomain must consist"]),
        ({"conditions": [{"type": "-"}]}, ["name part must consist of"]),
        ({"qosClass": "Guaranteed"}, ["field is immutable"]),
        (
            {"resourceClaimStatuses": [{"name": "a"}]},
            ["must match the name of an entry in `spec.resourceClaims`"],
        ),
    ],
)
def test_a_status_is_checked(status: dict[str, Any], errors: list[str]) -> None:
    found = update_status(pod(), **status)
    assert len(found) == len(errors)
    assert all(text in line for text, line in zip(errors, found, strict=True))


def test_a_bound_pod_is_not_nominated() -> None:
    assert update_status(pod(nodeName="n"), nominatedNodeName="m") == [
        "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to "
        "a node"
    ]
