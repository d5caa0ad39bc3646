"""What is said about certificates and keys that are no pair, as kube-apiserver 1.37.2 says it."""

from __future__ import annotations

from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from kubegang.api.warnings.secrets import pair_problem

_Key = ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey


def _certificate(key: _Key) -> bytes:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "x")])
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 7)
    builder = builder.not_valid_before(begin).not_valid_after(begin + timedelta(days=1))
    algorithm = None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    return builder.sign(key, algorithm).public_bytes(serialization.Encoding.PEM)


def _pem(key: _Key) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def _block(label: str, content: bytes = b"abc") -> bytes:
    return (
        f"-----BEGIN {label}-----\n{b64encode(content).decode()}\n-----END {label}-----\n".encode()
    )


_KEYS: dict[str, _Key] = {
    "rsa": rsa.generate_private_key(65537, 1024),
    "ec": ec.generate_private_key(ec.SECP256R1()),
    "other ec": ec.generate_private_key(ec.SECP256R1()),
    "ed25519": ed25519.Ed25519PrivateKey.generate(),
}
_EC = _KEYS["ec"]
_CERTIFICATE, _KEY = _certificate(_EC), _pem(_EC)


@pytest.mark.parametrize("kind", _KEYS)
def test_a_certificate_and_its_key_are_a_pair(kind: str) -> None:
    assert pair_problem(_certificate(_KEYS[kind]), _pem(_KEYS[kind])) == ""


@pytest.mark.parametrize(
    ("certificate", "key"),
    [
        (b"hello\n" + _CERTIFICATE + b"bye\n", b"key\n" + _KEY),
        (_CERTIFICATE.replace(b"\n", b"\r\n"), _KEY.replace(b"\n", b"\r\n")),
        (_CERTIFICATE.replace(b"E-----\n", b"E-----\nA: b\n\n", 1), _KEY),
        (_CERTIFICATE + _certificate(_KEYS["rsa"]), _block("EC PARAMETERS") + _KEY),
        (_CERTIFICATE.rstrip(), _KEY.rstrip()),
    ],
)
def test_what_stands_beside_the_blocks_does_not_matter(certificate: bytes, key: bytes) -> None:
    assert pair_problem(certificate, key) == ""


@pytest.mark.parametrize(
    ("certificate", "key", "problem"),
    [
        (b"", b"", "failed to find any PEM data in certificate input"),
        (b"x", b"y", "failed to find any PEM data in certificate input"),
        (
            b"-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n",
            _KEY,
            "failed to find any PEM data in certificate input",
        ),
        (
            _KEY,
            _CERTIFICATE,
            "failed to find certificate PEM data in certificate input, but did find a private "
            "key; PEM inputs may have been switched",
        ),
        (
            _block("FOO") + _block("BAR BAZ"),
            _KEY,
            'failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM '
            "blocks of the following types: [FOO BAR BAZ]",
        ),
        (_CERTIFICATE, b"", "failed to find any PEM data in key input"),
        (
            _CERTIFICATE,
            _CERTIFICATE,
            "found a certificate rather than a key in the PEM for the private key",
        ),
        (
            _CERTIFICATE,
            _block("XPRIVATE KEY"),
            'failed to find PEM block with type ending in "PRIVATE KEY" in key input after '
            "skipping PEM blocks of the following types: [XPRIVATE KEY]",
        ),
        (_CERTIFICATE, _block("RSA PRIVATE KEY"), "failed to parse private key"),
        (_CERTIFICATE, _pem(_KEYS["other ec"]), "private key does not match public key"),
        (_CERTIFICATE, _pem(_KEYS["rsa"]), "private key type does not match public key type"),
    ],
)
def test_what_is_wrong_is_told_in_words_of_go(certificate: bytes, key: bytes, problem: str) -> None:
    assert pair_problem(certificate, key) == f"tls: {problem}"


def test_a_damaged_certificate_is_told_before_the_key_is_read() -> None:
    damaged = _block("CERTIFICATE", b"garbage")

    assert pair_problem(damaged, _block("PRIVATE KEY")) == "x509: malformed certificate"


def test_a_certificate_of_a_version_that_does_not_exist_is_a_damaged_one() -> None:
    der = b64decode(b"".join(_CERTIFICATE.splitlines()[1:-1]))
    odd = _block("CERTIFICATE", der.replace(b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x07", 1))

    assert pair_problem(odd, _KEY) == "x509: malformed certificate"
