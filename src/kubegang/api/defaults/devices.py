"""Defaults of claims on devices.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubegang.api.defaults.members import member
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

EXACT = "ExactCount"


def default_claim(claim: JsonObject, _gates: FeatureGates) -> None:
    """A request is for one device unless it says otherwise."""
    _default_claim_spec(member(claim, "spec"))


def default_claim_template(template: JsonObject, _gates: FeatureGates) -> None:
    """Fill in the claim that is made from a template."""
    _default_claim_spec(member(member(template, "spec"), "spec"))


def _default_claim_spec(spec: JsonObject) -> None:
    for request in _requests(spec):
        if not request.get("allocationMode"):
            request["allocationMode"] = EXACT
        if request["allocationMode"] == EXACT and not request.get("count"):
            request["count"] = 1


def _requests(spec: JsonObject) -> Iterator[JsonObject]:
    for request in (spec.get("devices") or {}).get("requests") or ():
        if request.get("exactly") is not None:
            yield request["exactly"]
        yield from request.get("firstAvailable") or ()
