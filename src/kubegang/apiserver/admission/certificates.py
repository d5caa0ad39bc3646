"""Requests for certificates: who asks, who may approve, and who may sign.

The texts are kube-apiserver's (admission plug-ins CertificateApproval, CertificateSigning and
CertificateSubjectRestriction).
"""

from __future__ import annotations

from collections.abc import Collection

from cryptography.x509.oid import NameOID

from kubegang.api.validation.certificates.reading import parsed_request
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.objects import GroupResource, JsonObject
from kubegang.apiserver.admission.request import AdmissionRequest, Lookup
from kubegang.apiserver.authn import Identity
from kubegang.apiserver.authorization.attributes import Attributes
from kubegang.apiserver.authorization.authorizer import MASTERS, Authorizer
from kubegang.base.feature_gates import FeatureGates

_GROUP = "certificates.k8s.io"
_REQUESTS = GroupResource(_GROUP, "certificatesigningrequests")
_RIGHTS = {
    "approval": ("CertificateApproval", "approve"),
    "status": ("CertificateSigning", "sign"),
}
_API_CLIENT = "kubernetes.io/kube-apiserver-client"
_FROM_USER = ("username", "uid", "groups", "extra")


def note_requestor(request: AdmissionRequest, _lookup: Lookup, _gates: FeatureGates) -> None:
    """Write who asks into a new request, whatever it says itself."""
    spec = request.obj["spec"]
    for name in _FROM_USER:
        spec.pop(name, None)
    if (identity := request.identity) is None:
        return
    spec["username"] = identity.user
    spec["uid"] = identity.uid
    spec["groups"] = list(identity.groups)
    spec["extra"] = {key: list(values) for key, values in identity.extra.items()}


def restrict_subject(request: AdmissionRequest, _lookup: Lookup, _gates: FeatureGates) -> None:
    """Refuse a certificate for the API that would make its holder an administrator."""
    spec = request.obj["spec"]
    if spec.get("signerName") != _API_CLIENT:
        return
    subject = parsed_request(spec["request"]).subject
    organizations = subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    if any(one.value == MASTERS for one in organizations):
        raise request.refuse(f"use of {_API_CLIENT} signer with {MASTERS} group is not allowed")


def confirm_signer_rights(
    request: AdmissionRequest, authorizer: Authorizer, *, plugins: Collection[str]
) -> None:
    """Refuse whoever may not approve, or not sign, for the signer of a request.

    Raises:
        ForbiddenError: that is so, and the plug-in for it is on.
    """
    identity, old = request.identity, request.old
    if identity is None or old is None or request.info.group_resource != _REQUESTS:
        return
    plugin, verb = _RIGHTS.get(request.subresource, ("", ""))
    if plugin not in plugins:
        return
    if verb == "sign" and _result(request.obj) == _result(old):
        return
    signer = (old.get("spec") or {}).get("signerName") or ""
    if not _may(identity, authorizer, verb=verb, signer=signer):
        raise request.refuse(
            f"user not permitted to {verb} requests with signerName {go_quote(signer)}"
        )


def _result(request: JsonObject) -> tuple[object, object]:
    status = request.get("status") or {}
    return status.get("certificate") or "", status.get("conditions") or []


def _may(identity: Identity, authorizer: Authorizer, *, verb: str, signer: str) -> bool:
    """Return whether there is the right for this signer, or for all signers of its domain."""
    names = (signer, f"{signer.partition('/')[0]}/*")
    return any(
        authorizer.decide(
            identity,
            Attributes(verb, group=_GROUP, version="*", resource="signers", name=name),
        ).allowed
        for name in names
    )
