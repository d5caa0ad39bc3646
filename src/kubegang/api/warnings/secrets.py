"""Secrets that hold a certificate and its key: whether these belong together.

The texts are those of Go's ``tls.X509KeyPair``; what its parsers say in detail about a
damaged certificate is not.
"""

from __future__ import annotations

from base64 import b64decode
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_der_private_key,
)

from kubegang.api.warning_rules import WarningRules
from kubegang.api.warnings.kinds import Warnings, always
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.pemblocks import pem_blocks

_CERTIFICATE: Final = "CERTIFICATE"
_KEY: Final = "PRIVATE KEY"

_PublicKey = rsa.RSAPublicKey | ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey
_KNOWN_PUBLIC: Final = (
    (rsa.RSAPublicKey, rsa.RSAPrivateKey),
    (ec.EllipticCurvePublicKey, ec.EllipticCurvePrivateKey),
    (ed25519.Ed25519PublicKey, ed25519.Ed25519PrivateKey),
)


def _of_secret(secret: JsonObject, _rules: WarningRules) -> Warnings:
    if secret.get("type") != "kubernetes.io/tls":
        return
    data = secret.get("data") or {}
    certificate, key = (b64decode(data.get(name) or "") for name in ("tls.crt", "tls.key"))
    if problem := pair_problem(certificate, key):
        yield problem


SECRETS: Final = always(_of_secret)


def pair_problem(certificate: bytes, key: bytes) -> str:
    """Return why a certificate and a key in PEM are no pair, or nothing."""
    chain = list(pem_blocks(certificate))
    first = next((block for block in chain if block.label == _CERTIFICATE), None)
    if first is None:
        return f"tls: failed to find {_no_certificate([block.label for block in chain])}"
    skipped: list[str] = []
    for block in pem_blocks(key):
        if block.label == _KEY or block.label.endswith(f" {_KEY}"):
            return _mismatch(first.content, block.content)
        skipped.append(block.label)
    return f"tls: {_no_key(skipped)}"


def _no_certificate(skipped: list[str]) -> str:
    if not skipped:
        return "any PEM data in certificate input"
    if len(skipped) == 1 and skipped[0].endswith(_KEY):
        return (
            "certificate PEM data in certificate input, but did find a private key; "
            "PEM inputs may have been switched"
        )
    return (
        f'"{_CERTIFICATE}" PEM block in certificate input after skipping PEM blocks of the '
        f"following types: [{' '.join(skipped)}]"
    )


def _no_key(skipped: list[str]) -> str:
    if not skipped:
        return "failed to find any PEM data in key input"
    if skipped == [_CERTIFICATE]:
        return "found a certificate rather than a key in the PEM for the private key"
    return (
        f'failed to find PEM block with type ending in "{_KEY}" in key input after skipping '
        f"PEM blocks of the following types: [{' '.join(skipped)}]"
    )


def _mismatch(certificate: bytes, key: bytes) -> str:
    try:
        public = x509.load_der_x509_certificate(certificate).public_key()
    except (ValueError, UnsupportedAlgorithm, x509.InvalidVersion):
        return "x509: malformed certificate"
    try:
        private = load_der_private_key(key, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return "tls: failed to parse private key"
    for known_public, known_private in _KNOWN_PUBLIC:
        if isinstance(public, known_public):
            if not isinstance(private, known_private):
                return "tls: private key type does not match public key type"
            is_pair = _encoded(private.public_key()) == _encoded(public)
            return "" if is_pair else "tls: private key does not match public key"
    return "tls: unknown public key algorithm"


def _encoded(key: _PublicKey) -> bytes:
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
