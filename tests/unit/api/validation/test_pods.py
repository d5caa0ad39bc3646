from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from tests.unit.api.validation.objects import GATES, container, create, pod


def of_container(**members: Any) -> list[str]:
    """Return the errors of a pod's only container, below its path."""
    return [
        line.removeprefix("spec.containers[0].")
        for line in create(pod(containers=[container(**members)]))
    ]


def of_volume(**members: Any) -> list[str]:
    return [
        line.removeprefix("spec.volumes[0].")
        for line in create(pod(volumes=[{"name": "v", **members}]))
    ]


@pytest.mark.parametrize(
    ("members", "errors"),
    [
        ({"name": ""}, ["name: Required value"]),
        ({"image": ""}, ["image: Required value"]),
        (
            {"image": " a"},
            ['image: Invalid value: " a": must not have leading or trailing whitespace'],
        ),
        (
            {"imagePullPolicy": "x"},
            [
                'imagePullPolicy: Unsupported value: "x": supported values: "Always", '
                '"IfNotPresent", "Never"'
            ],
        ),
        (
            {"ports": [{"containerPort": 0}]},
            ["ports[0].containerPort: Required value"],
        ),
        (
            {"ports": [{"containerPort": 80, "name": "a"}, {"containerPort": 81, "name": "a"}]},
            ['ports[1].name: Duplicate value: "a"'],
        ),
        ({"env": [{"name": ""}]}, ["env[0].name: Required value"]),
        (
            {"env": [{"name": "A", "valueFrom": {}}]},
            [
                'env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, '
                "`resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
            ],
        ),
        (
            {"volumeMounts": [{"name": "z", "mountPath": "/z"}]},
            ['volumeMounts[0].name: Not found: "z"'],
        ),
        (
            {"livenessProbe": {"exec": {"command": ["a"]}, "successThreshold": 2}},
            ["livenessProbe.successThreshold: Invalid value: 2: must be 1"],
        ),
        (
            {"readinessProbe": {}},
            ["readinessProbe: Required value: must specify a handler type"],
        ),
        (
            {"lifecycle": {"preStop": {"sleep": {"seconds": 31}}}},
            [
                "lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than "
                "terminationGracePeriodSeconds (30)"
            ],
        ),
    ],
)
def test_a_container_is_checked(members: JsonObject, errors: list[str]) -> None:
    assert of_container(**members) == errors


@pytest.mark.parametrize(
    ("resources", "errors"),
    [
        ({"requests": {"cpu": "1"}, "limits": {"cpu": "1000m"}}, []),
        (
            {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}},
            ['requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
        ),
        (
            {"requests": {"example.com/gpu": "1"}},
            ["limits: Required value: Limit must be set for non overcommitable resources"],
        ),
        (
            {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "2"}},
            ['requests: Invalid value: "1": must be equal to example.com/gpu limit of 2'],
        ),
        (
            {"limits": {"example.com/gpu": "1500m"}},
            [
                'limits[example.com/gpu]: Invalid value: "1500m": must be an integer',
                'requests[example.com/gpu]: Invalid value: "1500m": must be an integer',
            ],
        ),
        (
            {"limits": {"hugepages-2Mi": "2Mi"}},
            ["Forbidden: HugePages require cpu or memory"],
        ),
        (
            {"limits": {"hugepages-2Mi": "3Mi", "cpu": "1"}},
            [
                'limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer '
                "multiple of hugepages-2Mi",
                'requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer '
                "multiple of hugepages-2Mi",
            ],
        ),
        (
            {"limits": {"storage": "1"}},
            [
                'limits[storage]: Invalid value: "storage": must be a standard resource for '
                "containers",
                'requests[storage]: Invalid value: "storage": must be a standard resource for '
                "containers",
            ],
        ),
    ],
)
def test_requests_stay_within_limits(resources: JsonObject, errors: list[str]) -> None:
    found = of_container(resources=resources)
    assert [line.removeprefix("resources").lstrip(".: ") for line in found] == errors


@pytest.mark.parametrize(
    ("members", "errors"),
    [
        ({"emptyDir": {}}, []),
        ({"emptyDir": {}, "hostPath": {"path": "/"}}, ["may not specify more than 1 volume type"]),
        ({"hostPath": {"path": ""}}, ["hostPath.path: Required value"]),
        ({"nfs": {"server": "s", "path": "x"}}, ["must be an absolute path"]),
        ({"persistentVolumeClaim": {}}, ["persistentVolumeClaim.claimName: Required value"]),
        ({"projected": {"sources": [{"secret": {}}]}}, ["secret.name: Required value"]),
    ],
)
def test_a_volume_has_one_complete_source(members: JsonObject, errors: list[str]) -> None:
    found = of_volume(**members)
    assert len(found) == len(errors)
    for line, ending in zip(found, errors, strict=True):
        assert line.endswith(ending)


