"""Defaults of ingress classes and network policies.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from kubegang.api.defaults.members import member
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates


def default_ingress_class(ingress_class: JsonObject, _gates: FeatureGates) -> None:
    """Parameters are an object of the cluster's, not of a namespace's."""
    parameters = (ingress_class.get("spec") or {}).get("parameters")
    if parameters is not None and parameters.get("scope") is None:
        parameters["scope"] = "Cluster"


def default_network_policy(policy: JsonObject, _gates: FeatureGates) -> None:
    """Ports are for TCP; a policy is about what comes in, and about what goes out if it says so."""
    spec = member(policy, "spec")
    for rule in (*(spec.get("ingress") or ()), *(spec.get("egress") or ())):
        for port in rule.get("ports") or ():
            if port.get("protocol") is None:
                port["protocol"] = "TCP"
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
