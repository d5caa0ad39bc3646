"""Requests for certificates: what was odd before may stay, decisions and certificates must."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding

from kubegang.api.validation.table import validate_status_update, validate_update
from kubegang.apimachinery.field import FieldError
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.base.feature_gates import FeatureGates

GVK = GroupVersionKind("certificates.k8s.io", "v1", "CertificateSigningRequest")
GATES = FeatureGates({})
KEY = ed25519.Ed25519PrivateKey.generate()
NAME = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "x")])
REQUEST = x509.CertificateSigningRequestBuilder().subject_name(NAME).sign(KEY, None)
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
CERTIFICATE = (
    x509.CertificateBuilder(NAME, NAME, KEY.public_key(), 7)
    .not_valid_before(BEGIN)
    .not_valid_after(BEGIN + timedelta(days=1))
    .sign(KEY, None)
    .public_bytes(Encoding.PEM)
)
APPROVED, DENIED, READY = ({"type": name, "status": "True"} for name in ("Approved", "Denied", "R"))


def request(**spec: Any) -> JsonObject:
    encoded = b64encode(REQUEST.public_bytes(Encoding.PEM)).decode()
    wanted = {"request": encoded, "signerName": "a.com/s", "usages": ["client auth"], **spec}
    return {"kind": GVK.kind, "metadata": {"name": "r"}, "spec": wanted}


def decided(*conditions: JsonObject, certificate: bytes = b"") -> JsonObject:
    status = {"conditions": list(conditions), "certificate": b64encode(certificate).decode()}
    return {**request(), "status": status}


def told(errors: list[FieldError]) -> list[str]:
    return [f"{error.field}: {error.message}" for error in errors]


@pytest.mark.parametrize(
    ("odd", "field"),
    [
        ({"signerName": "kubernetes.io/legacy-unknown"}, "spec.signerName"),
        ({"usages": ["odd"]}, "spec.usages[0]"),
        ({"usages": ["any", "any"]}, "spec.usages[1]"),
    ],
)
def test_an_odd_request_may_be_labelled(odd: JsonObject, field: str) -> None:
    old = request(**odd)

    assert validate_update(old, old, GVK, GATES) == []
    assert [error.field for error in validate_update(old, request(), GVK, GATES)] == [field]


@pytest.mark.parametrize("subresource", ["approval", "status"])
@pytest.mark.parametrize("odd", [(APPROVED, DENIED), (READY, READY), ({"status": "True"},)])
def test_odd_conditions_may_stay(subresource: str, odd: tuple[JsonObject, ...]) -> None:
    old = decided(*odd)

    assert validate_status_update(old, old, GVK, GATES, subresource=subresource) == []
    assert validate_status_update(old, decided(), GVK, GATES, subresource=subresource) != []


def test_a_certificate_is_set_once() -> None:
    empty, signed = decided(APPROVED), decided(APPROVED, certificate=CERTIFICATE)
    other = decided(APPROVED, certificate=CERTIFICATE * 2)

    assert validate_status_update(signed, empty, GVK, GATES) == []
    assert validate_status_update(signed, signed, GVK, GATES) == []
    assert told(validate_status_update(other, signed, GVK, GATES)) == [
        "status.certificate: Forbidden: updates may not modify existing certificate content"
    ]
    assert told(validate_status_update(signed, empty, GVK, GATES, subresource="approval")) == [
        "status.certificate: Forbidden: updates may not set certificate content"
    ]


@pytest.mark.parametrize(
    ("certificate", "want"),
    [
        (b"x", "must contain at least one CERTIFICATE PEM block"),
        (
            CERTIFICATE.replace(b"E-----\n", b"E-----\nA: b\n\n", 1),
            "no PEM block headers are permitted",
        ),
        (
            b"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
            "found CERTIFICATE PEM block containing 0 certificates",
        ),
        (
            CERTIFICATE.replace(b"CERTIFICATE", b"KEY"),
            'only CERTIFICATE PEM blocks are allowed, found "KEY"',
        ),
        (CERTIFICATE.replace(b"MIH", b"AAA", 1), "x509: malformed certificate"),
    ],
)
def test_what_is_no_certificate_is_told(certificate: bytes, want: str) -> None:
    new = decided(APPROVED, certificate=certificate)

    assert told(validate_status_update(new, decided(APPROVED), GVK, GATES)) == [
        f'status.certificate: Invalid value: "<certificate data>": {want}'
    ]
    assert validate_status_update(new, new, GVK, GATES) == []


@pytest.mark.parametrize(("seconds", "fields"), [(600, []), (599, ["spec.expirationSeconds"])])
def test_a_certificate_lasts_ten_minutes_at_least(seconds: int, fields: list[str]) -> None:
    changed = request(expirationSeconds=seconds)

    assert [error.field for error in validate_update(changed, changed, GVK, GATES)] == fields


@pytest.mark.timeout(20)
def test_long_lists_are_read_once() -> None:
    usages = [f"u{number}" for number in range(50_000)]
    assert validate_update(request(usages=usages), request(usages=usages), GVK, GATES) == []
    many = decided(*({"type": usage, "status": "True"} for usage in usages))
    assert validate_status_update(many, many, GVK, GATES) == []
