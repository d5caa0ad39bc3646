"""The roles and bindings that every cluster of a release has, read from its table.

The tables in ``schema`` are written by ``scripts/record_bootstrap_policy.py`` from what real
servers list. A rule or an object may belong to a feature gate of the API server.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

_GROUP = "rbac.authorization.k8s.io"
_AUTO_UPDATE = "rbac.authorization.kubernetes.io/autoupdate"


class _Rule(msgspec.Struct, frozen=True):
    rule: dict[str, Any]
    gate: str = ""


class _Entry(msgspec.Struct, frozen=True):
    kind: str
    name: str
    namespace: str = ""
    labels: dict[str, str] = {}
    rules: tuple[_Rule, ...] = ()
    aggregation: dict[str, Any] | None = None
    role: str = ""
    role_kind: str = ""
    subjects: tuple[dict[str, str], ...] = ()
    gate: str = ""


class _Table(msgspec.Struct, frozen=True):
    objects: tuple[_Entry, ...]


def bootstrap_policy(version: str, gates: FeatureGates) -> list[JsonObject]:
    """Return the roles and bindings of a release with its gates, as new objects.

    Raises:
        ValueError: there is no table for this version.
    """
    return [_object(one, gates) for one in _table(version).objects if _is_on(one.gate, gates)]


def _object(entry: _Entry, gates: FeatureGates) -> JsonObject:
    metadata: JsonObject = {
        "name": entry.name,
        "labels": dict(entry.labels),
        "annotations": {_AUTO_UPDATE: "true"},
    }
    if entry.namespace:
        metadata["namespace"] = entry.namespace
    obj: JsonObject = {
        "apiVersion": f"{_GROUP}/v1",
        "kind": entry.kind,
        "metadata": metadata,
    }
    if entry.role:
        obj["roleRef"] = {"apiGroup": _GROUP, "kind": entry.role_kind, "name": entry.role}
        if entry.subjects:
            obj["subjects"] = [dict(subject) for subject in entry.subjects]
        return obj
    if entry.aggregation is not None:
        obj["aggregationRule"] = entry.aggregation
    obj["rules"] = [one.rule for one in entry.rules if _is_on(one.gate, gates)]
    return obj


def _is_on(gate: str, gates: FeatureGates) -> bool:
    return not gate or gates.enabled_if_known(gate)


@cache
def _table(version: str) -> _Table:
    path = resources.files("kubegang.api") / "schema" / f"policy_v{version.replace('.', '_')}.json"
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ValueError(f"no roles and bindings of Kubernetes {version} are known") from None
    return msgspec.json.decode(data, type=_Table)
