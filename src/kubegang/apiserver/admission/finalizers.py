"""Plug-ins that add a finalizer to new objects, after the user's own."""

from __future__ import annotations

from kubegang.apiserver.admission.request import AdmissionRequest, Admit, Lookup
from kubegang.base.feature_gates import FeatureGates


def protect_with(finalizer: str) -> Admit:
    """Return the plug-in that adds ``finalizer`` unless it is there."""

    def admit(request: AdmissionRequest, _lookup: Lookup, _gates: FeatureGates) -> None:
        metadata = request.obj["metadata"]
        finalizers = metadata.get("finalizers") or []
        if finalizer not in finalizers:
            metadata["finalizers"] = [*finalizers, finalizer]

    return admit
