"""Ingresses and network policies."""

from __future__ import annotations

from typing import Final

from kubegang.api.warning_rules import WarningRules
from kubegang.api.warnings.addresses import address_warnings, range_warnings
from kubegang.api.warnings.kinds import KindWarnings, Warnings, always
from kubegang.apimachinery.objects import JsonObject

_CLASS: Final = "kubernetes.io/ingress.class"


def _of_ingress(ingress: JsonObject, _rules: WarningRules) -> Warnings:
    named = _CLASS in (ingress["metadata"].get("annotations") or {})
    if named and ingress["spec"].get("ingressClassName") is None:
        yield f"annotation \"{_CLASS}\" is deprecated, please use 'spec.ingressClassName' instead"


def _of_ingress_status(ingress: JsonObject, _old: JsonObject, rules: WarningRules) -> Warnings:
    balancer = (ingress.get("status") or {}).get("loadBalancer") or {}
    for position, point in enumerate(balancer.get("ingress") or ()):
        if address := point.get("ip"):
            where = f"status.loadBalancer.ingress[{position}]"
            yield from address_warnings(where, address, rules)


def _of_policy(policy: JsonObject, rules: WarningRules) -> Warnings:
    for member, peers in (("ingress", "from"), ("egress", "to")):
        for index, rule in enumerate(policy["spec"].get(member) or ()):
            for position, peer in enumerate(rule.get(peers) or ()):
                where = f"spec.{member}[{index}].{peers}[{position}].ipBlock"
                yield from _of_block(peer.get("ipBlock") or {}, where, rules)


def _of_block(block: JsonObject, where: str, rules: WarningRules) -> Warnings:
    if text := block.get("cidr"):
        yield from range_warnings(f"{where}.cidr", text, rules)
    for position, text in enumerate(block.get("except") or ()):
        yield from range_warnings(f"{where}.except[{position}]", text, rules)


INGRESSES: Final = KindWarnings(_of_ingress, status=_of_ingress_status)
POLICIES: Final = always(_of_policy)
