"""Where a pod wants to run: old node labels, and selectors that select nothing."""

from __future__ import annotations

from typing import Final

from kubegang.api.warnings.kinds import Warnings
from kubegang.api.warnings.nodelabels import DEPRECATED, in_map, term_warnings
from kubegang.apimachinery.objects import JsonObject

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"

_NOBODY: Final = "a null labelSelector results in matching no pod"


def node_warnings(spec: JsonObject, path: str) -> Warnings:
    """Warn of old node labels, and of spreading constraints without a selector."""
    for label in in_map(spec.get("nodeSelector") or ()):
        yield f"{path}.nodeSelector[{label}]: {DEPRECATED[label]}"
    affinity = (spec.get("affinity") or {}).get("nodeAffinity")
    if affinity:
        yield from _node_affinity_warnings(affinity, f"{path}.affinity.nodeAffinity")
    for position, constraint in enumerate(spec.get("topologySpreadConstraints") or ()):
        where = f"{path}.topologySpreadConstraints[{position}]"
        key = constraint.get("topologyKey") or ""
        if message := DEPRECATED.get(key):
            yield f"{where}.topologyKey: {key} is {message}"
        if constraint.get("labelSelector") is None:
            yield f"{where}.labelSelector: {_NOBODY}"


def pod_affinity_warnings(spec: JsonObject, path: str) -> Warnings:
    """Warn of terms about other pods that have no selector."""
    affinity = spec.get("affinity") or {}
    for name in ("podAffinity", "podAntiAffinity"):
        terms = affinity.get(name)
        if not terms:
            continue
        where = f"{path}.affinity.{name}"
        for position, term in enumerate(terms.get(_REQUIRED) or ()):
            if term.get("labelSelector") is None:
                yield f"{where}.{_REQUIRED}[{position}].labelSelector: {_NOBODY}"
        for position, weighted in enumerate(terms.get(_PREFERRED) or ()):
            if (weighted.get("podAffinityTerm") or {}).get("labelSelector") is None:
                member = f"{where}.{_PREFERRED}[{position}].podAffinityTerm.labelSelector"
                yield f"{member}: {_NOBODY}"


def _node_affinity_warnings(affinity: JsonObject, path: str) -> Warnings:
    terms = (affinity.get(_REQUIRED) or {}).get("nodeSelectorTerms") or ()
    for position, term in enumerate(terms):
        where = f"{path}.{_REQUIRED}.nodeSelectorTerms[{position}]"
        yield from term_warnings(term, where, preferred=False)
    for position, weighted in enumerate(affinity.get(_PREFERRED) or ()):
        where = f"{path}.{_PREFERRED}[{position}].preference"
        yield from term_warnings(weighted.get("preference") or {}, where, preferred=True)
