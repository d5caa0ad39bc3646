from __future__ import annotations

import pytest

from kubegang.apimachinery.objects import JsonObject
from tests.unit.api.validation.objects import create, update, update_status


def node(**spec: object) -> JsonObject:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "spec": spec}


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        ({"taints": [{"key": "a", "effect": "NoSchedule"}]}, []),
        (
            {"taints": [{"key": "a", "effect": "NoSchedule"}] * 2},
            [
                'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"","Effect":"NoSchedule",'
                '"TimeAdded":null}: taints must be unique by key and effect pair'
            ],
        ),
        ({"taints": [{"key": "a"}]}, ["metadata.taints[0].effect: Required value"]),
        ({"podCIDRs": ["10.0.0.0/24", "2001:db8::/64"]}, []),
        (
            {"podCIDRs": ["10.0.0.0/24", "10.0.1.0/24"]},
            [
                'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.0.1.0/24"]: may specify no more '
                "than one CIDR for each IP family"
            ],
        ),
    ],
)
def test_a_new_node_is_checked(spec: JsonObject, errors: list[str]) -> None:
    assert create(node(**spec)) == errors


@pytest.mark.parametrize(
    ("change", "errors"),
    [
        ({"unschedulable": True}, []),
        (
            {"providerID": "other"},
            ["spec.providerID: Invalid value: null: field cannot be modified once set"],
        ),
        (
            {"providerID": None},
            ["spec.providerID: Invalid value: null: field cannot be cleared once set"],
        ),
        (
            {"podCIDRs": None, "podCIDR": None},
            [
                "spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "
                '"" to valid'
            ],
        ),
        ({"externalID": "x"}, ["spec.externalID: Forbidden: may not be updated"]),
    ],
)
def test_what_a_node_is_does_not_change(change: JsonObject, errors: list[str]) -> None:
    assert update(node(providerID="x", podCIDR="10.0.0.0/24"), **change) == errors


@pytest.mark.parametrize(
    ("status", "fields"),
    [
        ({"capacity": {"cpu": "4"}}, []),
        (
            {"capacity": {"example.com/gpu": "1500m"}, "allocatable": {}},
            ["capacity.example.com/gpu"],
        ),
        ({"allocatable": {"cpu": "-1"}}, ["allocatable.cpu"]),
        ({"addresses": [{"type": "Hostname", "address": "n"}] * 2}, ["addresses[1]"]),
        ({"declaredFeatures": ["A", "B/c"]}, []),
        ({"declaredFeatures": ["B", "A"]}, ["declaredFeatures[1]"]),
        ({"declaredFeatures": ["A", "A"]}, ["declaredFeatures[1]"]),
        ({"declaredFeatures": ["a"]}, ["declaredFeatures[0]"]),
        ({"declaredFeatures": ["A" * 254]}, ["declaredFeatures[0]"]),
    ],
)
def test_a_nodes_status_is_checked(status: JsonObject, fields: list[str]) -> None:
    found = [line.partition(": ")[0] for line in update_status(node(), **status)]
    assert found == [f"status.{field}" for field in fields]
