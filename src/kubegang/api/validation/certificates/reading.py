"""Requests and certificates inside PEM: whether they can be read, and are signed.

What Go's parsers say in detail about damaged ones is not told.

Pure.
"""

from __future__ import annotations

from base64 import b64decode

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.hashes import MD5

from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.pemblocks import pem_blocks

_MALFORMED = (ValueError, UnsupportedAlgorithm, x509.InvalidVersion)
_UNVERIFIED = "x509: cannot verify signature"
_CURVES = ("secp224r1", "secp256r1", "secp384r1", "secp521r1")


def parsed_request(encoded: str) -> x509.CertificateSigningRequest:
    """Read the request in a spec.

    Raises:
        ValueError: it is none; the text is Go's where Go's is known.
    """
    block = next(pem_blocks(b64decode(encoded)), None)
    if block is None or block.label != "CERTIFICATE REQUEST":
        raise ValueError("PEM block type must be CERTIFICATE REQUEST")
    try:
        request = x509.load_der_x509_csr(block.content)
        # The library reads these two only when it is asked for them, Go at once.
        _ = request.subject, request.public_key()
    except _MALFORMED:
        raise ValueError("x509: malformed certificate request") from None
    return request


def request_problem(encoded: str) -> str:
    """Return what is wrong with a request, or an empty text."""
    try:
        request = parsed_request(encoded)
        return _signature_problem(request)
    except ValueError as error:
        return str(error)
    except UnsupportedAlgorithm:
        return f"{_UNVERIFIED}: algorithm unimplemented"


def _signature_problem(request: x509.CertificateSigningRequest) -> str:
    match request.public_key():
        case ec.EllipticCurvePublicKey(curve=curve) if curve.name not in _CURVES:
            return "x509: unsupported elliptic curve"
        case rsa.RSAPublicKey():
            problem = "crypto/rsa: verification error"
        case ec.EllipticCurvePublicKey():
            problem = "x509: ECDSA verification failure"
        case ed25519.Ed25519PublicKey():
            problem = "x509: Ed25519 verification failure"
        case _:
            return f"{_UNVERIFIED}: algorithm unimplemented"
    if isinstance(request.signature_hash_algorithm, MD5):
        return f"{_UNVERIFIED}: insecure algorithm MD5-RSA"
    return "" if request.is_signature_valid else problem


def certificate_problem(encoded: str) -> str:
    """Return what is wrong with a chain of certificates, or an empty text; none is fine."""
    if not encoded:
        return ""
    blocks = list(pem_blocks(b64decode(encoded)))
    for block in blocks:
        if block.label != "CERTIFICATE":
            return f"only CERTIFICATE PEM blocks are allowed, found {go_quote(block.label)}"
        if block.has_headers:
            return "no PEM block headers are permitted"
        if not block.content:
            return "found CERTIFICATE PEM block containing 0 certificates"
        try:
            x509.load_der_x509_certificate(block.content)
        except _MALFORMED:
            return "x509: malformed certificate"
    return "" if blocks else "must contain at least one CERTIFICATE PEM block"
