"""Access to devices that others use, for administrators: only in namespaces marked for it.

Upstream checks it with the validation of the object, and so do we, once the rest is valid.
Text and label: measured on 1.37.2.
"""

from __future__ import annotations

from typing import Final

from kubegang.apimachinery.errors import StatusCause, invalid
from kubegang.apimachinery.field import Path, forbidden_field
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.admission.request import AdmissionRequest, Lookup
from kubegang.base.feature_gates import FeatureGates

GROUP: Final = "resource.k8s.io"
LABEL: Final = "resource.kubernetes.io/admin-access"

_NEEDED: Final = (
    f"admin access to devices requires the `{LABEL}: true` label on the containing namespace"
)


def check_admin_access(request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates) -> None:
    """Refuse a claim, a template or an allocation with such access elsewhere.

    Raises:
        InvalidError: the namespace is not marked.
    """
    path = _in_status(request) if request.subresource == "status" else _in_spec(request.obj)
    if path is None or lookup.namespace_labels(request.namespace).get(LABEL) == "true":
        return
    error = forbidden_field(path, _NEEDED)
    cause = StatusCause(error.reason, error.message, error.field)
    obj = request.obj
    raise invalid(GROUP, obj["kind"], obj["metadata"].get("name", ""), [cause])


def _in_spec(obj: JsonObject) -> Path | None:
    spec = obj.get("spec") or {}
    if obj["kind"] == "ResourceClaimTemplate":
        spec = spec.get("spec") or {}
    requests = (spec.get("devices") or {}).get("requests") or ()
    for position, request in enumerate(requests):
        if (request.get("exactly") or {}).get("adminAccess"):
            # The path is upstream's for templates too.
            return Path("spec").child("devices", "requests").index(position).child("adminAccess")
    return None


def _in_status(request: AdmissionRequest) -> Path | None:
    old = request.old or {}
    if any(result.get("adminAccess") for result in _results(old)):
        return None
    for position, result in enumerate(_results(request.obj)):
        if result.get("adminAccess"):
            where = Path("status").child("allocation", "devices", "results")
            return where.index(position).child("adminAccess")
    return None


def _results(claim: JsonObject) -> list[JsonObject]:
    allocation = (claim.get("status") or {}).get("allocation") or {}
    return list((allocation.get("devices") or {}).get("results") or ())
