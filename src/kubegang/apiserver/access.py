"""The layer that says who is asking, as whom they act, and whether they may.

In upstream's order: credentials, then impersonation, then authorization. What may not be done
is refused before it is looked whether it exists.
"""

from __future__ import annotations

import msgspec
from starlette.types import ASGIApp, Receive, Scope, Send

from kubegang.apimachinery.errors import ApiError
from kubegang.apiserver.authn import Authenticator
from kubegang.apiserver.authorization.attributes import attributes_of
from kubegang.apiserver.authorization.authorizer import MASTERS, Authorizer, Decision, refusal
from kubegang.apiserver.authorization.impersonation import Impersonation
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.responses import error_answer

SENDER = "kubegang.sender"
"""The key in the scope of who really sent the request, for the audit log."""


DECISION = "kubegang.decision"
"""The key in the scope of what authorization said, for the same."""

MASTERS_DECISION = Decision(allowed=True)


class AccessControl:
    """Passes on what may be asked, with the identity of whoever asks."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        authenticator: Authenticator,
        authorizer: Authorizer,
        impersonation: Impersonation,
    ) -> None:
        self._app = app
        self._authenticator = authenticator
        self._authorizer = authorizer
        self._impersonation = impersonation

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its identity, or refuse it."""
        if scope["type"] == "http":
            try:
                self._admit(scope)
            except ApiError as error:
                await error_answer(error)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _admit(self, scope: Scope) -> None:
        sender = self._authenticator.identify(scope)
        scope[SENDER] = sender
        identity = self._impersonation.identity(scope, sender)
        scope["kubegang.identity"] = identity
        scope[DECISION] = MASTERS_DECISION
        if MASTERS not in identity.groups:
            asked = attributes_of(scope)
            decision = scope[DECISION] = self._authorizer.decide(identity, asked)
            if not decision.allowed:
                raise refusal(identity, asked, decision.reason)


def confirm_may_create(backend: Backend, request: ApiRequest) -> None:
    """Refuse a PUT or an apply that would create, by somebody who may only change.

    Raises:
        ForbiddenError: they may not create.
    """
    identity = request.identity
    asked = msgspec.structs.replace(attributes_of(request.scope), verb="create")
    decision = backend.authorizer.decide(identity, asked)
    if not decision.allowed:
        raise refusal(identity, asked, decision.reason)
