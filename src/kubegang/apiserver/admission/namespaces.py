"""NamespaceLifecycle: objects need a namespace that exists and is not going away."""

from __future__ import annotations

from kubegang.apimachinery.errors import (
    ForbiddenError,
    StatusCause,
    StatusDetails,
    forbidden,
    not_found,
)
from kubegang.apimachinery.objects import GroupResource
from kubegang.apiserver.admission.request import AdmissionRequest, Lookup
from kubegang.base.feature_gates import FeatureGates

IMMORTAL = ("default", "kube-system", "kube-public")
"""Namespaces that may not be deleted."""

_NAMESPACES = GroupResource("", "namespaces")


def admit_into_namespace(request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates) -> None:
    """Refuse a missing namespace, and new content in one that is being deleted."""
    if not request.info.namespaced or request.operation == "delete":
        return
    phase = lookup.namespace_phase(request.namespace)
    if phase is None:
        raise not_found(_NAMESPACES, request.namespace)
    if request.operation == "create" and phase == "Terminating":
        raise _terminating(request)


def keep_immortal(request: AdmissionRequest, _lookup: Lookup, _gates: FeatureGates) -> None:
    """Refuse to delete the namespaces that every cluster has."""
    if request.name in IMMORTAL:
        raise forbidden(_NAMESPACES, request.name, "this namespace may not be deleted")


def _terminating(request: AdmissionRequest) -> ForbiddenError:
    namespace = request.namespace
    refusal = request.refuse(
        f"unable to create new content in namespace {namespace} because it is being terminated"
    )
    cause = StatusCause(
        reason="NamespaceTerminating",
        message=f"namespace {namespace} is being terminated",
        field="metadata.namespace",
    )
    known = refusal.details or StatusDetails()
    details = StatusDetails(name=known.name, group=known.group, kind=known.kind, causes=(cause,))
    return ForbiddenError(refusal.message, details=details)
