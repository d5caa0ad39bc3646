"""Who is asking: a client certificate, a bearer token, or nobody.

A client certificate was checked by TLS already; its subject is found in the ASGI scope, where
the protocol class (``protocol.py``) or the in-process transport put it. Without any
credential the caller is ``system:anonymous``, who may only read version and health.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from starlette.types import Scope

from kubegang.apiserver.errors import unauthorized

IDENTITY_EXTENSION = "kubegang.identity"
"""The key in ``scope["extensions"]`` under which a verified subject is found."""

OPEN_PATHS = ("/version", "/healthz", "/livez", "/readyz")
"""What anonymous may read (measured on 1.37.2)."""


class Identity(msgspec.Struct, frozen=True):
    """A user and the groups the user is in."""

    user: str
    groups: tuple[str, ...] = ()

    @property
    def anonymous(self) -> bool:
        """Whether no credential was given."""
        return self.user == "system:anonymous"


ANONYMOUS = Identity("system:anonymous", ("system:unauthenticated",))


class Authenticator:
    """Turns the credentials of a request into an identity."""

    def __init__(self, tokens: Mapping[str, Identity]) -> None:
        """Take the table of bearer tokens."""
        self._tokens = dict(tokens)

    def identify(self, scope: Scope) -> Identity:
        """Return who sent the request.

        Raises:
            UnauthorizedError: a token was sent, and it is wrong.
        """
        subject = scope.get("extensions", {}).get(IDENTITY_EXTENSION)
        if subject is not None:
            return _authenticated(Identity(subject["user"], tuple(subject["groups"])))
        token = _bearer_token(scope)
        if token is None:
            return ANONYMOUS
        identity = self._tokens.get(token)
        if identity is None:
            raise unauthorized()
        return _authenticated(identity)


def is_open(path: str) -> bool:
    """Return whether anonymous may read the path."""
    return path.rstrip("/") in OPEN_PATHS or path.startswith(("/livez/", "/readyz/", "/healthz/"))


def _authenticated(identity: Identity) -> Identity:
    return Identity(identity.user, (*identity.groups, "system:authenticated"))


def _bearer_token(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"authorization":
            kind, _, token = value.decode("latin-1").partition(" ")
            return token.strip() if kind.lower() == "bearer" and token.strip() else None
    return None
