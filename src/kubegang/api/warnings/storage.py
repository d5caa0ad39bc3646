"""Volumes, claims, and the classes and drivers that provide them."""

from __future__ import annotations

from typing import Final

from kubegang.api.warning_rules import WarningRules
from kubegang.api.warnings.claimspecs import claim_spec_warnings
from kubegang.api.warnings.kinds import KindWarnings, Warnings, always
from kubegang.api.warnings.nodelabels import DEPRECATED, label_selector_warnings, term_warnings
from kubegang.apimachinery.objects import JsonObject

_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_ANNOTATIONS: Final = {
    _CLASS: 'deprecated since v1.8; use "storageClassName" attribute instead',
    "volume.beta.kubernetes.io/mount-options": (
        'deprecated since v1.31; use "mountOptions" attribute instead'
    ),
}

_SOURCES: Final = {
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
"""Fewer than in pods: nothing is said about Flocker and Quobyte (measured on 1.37.2)."""

_TOKENS_IN_SECRETS: Final = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true "
    "to prevent possible logging of tokens in volume attributes"
)


def _of_volume(volume: JsonObject, _rules: WarningRules) -> Warnings:
    spec = volume["spec"]
    annotations = volume["metadata"].get("annotations") or {}
    for key, message in _ANNOTATIONS.items():
        if key in annotations:
            yield f"metadata.annotations[{key}]: {message}"
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        yield (
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. "
            "Instead, the recommended approach is to use dynamic provisioning."
        )
    required = (spec.get("nodeAffinity") or {}).get("required") or {}
    for position, term in enumerate(required.get("nodeSelectorTerms") or ()):
        where = f"spec.nodeAffinity.required.nodeSelectorTerms[{position}]"
        yield from term_warnings(term, where, preferred=False)
    for source, message in _SOURCES.items():
        if spec.get(source) is not None:
            shown = "storageOS" if source == "storageos" else source
            yield f"spec.{shown}: {message}"


def _of_claim(claim: JsonObject, _rules: WarningRules) -> Warnings:
    if _CLASS in (claim["metadata"].get("annotations") or {}):
        yield f"metadata.annotations[{_CLASS}]: {_ANNOTATIONS[_CLASS]}"
    yield from claim_spec_warnings(claim["spec"], "spec")


def _of_class(storage_class: JsonObject, _rules: WarningRules) -> Warnings:
    for index, topology in enumerate(storage_class.get("allowedTopologies") or ()):
        for position, expression in enumerate(topology.get("matchLabelExpressions") or ()):
            if message := DEPRECATED.get(expression.get("key") or ""):
                where = f"allowedTopologies[{index}].matchLabelExpressions[{position}].key"
                yield f"{where}: {message}"


def _of_capacity(capacity: JsonObject, _rules: WarningRules) -> Warnings:
    if selector := capacity.get("nodeTopology"):
        yield from label_selector_warnings(selector, "nodeTopology")


def _of_driver(driver: JsonObject, rules: WarningRules) -> Warnings:
    spec = driver["spec"]
    if not rules.advises_token_secrets:
        return
    if spec.get("tokenRequests") and spec.get("serviceAccountTokenInSecrets") is None:
        yield _TOKENS_IN_SECRETS


def _of_changed_driver(new: JsonObject, old: JsonObject, rules: WarningRules) -> Warnings:
    if (new["spec"].get("tokenRequests") or []) != (old["spec"].get("tokenRequests") or []):
        yield from _of_driver(new, rules)


CAPACITIES: Final = always(_of_capacity)
CLAIMS: Final = always(_of_claim)
CLASSES: Final = always(_of_class)
DRIVERS: Final = KindWarnings(_of_driver, _of_changed_driver)
VOLUMES: Final = always(_of_volume)
