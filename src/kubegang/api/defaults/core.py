"""Defaults of the core group's kinds other than pods.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from kubegang.api.defaults.members import member
from kubegang.api.defaults.quantities import round_amounts
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

NAME_LABEL = "kubernetes.io/metadata.name"
"""The label by which selectors find a namespace by name."""


def default_namespace(namespace: JsonObject, _gates: FeatureGates) -> None:
    """Label a namespace with its name and call it active.

    One that is still to be named (generateName) is labelled once it has its name.
    """
    metadata = member(namespace, "metadata")
    if name := metadata.get("name"):
        labels = metadata.get("labels")
        if labels is None:
            labels = metadata["labels"] = {}
        labels[NAME_LABEL] = name
    status = namespace.get("status")
    if status is None:
        status = namespace["status"] = {}
    if not status.get("phase"):
        status["phase"] = "Active"


def default_node(node: JsonObject, _gates: FeatureGates) -> None:
    """Offer the whole capacity unless told otherwise; keep both pod range fields equal."""
    status = node.get("status") or {}
    round_amounts(status.get("capacity"))
    round_amounts(status.get("allocatable"))
    capacity = status.get("capacity")
    if capacity is not None and status.get("allocatable") is None:
        status["allocatable"] = dict(capacity)
    _default_pod_ranges(node.get("spec") or {})


def default_secret(secret: JsonObject, _gates: FeatureGates) -> None:
    """A secret without a type is opaque."""
    if not secret.get("type"):
        secret["type"] = "Opaque"


def _default_pod_ranges(spec: JsonObject) -> None:
    single, many = spec.get("podCIDR"), spec.get("podCIDRs")
    if single and (not many or many[0] != single):
        spec["podCIDRs"] = [single]
    elif many and not single:
        spec["podCIDR"] = many[0]
