"""Addresses that only old clients read: refused, but where StrictIPCIDRValidation is off."""

from __future__ import annotations

import pytest

from kubegang.api.validation.table import validate_create
from kubegang.apimachinery.objects import GroupVersionKind
from kubegang.base.feature_gates import FeatureGates

POLICY = GroupVersionKind("networking.k8s.io", "v1", "NetworkPolicy")


@pytest.mark.parametrize(
    ("gates", "told"),
    [
        ({"StrictIPCIDRValidation": True}, ["must not have bits set beyond the prefix length"]),
        ({"StrictIPCIDRValidation": False}, []),
        # A release without the gate has it on for good.
        ({}, ["must not have bits set beyond the prefix length"]),
    ],
)
def test_the_gate_decides_in_every_release(gates: dict[str, bool], told: list[str]) -> None:
    peer = {"ipBlock": {"cidr": "10.0.0.1/8"}}
    policy = {
        "kind": "NetworkPolicy",
        "metadata": {"name": "n", "namespace": "default"},
        "spec": {"podSelector": {}, "ingress": [{"from": [peer]}]},
    }
    errors = validate_create(policy, POLICY, FeatureGates(gates))
    assert [error.message.rpartition(": ")[2] for error in errors] == told
