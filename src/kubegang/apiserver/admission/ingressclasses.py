"""DefaultIngressClass: an ingress that names no class gets the default one.

Of several defaults the newest counts, and of those as old the first by name (upstream's rule).
"""

from __future__ import annotations

from kubegang.apiserver.admission.request import AdmissionRequest, Lookup
from kubegang.base.feature_gates import FeatureGates

_CLASS_ANNOTATION = "kubernetes.io/ingress.class"


def choose_class(request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates) -> None:
    """Name the default class in a new ingress that leaves it open, also to an annotation."""
    spec = request.obj["spec"]
    annotations = request.obj["metadata"].get("annotations") or {}
    if spec.get("ingressClassName") is None and _CLASS_ANNOTATION not in annotations:
        name = lookup.default_ingress_class()
        if name is not None:
            spec["ingressClassName"] = name
