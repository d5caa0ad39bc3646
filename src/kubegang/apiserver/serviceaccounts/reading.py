"""Whose a service account token is, and whether it is still worth anything.

The account, and the object to which a token is bound, must exist and be the same as when the
token was given out; one that is being deleted counts for a minute more (upstream's rules).
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.signedtokens import SigningKey, TokenError
from kubegang.apimachinery.times import parse_time
from kubegang.apiserver.authn import DEFAULT_AUDIENCE, BadTokenError, Owner
from kubegang.apiserver.serviceaccounts.claims import (
    LEGACY_ISSUER,
    AccountClaims,
    Reference,
    read_claims,
    read_legacy_claims,
)
from kubegang.base.clock import Clock
from kubegang.store.interface import Store

ISSUER = DEFAULT_AUDIENCE
_LEEWAY_SECONDS = 60
_MOST_REMEMBERED = 1000
_INVALIDATED = "service account token has been invalidated"


class ServiceAccountTokens:
    """Reads tokens that the cluster's key signed."""

    def __init__(self, key: SigningKey, store: Store, clock: Clock) -> None:
        self._key = key
        self._store = store
        self._clock = clock
        # Checking a signature takes longer than anything else about a request.
        self._read: dict[str, dict[str, Any]] = {}

    def owner(self, token: str, audiences: Sequence[str]) -> Owner | None:
        """Return whose token it is, ``None`` if it is no service account's.

        Raises:
            BadTokenError: it is one, and not valid.
        """
        if token.count(".") != 2:
            return None
        try:
            claims = self._claims(token)
        except TokenError as error:
            raise BadTokenError(str(error)) from error
        try:
            if claims.get("iss") == LEGACY_ISSUER:
                return self._legacy(claims, token, audiences)
            return self._bound(claims, audiences)
        except ValueError as error:
            raise BadTokenError(str(error)) from error

    def _claims(self, token: str) -> dict[str, Any]:
        claims = self._read.get(token)
        if claims is None:
            claims = self._key.read(token)
            if len(self._read) >= _MOST_REMEMBERED:
                self._read.clear()
            self._read[token] = claims
        return claims

    def _bound(self, claims: Mapping[str, Any], audiences: Sequence[str]) -> Owner | None:
        if claims.get("iss") != ISSUER:
            return None
        meant = _shared(_audiences(claims), audiences)
        self._check_times(claims)
        said = read_claims(claims)
        self._check_account(said)
        for kind, reference in said.bound.items():
            if kind == "node" and "pod" in said.bound:
                # Only says where the pod runs.
                continue
            self._check_bound(kind, reference, said)
        return Owner(said.identity(), meant)

    def _legacy(
        self, claims: Mapping[str, Any], token: str, audiences: Sequence[str]
    ) -> Owner | None:
        meant = _shared((DEFAULT_AUDIENCE,), audiences)
        said = read_legacy_claims(claims)
        self._check_account(said)
        secret = self._object(f"/core/secrets/{said.namespace}/{said.secret}")
        if secret is None or "deletionTimestamp" in secret["metadata"]:
            raise ValueError(_INVALIDATED)
        if _decoded((secret.get("data") or {}).get("token", "")) != token:
            raise ValueError(_INVALIDATED)
        return Owner(said.identity(), meant)

    def _check_times(self, claims: Mapping[str, Any]) -> None:
        now = self._clock.now()
        expires, begins = claims.get("exp"), claims.get("nbf")
        if isinstance(expires, int) and now > expires + _LEEWAY_SECONDS:
            raise ValueError("service account token has expired")
        if isinstance(begins, int) and now < begins - _LEEWAY_SECONDS:
            raise ValueError("service account token is not valid yet")

    def _check_account(self, said: AccountClaims) -> None:
        account = self._object(f"/core/serviceaccounts/{said.namespace}/{said.account.name}")
        if account is None:
            raise ValueError(f"serviceaccounts {go_quote(said.account.name)} not found")
        if self._gone(account):
            raise ValueError("service account has been deleted")
        uid = account["metadata"]["uid"]
        if uid != said.account.uid:
            raise ValueError(
                f"service account UID ({uid}) does not match claim ({said.account.uid})"
            )

    def _check_bound(self, kind: str, reference: Reference, said: AccountClaims) -> None:
        place = reference.name if kind == "node" else f"{said.namespace}/{reference.name}"
        found = self._object(f"/core/{kind}s/{place}")
        if found is None or self._gone(found):
            raise ValueError(_INVALIDATED)
        uid = found["metadata"]["uid"]
        if uid != reference.uid:
            raise ValueError(
                f"{kind} UID ({uid}) does not match service account {kind} ref claim "
                f"({reference.uid})"
            )

    def _object(self, key: str) -> Any:
        item = self._store.get(key)
        return None if item is None else msgspec.json.decode(item.value)

    def _gone(self, obj: Mapping[str, Any]) -> bool:
        deleted = obj["metadata"].get("deletionTimestamp")
        return bool(deleted) and self._clock.now() > parse_time(deleted) + _LEEWAY_SECONDS


def _audiences(claims: Mapping[str, Any]) -> tuple[str, ...]:
    audiences = claims.get("aud") or ()
    if isinstance(audiences, str):
        return (audiences,)
    return tuple(one for one in audiences if isinstance(one, str))


def _decoded(text: str) -> str:
    return b64decode(text).decode(errors="replace")


def _shared(given: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    targets = wanted or (DEFAULT_AUDIENCE,)
    shared = tuple(one for one in targets if one in given)
    if not shared:
        raise ValueError(
            f"token audiences {_said(given)} is invalid for the target audiences {_said(targets)}"
        )
    return shared


def _said(audiences: Sequence[str]) -> str:
    return f"[{' '.join(go_quote(one) for one in audiences)}]"
