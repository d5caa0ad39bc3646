"""What a service account token says: from objects to claims, and from claims to an identity.

Two forms: tokens that were asked for, bound to an audience, a time and perhaps an object; and
those of Secrets, which last until their Secret goes (the claims are Kubernetes').
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kubegang.apiserver.authn import CREDENTIAL_ID, Identity

PRIVATE = "kubernetes.io"
LEGACY_ISSUER = "kubernetes/serviceaccount"
_LEGACY = "kubernetes.io/serviceaccount/"
_EXTRA = "authentication.kubernetes.io/"


class Reference(msgspec.Struct, frozen=True):
    """An object that a token names."""

    name: str
    uid: str = ""


class AccountClaims(msgspec.Struct, frozen=True, kw_only=True):
    """What a token says about whom.

    Attributes:
        bound: the objects without which the token is worth nothing, by kind.
        secret: of a token from a Secret: that Secret's name.
    """

    namespace: str
    account: Reference
    bound: Mapping[str, Reference] = {}
    token_id: str = ""
    secret: str = ""

    def identity(self) -> Identity:
        """Return who bears the token."""
        extra: dict[str, tuple[str, ...]] = {}
        if self.token_id:
            extra[CREDENTIAL_ID] = (f"JTI={self.token_id}",)
        for kind in ("node", "pod"):
            reference = self.bound.get(kind)
            if reference is not None:
                extra[f"{_EXTRA}{kind}-name"] = (reference.name,)
                if reference.uid:
                    extra[f"{_EXTRA}{kind}-uid"] = (reference.uid,)
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{self.namespace}")
        return Identity(self.user, groups, uid=self.account.uid, extra=extra)

    @property
    def user(self) -> str:
        """The account as a user."""
        return f"system:serviceaccount:{self.namespace}:{self.account.name}"

    def to_claims(
        self, *, issuer: str, audiences: Sequence[str], now: int, seconds: int
    ) -> dict[str, Any]:
        """Return the claims of a token that was asked for."""
        private: dict[str, Any] = {
            "namespace": self.namespace,
            "serviceaccount": msgspec.to_builtins(self.account),
        }
        for kind, reference in self.bound.items():
            private[kind] = {
                name: value for name, value in msgspec.to_builtins(reference).items() if value
            }
        return {
            "aud": list(audiences),
            "exp": now + seconds,
            "iat": now,
            "iss": issuer,
            "jti": self.token_id,
            PRIVATE: dict(sorted(private.items())),
            "nbf": now,
            "sub": self.user,
        }


def read_claims(claims: Mapping[str, Any]) -> AccountClaims:
    """Return what a token that was asked for says.

    Raises:
        ValueError: claims are missing or of another form.
    """
    private = claims.get(PRIVATE)
    try:
        parts = msgspec.convert(private, _Private)
        token_id = msgspec.convert(claims.get("jti") or "", str)
    except msgspec.ValidationError as error:
        raise ValueError(f"could not parse claims: {error}") from error
    named = {"pod": parts.pod, "secret": parts.secret, "node": parts.node}
    return AccountClaims(
        namespace=parts.namespace,
        account=parts.serviceaccount,
        bound={kind: one for kind, one in named.items() if one is not None},
        token_id=token_id,
    )


def read_legacy_claims(claims: Mapping[str, Any]) -> AccountClaims:
    """Return what a token from a Secret says.

    Raises:
        ValueError: claims are missing or of another form.
    """
    names = ("namespace", "service-account.name", "service-account.uid", "secret.name")
    values = [claims.get(f"{_LEGACY}{name}") for name in names]
    if not all(isinstance(value, str) and value for value in values):
        raise ValueError("could not parse claims: a name is missing")
    namespace, name, uid, secret = map(str, values)
    return AccountClaims(namespace=namespace, account=Reference(name, uid), secret=secret)


class _Private(msgspec.Struct, frozen=True):
    namespace: str
    serviceaccount: Reference
    pod: Reference | None = None
    secret: Reference | None = None
    node: Reference | None = None
