"""Reviews: questions about identity and rights, answered and not stored.

``kubectl auth can-i`` and ``auth whoami`` ask them, and so do components that serve requests
of their own. Whoever is authenticated may do everything here, so most answers are yes; the
rules about what may be asked, and their texts, are those of kube-apiserver (measured on
1.37.2).
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from starlette.types import ASGIApp

from kubegang.apimachinery.errors import BadRequestError, UnauthorizedError
from kubegang.apimachinery.field import FieldError, Path, invalid_object, invalid_value
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.authn import ANONYMOUS, Authenticator, Identity
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.bodies import decode_object
from kubegang.apiserver.options import write_options
from kubegang.apiserver.rendering import finish, representation_of
from kubegang.apiserver.requests import ApiRequest

AUTHORIZATION_GROUP = "authorization.k8s.io"
AUDIENCE = "https://kubernetes.default.svc"
"""Whom tokens are meant for unless they say otherwise."""

_EVERYTHING: JsonObject = {
    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    "incomplete": False,
}


class Reviews:
    """Answers every kind of review."""

    def __init__(self, authenticator: Authenticator) -> None:
        self._authenticator = authenticator
        self._answers: dict[str, Callable[[JsonObject, ApiRequest], JsonObject]] = {
            "LocalSubjectAccessReview": _local_access,
            "SelfSubjectAccessReview": _own_access,
            "SelfSubjectReview": _own_identity,
            "SelfSubjectRulesReview": _own_rules,
            "SubjectAccessReview": _access,
            "TokenReview": self._token,
        }

    def answers(self, kind: str) -> bool:
        """Return whether a kind is a review."""
        return kind in self._answers

    async def create(self, backend: Backend, request: ApiRequest) -> ASGIApp:
        """Answer the review in the body: it comes back with its status filled in."""
        representation = representation_of(request)
        options = write_options(request, "CreateOptions")
        body = await request.body()
        obj = decode_object(backend, request, body, options.field_validation)
        if request.info.kind == "SelfSubjectReview":
            obj["metadata"]["creationTimestamp"] = backend.now()
        status = self._answers[request.info.kind](obj, request)
        answer = {
            "kind": obj["kind"],
            "apiVersion": obj["apiVersion"],
            "metadata": obj["metadata"],
            **({"spec": obj["spec"]} if "spec" in obj else {}),
            "status": status,
        }
        return finish(request, msgspec.json.encode(answer), representation, status=201)

    def _token(self, review: JsonObject, _: ApiRequest) -> JsonObject:
        """Say whose token it is."""
        spec = review.get("spec") or {}
        token, wanted = spec.get("token"), spec.get("audiences")
        if not token:
            raise BadRequestError("token is required for TokenReview in authentication")
        credentials = {"headers": [(b"authorization", f"Bearer {token}".encode())]}
        try:
            identity = self._authenticator.identify(credentials)
        except UnauthorizedError:
            identity = ANONYMOUS
        if identity.anonymous or (wanted and AUDIENCE not in wanted):
            return {"user": {}, "error": "invalid bearer token"}
        return {"authenticated": True, "user": _user_info(identity), "audiences": [AUDIENCE]}


def _user_info(identity: Identity) -> JsonObject:
    return {"username": identity.user, "groups": list(identity.groups)}


def _own_identity(_: JsonObject, request: ApiRequest) -> JsonObject:
    return {"userInfo": _user_info(request.identity)}


def _own_rules(review: JsonObject, _: ApiRequest) -> JsonObject:
    if not (review.get("spec") or {}).get("namespace"):
        raise BadRequestError("no namespace on request")
    review["spec"] = {}
    return _EVERYTHING


def _own_access(review: JsonObject, request: ApiRequest) -> JsonObject:
    _refuse(_metadata_errors(review) + _attribute_errors(review))
    return {"allowed": not request.identity.anonymous}


def _access(review: JsonObject, _: ApiRequest) -> JsonObject:
    _refuse(_metadata_errors(review) + _attribute_errors(review) + _subject_errors(review))
    return _decision(review)


def _local_access(review: JsonObject, request: ApiRequest) -> JsonObject:
    attributes = (review.get("spec") or {}).get("resourceAttributes") or {}
    namespace = attributes.get("namespace", "")
    errors = _attribute_errors(review) + _subject_errors(review)
    if namespace != request.namespace:
        path = Path("spec").child("resourceAttributes", "namespace")
        errors.append(invalid_value(path, namespace, "must match metadata.namespace"))
    _refuse(errors)
    return _decision(review)


def _decision(review: JsonObject) -> JsonObject:
    """Allow everybody who could have been authenticated."""
    return {"allowed": review["spec"].get("user") != ANONYMOUS.user}


def _refuse(errors: list[FieldError]) -> None:
    if errors:
        # Upstream leaves the kind out of these, so the text begins with a dot.
        raise invalid_object(AUTHORIZATION_GROUP, "", "", errors)


def _metadata_errors(review: JsonObject) -> list[FieldError]:
    metadata = review["metadata"]
    return [invalid_value(Path("metadata"), metadata, "must be empty")] if metadata else []


def _attribute_errors(review: JsonObject) -> list[FieldError]:
    """Exactly one of the two kinds of attributes must be there."""
    spec = review.get("spec") or {}
    paths = spec.get("nonResourceAttributes")
    if (spec.get("resourceAttributes") is None) != (paths is None):
        return []
    # The value is shown as Go spells the members of the internal type.
    shown = None if paths is None else {"Path": paths.get("path"), "Verb": paths.get("verb")}
    why = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
    return [invalid_value(Path("spec"), shown, why)]


def _subject_errors(review: JsonObject) -> list[FieldError]:
    spec = review.get("spec") or {}
    if spec.get("user") or spec.get("groups"):
        return []
    why = "at least one of user or group must be specified"
    return [invalid_value(Path("spec").child("user"), "", why)]
