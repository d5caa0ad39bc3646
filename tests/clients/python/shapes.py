"""Objects that the suites create, and the kind that they define."""

from __future__ import annotations

import copy
from typing import Any

Json = dict[str, Any]

GROUP = "clients.example.com"


def pod(name: str, **labels: str) -> Json:
    """Return a pod that runs until it is deleted."""
    container = {"name": "c", "image": "registry.example/app:1"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [container], "terminationGracePeriodSeconds": 0},
    }


def config_map(name: str, **data: str) -> Json:
    """Return a ConfigMap."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def job(name: str, size: int) -> Json:
    """Return a Job whose pods end by themselves after a second, and start together."""
    template: Json = {
        "metadata": {"annotations": {"kubegang.dev/run-duration": "1s"}},
        "spec": copy.deepcopy(pod("x")["spec"]) | {"restartPolicy": "Never"},
    }
    spec = {
        "completions": size,
        "parallelism": size,
        "completionMode": "Indexed",
        "template": template,
    }
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec}


def definition(kind: str) -> Json:
    """Return the definition of a kind with a size, a default, a status and a scale."""
    plural = f"{kind.lower()}s"
    size = {"type": "integer", "minimum": 0, "default": 1}
    notes = {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string"}, "text": {"type": "string"}},
        },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
    }
    spec = {"type": "object", "properties": {"size": size, "notes": notes}, "default": {}}
    status = {
        "type": "object",
        "properties": {"phase": {"type": "string"}, "size": {"type": "integer"}},
    }
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {
            "openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}
        },
        "subresources": {
            "status": {},
            "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"},
        },
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural},
            "versions": [version],
        },
    }


def custom(kind: str, name: str, **spec: Any) -> Json:
    """Return an object of a defined kind."""
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": spec,
    }
