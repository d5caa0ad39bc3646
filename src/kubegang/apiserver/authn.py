"""Who is asking: a client certificate, a bearer token, or nobody.

A client certificate was checked by TLS already; its subject is found in the ASGI scope, where
the protocol class (``protocol.py``) or the in-process transport put it. Without any
credential the caller is ``system:anonymous``, who may do what roles give to everybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec
from starlette.types import Scope

from kubegang.apiserver.errors import unauthorized

IDENTITY_EXTENSION = "kubegang.identity"
"""The key in ``scope["extensions"]`` under which a verified subject is found."""

DEFAULT_AUDIENCE = "https://kubernetes.default.svc"
"""Whom tokens are meant for unless they say otherwise."""

AUTHENTICATED = "system:authenticated"
CREDENTIAL_ID = "authentication.kubernetes.io/credential-id"


class Identity(msgspec.Struct, frozen=True):
    """A user, the groups the user is in, and what the credential said beyond that.

    Attributes:
        extra: further facts by key; empty for most.
    """

    user: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: Mapping[str, tuple[str, ...]] = {}

    @property
    def anonymous(self) -> bool:
        """Whether no credential was given."""
        return self.user == "system:anonymous"


ANONYMOUS = Identity("system:anonymous", ("system:unauthenticated",))


class Owner(NamedTuple):
    """Whose token it is.

    Attributes:
        audiences: those of the wanted ones for which the token is meant.
    """

    identity: Identity
    audiences: tuple[str, ...] = ()


class BadTokenError(Exception):
    """A token that is not valid; the text says why, if there is more to say."""


class TokenReader(Protocol):
    """Knows the owners of some kind of token."""

    def owner(self, token: str, audiences: Sequence[str]) -> Owner | None:
        """Return whose token it is, ``None`` if it is not of this kind.

        ``audiences`` are those of which one must be the token's; empty is the server's own.

        Raises:
            BadTokenError: it is of this kind, and not valid.
        """
        ...


class Authenticator:
    """Turns the credentials of a request into an identity."""

    def __init__(
        self,
        tokens: Mapping[str, Identity],
        *,
        audiences: Sequence[str] = (DEFAULT_AUDIENCE,),
    ) -> None:
        """Take the table of bearer tokens.

        ``audiences`` are the server's own names; tokens of the table are meant for those.
        """
        self._tokens = dict(tokens)
        self._readers: list[TokenReader] = []
        self._audiences = tuple(audiences)

    def also_accept(self, reader: TokenReader) -> None:
        """Accept tokens of a further kind."""
        self._readers.append(reader)

    def identify(self, scope: Scope) -> Identity:
        """Return who sent the request.

        Raises:
            UnauthorizedError: a token was sent, and it is wrong.
        """
        subject = scope.get("extensions", {}).get(IDENTITY_EXTENSION)
        if subject is not None:
            return _certified(subject)
        token = _bearer_token(scope)
        if token is None:
            return ANONYMOUS
        try:
            return self.owner(token).identity
        except BadTokenError:
            raise unauthorized() from None

    def owner(self, token: str, audiences: Sequence[str] = ()) -> Owner:
        """Return whose token it is.

        Raises:
            BadTokenError: it is nobody's, or not meant for any of the audiences.
        """
        known = self._tokens.get(token)
        if known is not None:
            meant = tuple(one for one in audiences or self._audiences if one in self._audiences)
            if not meant:
                raise BadTokenError
            return Owner(authenticated(known), meant)
        for reader in self._readers:
            found = reader.owner(token, audiences)
            if found is not None:
                return found._replace(identity=authenticated(found.identity))
        raise BadTokenError


def authenticated(identity: Identity) -> Identity:
    """Return the identity as a member of the group of all who are somebody."""
    if AUTHENTICATED in identity.groups:
        return identity
    return msgspec.structs.replace(identity, groups=(*identity.groups, AUTHENTICATED))


def _certified(subject: Mapping[str, object]) -> Identity:
    groups = subject["groups"]
    extra = {CREDENTIAL_ID: (str(subject["id"]),)} if subject.get("id") else {}
    return authenticated(
        Identity(str(subject["user"]), tuple(groups), extra=extra)  # type: ignore[arg-type]
    )


def _bearer_token(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"authorization":
            kind, _, token = value.decode("latin-1").partition(" ")
            return token.strip() if kind.lower() == "bearer" and token.strip() else None
    return None
