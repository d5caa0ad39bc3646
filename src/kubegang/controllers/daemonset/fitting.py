"""Which nodes a DaemonSet's pods belong on, and what such a pod says of its node. Pure."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Final

import msgspec

from kubegang.apimachinery.labels import Requirement
from kubegang.apimachinery.labelsyntax import Operator
from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.workloads.objects import labels_of, name_of

NODE_NAME: Final = "metadata.name"

_OPERATORS: Mapping[str, Operator] = {
    "In": "in",
    "NotIn": "notin",
    "Exists": "exists",
    "DoesNotExist": "!",
    "Gt": "gt",
    "Lt": "lt",
}

# Of node conditions, which a daemon has to live with.
_TOLERATED = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
_TOLERATED_ON_HOST_NETWORK = ("node.kubernetes.io/network-unavailable", "NoSchedule")


class Fit(msgspec.Struct, frozen=True):
    """Whether a node should get a pod, and whether one that is there may stay."""

    runs: bool
    stays: bool


def fit_of(daemon_set: JsonObject, node: JsonObject) -> Fit:
    """Return what holds for a node."""
    spec = daemon_set["spec"]["template"]["spec"]
    if spec.get("nodeName") not in (None, "", name_of(node)) or not _is_wanted(spec, node):
        return Fit(runs=False, stays=False)
    tolerations = with_daemon_tolerations(spec)
    effects = {
        taint["effect"]
        for taint in node["spec"].get("taints") or ()
        if not any(_tolerates(toleration, taint) for toleration in tolerations)
    }
    return Fit(
        runs=not effects & {"NoSchedule", "NoExecute"},
        stays="NoExecute" not in effects,
    )


def with_daemon_tolerations(spec: JsonObject) -> list[JsonObject]:
    """Return a template's tolerations and those that every daemon's pod has."""
    tolerations = [*(spec.get("tolerations") or ())]
    extra = [_TOLERATED_ON_HOST_NETWORK] if spec.get("hostNetwork") else []
    for key, effect in (*_TOLERATED, *extra):
        wanted = {"key": key, "operator": "Exists", "effect": effect}
        same = [
            place
            for place, present in enumerate(tolerations)
            if (present.get("key"), present.get("effect")) == (key, effect)
            and present.get("operator") == "Exists"
        ]
        if same:
            tolerations[same[0]] = wanted
        else:
            tolerations.append(wanted)
    return tolerations


def with_node(affinity: JsonObject | None, node_name: str) -> JsonObject:
    """Return a template's affinity, required to be on one node; other required terms go."""
    changed = copy.deepcopy(affinity) if affinity is not None else {}
    node_affinity = changed.setdefault("nodeAffinity", {})
    field = {"key": NODE_NAME, "operator": "In", "values": [node_name]}
    node_affinity["requiredDuringSchedulingIgnoredDuringExecution"] = {
        "nodeSelectorTerms": [{"matchFields": [field]}]
    }
    return changed


def node_of(pod: JsonObject) -> str:
    """Return the node that a daemon's pod is on or is meant for, or an empty text."""
    if pod["spec"].get("nodeName"):
        return str(pod["spec"]["nodeName"])
    for term in _required_terms(pod["spec"]) or ():
        for field in term.get("matchFields") or ():
            if field["key"] == NODE_NAME and field["operator"] == "In":
                values = field.get("values") or []
                return str(values[0]) if len(values) == 1 else ""
    return ""


def looks_alike(old: JsonObject, new: JsonObject) -> bool:
    """Return whether two states of a node make no difference to any DaemonSet."""
    taints = [node["spec"].get("taints") or [] for node in (old, new)]
    return labels_of(old) == labels_of(new) and taints[0] == taints[1]


def _is_wanted(spec: JsonObject, node: JsonObject) -> bool:
    """Return whether a node has the labels that a template asks for."""
    labels = labels_of(node)
    selector = spec.get("nodeSelector") or {}
    if any(labels.get(key) != value for key, value in selector.items()):
        return False
    terms = _required_terms(spec)
    return terms is None or any(_holds(term, node) for term in terms)


def _required_terms(spec: JsonObject) -> list[JsonObject] | None:
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is None:
        return None
    terms: list[JsonObject] = required.get("nodeSelectorTerms") or []
    return terms


def _holds(term: JsonObject, node: JsonObject) -> bool:
    """Return whether a node meets a term; one that asks for nothing is met by none."""
    expressions, fields = term.get("matchExpressions") or [], term.get("matchFields") or []
    if not expressions and not fields:
        return False
    return all(_matches(entry, labels_of(node)) for entry in expressions) and all(
        _matches(entry, {NODE_NAME: name_of(node)}) for entry in fields
    )


def _matches(expression: JsonObject, labels: Mapping[str, str]) -> bool:
    operator = _OPERATORS.get(expression["operator"])
    if operator is None:
        return False
    values = frozenset(expression.get("values") or ())
    return Requirement(expression["key"], operator, values).matches(labels)


def _tolerates(toleration: JsonObject, taint: JsonObject) -> bool:
    if toleration.get("effect") and toleration["effect"] != taint["effect"]:
        return False
    if toleration.get("key") and toleration["key"] != taint["key"]:
        return False
    operator = toleration.get("operator") or "Equal"
    is_equal = toleration.get("value", "") == taint.get("value", "")
    return operator == "Exists" or (operator == "Equal" and bool(is_equal))
