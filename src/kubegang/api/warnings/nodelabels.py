"""Labels of nodes that have been replaced by others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from kubegang.api.warnings.kinds import Warnings
from kubegang.apimachinery.names import is_label_value
from kubegang.apimachinery.objects import JsonObject

DEPRECATED: Final[Mapping[str, str]] = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": (
        'deprecated since v1.17; use "topology.kubernetes.io/region" instead'
    ),
    "failure-domain.beta.kubernetes.io/zone": (
        'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'
    ),
    "beta.kubernetes.io/instance-type": (
        'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'
    ),
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": (
        "deprecated since v1.22; use Taints and Tolerations instead"
    ),
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}
"""What is said about each label."""


def in_map(labels: Iterable[str]) -> list[str]:
    """Return the deprecated ones, sorted: upstream names them in any order."""
    return sorted(label for label in labels if label in DEPRECATED)


def term_warnings(term: JsonObject, path: str, *, preferred: bool) -> Warnings:
    """Warn of a term of a node selector; values are checked only where they were not yet."""
    for position, expression in enumerate(term.get("matchExpressions") or ()):
        where = f"{path}.matchExpressions[{position}]"
        yield from _expression_warnings(expression, where)
        for index, value in enumerate(expression.get("values") or () if preferred else ()):
            for problem in is_label_value(value):
                yield f"{where}.values[{index}]: {value} is invalid, {problem}"


def label_selector_warnings(selector: JsonObject, path: str) -> Warnings:
    """Warn of a label selector that is about nodes."""
    for position, expression in enumerate(selector.get("matchExpressions") or ()):
        yield from _expression_warnings(expression, f"{path}.matchExpressions[{position}]")
    for label in in_map(selector.get("matchLabels") or ()):
        yield f"{path}.matchLabels.{label}: {DEPRECATED[label]}"


def _expression_warnings(expression: JsonObject, path: str) -> Warnings:
    key = expression.get("key") or ""
    if message := DEPRECATED.get(key):
        yield f"{path}.key: {key} is {message}"