def test_names_of_containers_and_volumes_are_unique() -> None:
    twice = {"name": "v", "emptyDir": {}}
    errors = create(pod(containers=[container(), container()], volumes=[twice, twice]))
    assert errors == [
        'spec.volumes[1].name: Duplicate value: "v"',
        'spec.containers[1].name: Duplicate value: "c"',
    ]


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        ({"restartPolicy": "x"}, ["restartPolicy"]),
        ({"dnsPolicy": "x"}, ["dnsPolicy"]),
        ({"activeDeadlineSeconds": 0}, ["activeDeadlineSeconds"]),
        ({"nodeName": "A"}, ["nodeName"]),
        ({"nodeSelector": {"-": "-"}}, ["nodeSelector", "nodeSelector"]),
        ({"priorityClassName": "A"}, ["priorityClassName"]),
        ({"preemptionPolicy": "x"}, ["preemptionPolicy"]),
        ({"hostname": "a.b"}, ["hostname"]),
        ({"schedulingGates": [{"name": "a"}, {"name": "a"}]}, ["schedulingGates[1]"]),
        ({"schedulingGates": [{"name": "a"}], "nodeName": "n"}, ["nodeName"]),
        ({"schedulingGroup": {}}, ["schedulingGroup.podGroupName"]),
        ({"schedulingGroup": {"podGroupName": "A"}}, ["schedulingGroup.podGroupName"]),
        ({"workloadRef": {"name": "w", "podGroup": "a.b"}}, ["workloadRef.podGroup"]),
        ({"ephemeralContainers": [{"name": "e", "image": "i"}]}, ["ephemeralContainers"]),
        ({"resourceClaims": [{"name": "a"}]}, ["resourceClaims[0]"]),
        ({"shareProcessNamespace": True, "hostPID": True}, ["shareProcessNamespace"]),
        ({"os": {"name": "x"}}, ["os"]),
        ({"securityContext": {"runAsUser": -1}}, ["securityContext.runAsUser"]),
        ({"hostAliases": [{"ip": "x"}]}, ["hostAliases[0].ip"]),
    ],
)
def test_the_spec_is_checked(spec: JsonObject, errors: list[str]) -> None:
    found = [line.partition(": ")[0] for line in create(pod(**spec))]
    assert found == [f"spec.{field}" for field in errors]


@pytest.mark.parametrize(
    ("toleration", "errors"),
    [
        ({"operator": "Exists"}, []),
        ({"key": "a", "value": "b"}, []),
        ({"key": "a", "operator": "Exists", "value": "b"}, ["operator"]),
        ({"value": "b"}, ["operator"]),
        ({"key": "a", "operator": "Lt", "value": "1"}, ["operator"]),
        ({"key": "a", "effect": "NoSchedule", "tolerationSeconds": 1}, ["effect"]),
        ({"key": "a", "effect": "x"}, ["effect"]),
    ],
)
def test_tolerations_are_checked(toleration: JsonObject, errors: list[str]) -> None:
    found = [line.partition(": ")[0] for line in create(pod(tolerations=[toleration]))]
    assert found == [f"spec.tolerations[0].{field}" for field in errors]


def test_tolerations_compare_numbers_if_the_gate_is_on() -> None:
    gates = GATES.with_changes({"TaintTolerationComparisonOperators": True})
    lower = {"key": "a", "operator": "Lt", "value": "5", "effect": "NoSchedule"}
    assert create(pod(tolerations=[lower]), gates) == []
    (error,) = create(pod(tolerations=[{**lower, "value": "9" * 19 + "9"}]), gates)
    assert error.endswith("value out of range")


@pytest.mark.parametrize(
    ("expression", "errors"),
    [
        ({"key": "a", "operator": "In", "values": ["b"]}, []),
        ({"key": "a", "operator": "In"}, ["values"]),
        ({"key": "a", "operator": "Exists", "values": ["b"]}, ["values"]),
        ({"key": "a", "operator": "Gt", "values": ["1", "2"]}, ["values"]),
        ({"key": "a", "operator": "x"}, ["operator"]),
        ({"key": "-", "operator": "Exists"}, ["key"]),
    ],
)
def test_node_affinity_is_checked(expression: JsonObject, errors: list[str]) -> None:
    path = "requiredDuringSchedulingIgnoredDuringExecution"
    affinity = {"nodeAffinity": {path: {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}}
    found = [line.partition(": ")[0].rpartition(".")[2] for line in create(pod(affinity=affinity))]
    assert found == errors


@pytest.mark.parametrize(
    ("constraint", "errors"),
    [
        ({}, []),
        ({"maxSkew": 0}, ["maxSkew"]),
        ({"topologyKey": ""}, ["topologyKey"]),
        ({"whenUnsatisfiable": "x"}, ["whenUnsatisfiable"]),
        ({"minDomains": 0}, ["minDomains"]),
        ({"whenUnsatisfiable": "ScheduleAnyway", "minDomains": 1}, ["minDomains"]),
        ({"nodeTaintsPolicy": "x"}, ["nodeTaintsPolicy"]),
        ({"matchLabelKeys": ["a"]}, ["matchLabelKeys"]),
    ],
)
def test_spreading_is_checked(constraint: JsonObject, errors: list[str]) -> None:
    base = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    found = create(pod(topologySpreadConstraints=[{**base, **constraint}]))
    fields = [line.partition(": ")[0] for line in found]
    assert fields == [f"spec.topologySpreadConstraints[0].{field}" for field in errors]


def test_the_cost_of_a_deletion_is_a_number() -> None:
    cost = "controller.kubernetes.io/pod-deletion-cost"
    assert create(pod(metadata={"annotations": {cost: "-5"}})) == []
    (error,) = create(pod(metadata={"annotations": {cost: "05"}}))
    assert error.startswith(f"metadata.annotations[{cost}]: Invalid value")
