"""JSON Web Tokens, signed and read with one key, as service accounts carry them.

The key is an elliptic-curve one (ES256), made once per data directory. Its id is the hash of
the public key, as Kubernetes computes it.
"""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

ALGORITHM = "ES256"

# Signature and structure are checked here, claims by those who know what they mean.
_UNCHECKED = {
    f"verify_{claim}": False for claim in ("exp", "nbf", "iat", "aud", "iss", "sub", "jti")
}


class TokenError(Exception):
    """A text that is no token of this key."""


class SigningKey:
    """Signs claims, and reads what it signed."""

    def __init__(self, key: ec.EllipticCurvePrivateKey) -> None:
        self._key = key
        self._public = key.public_key()
        self.id = _key_id(self._public)

    @classmethod
    def create(cls) -> SigningKey:
        """Make a new key."""
        return cls(ec.generate_private_key(ec.SECP256R1()))

    @classmethod
    def load(cls, pem: bytes) -> SigningKey:
        """Read a key from PEM.

        Raises:
            ValueError: it is damaged, or of another kind than we write.
        """
        key = serialization.load_pem_private_key(pem, password=None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise ValueError(  # noqa: TRY004 - a damaged file, not a wrong argument
                "the key for service account tokens is not an elliptic-curve key"
            )
        return cls(key)

    @property
    def pem(self) -> bytes:
        """The private key."""
        return self._key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Return a token that says the claims."""
        ordered = dict(sorted(claims.items()))
        headers: dict[str, Any] = {"kid": self.id, "typ": None}
        return jwt.encode(ordered, self._key, algorithm=ALGORITHM, headers=headers)

    def read(self, token: str) -> dict[str, Any]:
        """Return the claims of a token that this key signed.

        Raises:
            TokenError: it did not.
        """
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._public,
                algorithms=[ALGORITHM],
                options=_UNCHECKED,  # type: ignore[arg-type]
            )
        except (jwt.PyJWTError, ValueError) as error:
            raise TokenError(str(error)) from error
        return claims

    def public_form(self) -> dict[str, str]:
        """Return the public key as a JSON Web Key."""
        numbers = self._public.public_numbers()
        return {
            "use": "sig",
            "kty": "EC",
            "kid": self.id,
            "crv": "P-256",
            "alg": ALGORITHM,
            "x": _encoded(numbers.x.to_bytes(32, "big")),
            "y": _encoded(numbers.y.to_bytes(32, "big")),
        }


def _key_id(key: ec.EllipticCurvePublicKey) -> str:
    der = key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return _encoded(hashlib.sha256(der).digest())


def _encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()
