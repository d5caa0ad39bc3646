"""How others can check the cluster's tokens: issuer and keys, as OpenID Connect has it."""

from __future__ import annotations

import msgspec
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp

from kubegang.apimachinery.signedtokens import ALGORITHM, SigningKey
from kubegang.apiserver.responses import Answer
from kubegang.apiserver.serviceaccounts.reading import ISSUER

_KEYS_PATH = "/openid/v1/jwks"


def issuer_routes(key: SigningKey) -> list[Route]:
    """Return the two documents' routes."""
    keys = Answer(
        msgspec.json.encode({"keys": [key.public_form()]}),
        200,
        content_type="application/jwk-set+json",
    )

    async def configuration(request: Request) -> ASGIApp:
        host = request.headers.get("host") or "kubernetes.default.svc"
        document = {
            "issuer": ISSUER,
            "jwks_uri": f"https://{host}{_KEYS_PATH}",
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [ALGORITHM],
        }
        return Answer(msgspec.json.encode(document), 200, content_type="application/json")

    async def key_set(_request: Request) -> ASGIApp:
        return keys

    return [
        Route("/.well-known/openid-configuration", configuration),
        Route(_KEYS_PATH, key_set),
    ]
