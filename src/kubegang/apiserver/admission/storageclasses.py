"""DefaultStorageClass: a claim that names no class gets the default one.

Of several defaults the newest counts, and of those as old the first by name (upstream's rule).
"""

from __future__ import annotations

from kubegang.apiserver.admission.request import AdmissionRequest, Lookup
from kubegang.base.feature_gates import FeatureGates

_BETA_CLASS = "volume.beta.kubernetes.io/storage-class"


def choose_class(request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates) -> None:
    """Name the default class in a new claim that leaves it open; an empty name is a choice."""
    spec = request.obj["spec"]
    annotations = request.obj["metadata"].get("annotations") or {}
    if spec.get("storageClassName") is not None or _BETA_CLASS in annotations:
        return
    name = lookup.default_storage_class()
    if name is not None:
        spec["storageClassName"] = name
