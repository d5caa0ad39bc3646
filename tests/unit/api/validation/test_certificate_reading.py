"""Requests for certificates that are damaged, or signed in a way that Go does not take."""

from __future__ import annotations

from base64 import b64encode

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from kubegang.api.validation.certificates.reading import parsed_request, request_problem

_Key = (
    ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey | dsa.DSAPrivateKey | rsa.RSAPrivateKey
)

MALFORMED = "x509: malformed certificate request"
UNVERIFIED = "x509: cannot verify signature: algorithm unimplemented"
ED25519, X25519, ED448 = (bytes([6, 3, 0x2B, 0x65, last]) for last in (0x70, 0x6E, 0x71))
VERSION, COUNTRY = b"\x02\x01\x00", b"\x13\x02DE"


def der_request(key: _Key) -> bytes:
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COUNTRY_NAME, "DE")])
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject)
    algorithm = None if isinstance(key, ed25519.Ed25519PrivateKey) else SHA256()
    return builder.sign(key, algorithm).public_bytes(Encoding.DER)


def encoded(der: bytes) -> str:
    body = b64encode(der).decode()
    pem = f"-----BEGIN CERTIFICATE REQUEST-----\n{body}\n-----END CERTIFICATE REQUEST-----\n"
    return b64encode(pem.encode()).decode()


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        pytest.param(b"", b"", "", id="sound"),
        pytest.param(COUNTRY, b"\x13\x02DK", "x509: Ed25519 verification failure", id="changed"),
        pytest.param(COUNTRY, b"\x0c\x02\xff\xff", MALFORMED, id="subject"),
        pytest.param(VERSION, b"\x02\x01\x05", MALFORMED, id="version"),
        pytest.param(ED25519, b"\x06\x03\x2b\x65\x01", MALFORMED, id="kind-of-key"),
        pytest.param(ED25519, X25519, UNVERIFIED, id="key-that-signs-nothing"),
        pytest.param(ED25519, ED448, MALFORMED, id="length-of-key"),
    ],
)
def test_a_damaged_request_is_told_and_never_fails(old: bytes, new: bytes, want: str) -> None:
    der = der_request(ed25519.Ed25519PrivateKey.generate())
    assert request_problem(encoded(der.replace(old, new, 1) if old else der)) == want


@pytest.mark.parametrize(
    ("key", "want"),
    [
        (ec.generate_private_key(ec.SECP256R1()), ""),
        (ec.generate_private_key(ec.SECP521R1()), ""),
        (ec.generate_private_key(ec.SECP256K1()), "x509: unsupported elliptic curve"),
        (dsa.generate_private_key(1024), UNVERIFIED),
    ],
)
def test_only_kinds_of_keys_that_go_knows_can_sign(key: _Key, want: str) -> None:
    assert request_problem(encoded(der_request(key))) == want


def test_whoever_reads_a_damaged_request_gets_a_value_error() -> None:
    der = der_request(ed25519.Ed25519PrivateKey.generate())
    with pytest.raises(ValueError, match=MALFORMED):
        parsed_request(encoded(der.replace(VERSION, b"\x02\x01\x05", 1)))


def test_a_signature_that_anybody_can_forge_is_none() -> None:
    of_rsa = bytes.fromhex("2a864886f70d0101")
    der = der_request(rsa.generate_private_key(65537, 1024))
    with_md5 = der.replace(of_rsa + b"\x0b", of_rsa + b"\x04")

    assert request_problem(encoded(with_md5)) == (
        "x509: cannot verify signature: insecure algorithm MD5-RSA"
    )
