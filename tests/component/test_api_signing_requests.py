"""Requests for certificates: who asks is noted, and each path writes its own part (1.37.2)."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from kubegang.api.resources import ROWS
from kubegang.apimachinery.errors import ForbiddenError
from kubegang.apiserver.admission.certificates import confirm_signer_rights
from kubegang.apiserver.admission.request import AdmissionRequest
from kubegang.apiserver.authn import Identity
from kubegang.apiserver.authorization.attributes import Attributes
from kubegang.apiserver.authorization.authorizer import AllowAll, Decision
from tests.component.apiharness import MERGE, Api, api_test

REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
PLUGINS = ("CertificateApproval", "CertificateSigning")
APPROVED = {"type": "Approved", "status": "True", "reason": "r"}


def encoded_request(organization: str) -> str:
    subject = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization)])
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject)
    signed = builder.sign(Ed25519PrivateKey.generate(), None)
    return base64.b64encode(signed.public_bytes(Encoding.PEM)).decode()


def request(organization: str = "o", **spec: Any) -> dict[str, Any]:
    wanted = {"signerName": "example.com/s", "usages": ["client auth"], **spec}
    return {
        "metadata": {"name": "r"},
        "spec": {"request": encoded_request(organization), **wanted},
    }


@api_test
async def test_who_asks_is_noted_whatever_the_request_says(api: Api) -> None:
    made = await api.create(REQUESTS, request(username="somebody", groups=["g"]))
    assert made["spec"]["username"] != "somebody"
    assert made["spec"].get("groups") != ["g"]


@api_test
async def test_an_approval_changes_conditions_only(api: Api) -> None:
    await api.create(REQUESTS, request())
    body = {"spec": {"signerName": "x"}, "status": {"conditions": [APPROVED]}}
    approved = (await api.patch(f"{REQUESTS}/r/approval", body, MERGE)).object
    assert approved["spec"]["signerName"] == "example.com/s"
    condition = approved["status"]["conditions"][0]
    assert condition["lastUpdateTime"] == condition["lastTransitionTime"]
    changed = {"status": {"conditions": [{**APPROVED, "reason": "other"}]}}
    kept = (await api.patch(f"{REQUESTS}/r/status", changed, MERGE)).object
    assert kept["status"]["conditions"] == [condition]
    refused = await api.patch(f"{REQUESTS}/r/approval", {"status": {"conditions": []}}, MERGE)
    assert refused.status == 422
    assert 'updates may not remove a condition of type "Approved"' in refused.message


@api_test
async def test_nobody_becomes_an_administrator_by_a_certificate(api: Api) -> None:
    signer = "kubernetes.io/kube-apiserver-client"
    reply = await api.post(REQUESTS, request("system:masters", signerName=signer))
    assert reply.status == 403
    assert reply.message.endswith(
        f"use of {signer} signer with system:masters group is not allowed"
    )


class MayOnly(AllowAll):
    """Allows what is asked about some signers only."""

    def __init__(self, *signers: str) -> None:
        self.signers = signers

    def decide(self, identity: Identity, asked: Attributes) -> Decision:
        decision = super().decide(identity, asked)
        return decision._replace(allowed=asked.name in self.signers)


@pytest.mark.parametrize(
    ("subresource", "signers", "refused"),
    [
        ("approval", ("example.com/s",), ""),
        ("approval", ("example.com/*",), ""),
        ("approval", (), 'user not permitted to approve requests with signerName "example.com/s"'),
        ("status", (), 'user not permitted to sign requests with signerName "example.com/s"'),
        ("", (), ""),
    ],
)
def test_a_decision_takes_a_right_on_the_signer(
    subresource: str, signers: tuple[str, ...], refused: str
) -> None:
    write = written(subresource, {"certificate": "eA=="})
    if not refused:
        confirm_signer_rights(write, MayOnly(*signers), plugins=PLUGINS)
        return
    with pytest.raises(ForbiddenError, match="user not permitted") as caught:
        confirm_signer_rights(write, MayOnly(*signers), plugins=PLUGINS)
    assert str(caught.value).endswith(refused)


def test_only_a_result_takes_the_right_to_sign() -> None:
    confirm_signer_rights(written("status", {}), MayOnly(), plugins=PLUGINS)
    failed = written("status", {"conditions": [{"type": "Failed", "status": "True"}]})
    with pytest.raises(ForbiddenError, match="user not permitted to sign"):
        confirm_signer_rights(failed, MayOnly(), plugins=PLUGINS)


def test_no_right_is_asked_for_by_a_plugin_that_is_off() -> None:
    confirm_signer_rights(written("approval", {}), MayOnly(), plugins=PLUGINS[1:])


def written(subresource: str, status: dict[str, Any]) -> AdmissionRequest:
    old = request()
    return AdmissionRequest(
        operation="update",
        info=next(row for row in ROWS if row.kind == "CertificateSigningRequest"),
        namespace="",
        name="r",
        obj={**old, "status": status},
        old=old,
        subresource=subresource,
        identity=Identity("u"),
    )
