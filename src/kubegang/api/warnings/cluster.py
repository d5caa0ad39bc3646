"""Nodes, what runs containers on them, devices, quotas and accounts."""

from __future__ import annotations

from typing import Final

from kubegang.api.warning_rules import WarningRules
from kubegang.api.warnings.addresses import range_warnings
from kubegang.api.warnings.kinds import KindWarnings, Warnings, always
from kubegang.api.warnings.nodelabels import DEPRECATED, in_map
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.quantity import Quantity

_MOUNTABLE_SECRETS: Final = "kubernetes.io/enforce-mountable-secrets"


def _of_node(node: JsonObject, rules: WarningRules) -> Warnings:
    spec = node.get("spec") or {}
    if spec.get("externalID"):
        yield "spec.externalID: this field is deprecated, and is unused by Kubernetes"
    for position, text in enumerate(spec.get("podCIDRs") or ()):
        yield from range_warnings(f"spec.podCIDRs[{position}]", text, rules)


def _of_runtime_class(runtime_class: JsonObject, _rules: WarningRules) -> Warnings:
    selector = (runtime_class.get("scheduling") or {}).get("nodeSelector") or ()
    for label in in_map(selector):
        yield f"scheduling.nodeSelector: {DEPRECATED[label]}"


def _of_resource_slice(resource_slice: JsonObject, _rules: WarningRules) -> Warnings:
    driver = resource_slice["spec"].get("driver") or ""
    if driver != driver.lower():
        yield (
            "spec.driver: driver names should be lowercase; "
            f"{go_quote(driver)} contains uppercase characters"
        )


def _of_quota(quota: JsonObject, _rules: WarningRules) -> Warnings:
    hard = (quota.get("spec") or {}).get("hard") or {}
    for name in ("cpu", "memory", "storage", "ephemeral-storage"):
        request, limit = f"requests.{name}", f"limits.{name}"
        if request not in hard and name in ("cpu", "memory"):
            request = name
        if request not in hard or limit not in hard:
            continue
        least, most = Quantity.parse(hard[request]), Quantity.parse(hard[limit])
        if least > most:
            shown = f"{request} ({least.canonical()}) should be less than"
            yield f"ResourceQuota {shown} {limit} ({most.canonical()})"


def _of_account(account: JsonObject, _rules: WarningRules) -> Warnings:
    if _enforces(account):
        yield (
            f"metadata.annotations[{_MOUNTABLE_SECRETS}]: deprecated in v1.32+; "
            "prefer separate namespaces to isolate access to mounted secrets"
        )


def _of_changed_account(new: JsonObject, old: JsonObject, rules: WarningRules) -> Warnings:
    if not _enforces(old):
        yield from _of_account(new, rules)


def _enforces(account: JsonObject) -> bool:
    return _MOUNTABLE_SECRETS in (account["metadata"].get("annotations") or {})


ACCOUNTS: Final = KindWarnings(_of_account, _of_changed_account)
NODES: Final = always(_of_node)
QUOTAS: Final = KindWarnings(_of_quota)
RESOURCE_SLICES: Final = always(_of_resource_slice)
RUNTIME_CLASSES: Final = always(_of_runtime_class)
