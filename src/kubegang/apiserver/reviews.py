"""Reviews: questions about identity and rights, answered and not stored.

``kubectl auth can-i`` and ``auth whoami`` ask them, and so do components that serve requests
of their own. The rules about what may be asked, and their texts, are those of kube-apiserver
(measured on 1.37.2).
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from starlette.types import ASGIApp

from kubegang.api.identity_rules import NEWEST_IDENTITY_RULES, IdentityRules
from kubegang.apimachinery.errors import BadRequestError
from kubegang.apimachinery.field import FieldError, Path, invalid_object, invalid_value
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.authn import Authenticator, BadTokenError, Identity
from kubegang.apiserver.authorization.attributes import Attributes
from kubegang.apiserver.authorization.authorizer import Authorizer, said_together
from kubegang.apiserver.authorization.rules import PolicyRule
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.bodies import decode_object
from kubegang.apiserver.options import write_options
from kubegang.apiserver.rendering import finish, representation_of
from kubegang.apiserver.requests import ApiRequest

AUTHORIZATION_GROUP = "authorization.k8s.io"


_BAD_TOKEN = "invalid bearer token"


class Reviews:
    """Answers every kind of review."""

    def __init__(
        self,
        authenticator: Authenticator,
        authorizer: Authorizer,
        *,
        rules: IdentityRules = NEWEST_IDENTITY_RULES,
    ) -> None:
        self._authenticator = authenticator
        self._authorizer = authorizer
        self._rules = rules
        self._answers: dict[str, Callable[[JsonObject, ApiRequest], JsonObject]] = {
            "LocalSubjectAccessReview": self._local_access,
            "SelfSubjectAccessReview": self._own_access,
            "SelfSubjectReview": _own_identity,
            "SelfSubjectRulesReview": self._own_rules,
            "SubjectAccessReview": self._access,
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
        try:
            identity, audiences = self._authenticator.owner(token, wanted or ())
        except BadTokenError as error:
            why = str(error)
            said = f"[{_BAD_TOKEN}, {why}]" if why else _BAD_TOKEN
            return {"user": {}, "error": said}
        status = {"authenticated": True, "user": _user_info(identity)}
        return {**status, "audiences": list(audiences)} if audiences else status

    def _own_rules(self, review: JsonObject, request: ApiRequest) -> JsonObject:
        namespace = (review.get("spec") or {}).get("namespace")
        if not namespace:
            raise BadRequestError("no namespace on request")
        review["spec"] = {}
        held = self._authorizer.held(request.identity, namespace)
        status: JsonObject = {
            "resourceRules": [_resource_rule(rule) for rule in held.rules if rule.resources],
            "nonResourceRules": [
                {"verbs": rule.verbs, "nonResourceURLs": rule.non_resource_urls}
                for rule in held.rules
                if rule.non_resource_urls
            ],
            "incomplete": False,
        }
        if held.missing:
            status["evaluationError"] = said_together(list(held.missing))
        return status

    def _own_access(self, review: JsonObject, request: ApiRequest) -> JsonObject:
        _refuse(_metadata_errors(review) + self._attribute_errors(review))
        return self._decision(review, request.identity)

    def _access(self, review: JsonObject, _: ApiRequest) -> JsonObject:
        _refuse(_metadata_errors(review) + self._attribute_errors(review) + _subject_errors(review))
        return self._decision(review, _subject(review["spec"]))

    def _local_access(self, review: JsonObject, request: ApiRequest) -> JsonObject:
        attributes = (review.get("spec") or {}).get("resourceAttributes") or {}
        namespace = attributes.get("namespace", "")
        errors = self._attribute_errors(review) + _subject_errors(review)
        if namespace != request.namespace:
            path = Path("spec").child("resourceAttributes", "namespace")
            errors.append(invalid_value(path, namespace, "must match metadata.namespace"))
        _refuse(errors)
        return self._decision(review, _subject(review["spec"]))

    def _attribute_errors(self, review: JsonObject) -> list[FieldError]:
        error = _attribute_error(review, together=self._rules.tells_attributes_together)
        return [] if error is None else [error]

    def _decision(self, review: JsonObject, identity: Identity) -> JsonObject:
        decision = self._authorizer.decide(identity, _asked(review["spec"]))
        status: JsonObject = {"allowed": decision.allowed}
        if decision.reason:
            status["reason"] = decision.reason
        return status


def _subject(spec: JsonObject) -> Identity:
    extra = {key: tuple(values) for key, values in (spec.get("extra") or {}).items()}
    return Identity(
        spec.get("user") or "",
        tuple(spec.get("groups") or ()),
        uid=spec.get("uid") or "",
        extra=extra,
    )


def _asked(spec: JsonObject) -> Attributes:
    """Return the question of an access review."""
    paths = spec.get("nonResourceAttributes")
    if paths is not None:
        return Attributes(paths.get("verb", ""), path=paths.get("path", ""))
    members = spec["resourceAttributes"]
    names = ("group", "version", "resource", "subresource", "namespace", "name")
    return Attributes(members.get("verb", ""), **{name: members.get(name) or "" for name in names})


def _resource_rule(rule: PolicyRule) -> JsonObject:
    shown = {"verbs": rule.verbs, "apiGroups": rule.api_groups, "resources": rule.resources}
    return {**shown, "resourceNames": rule.resource_names} if rule.resource_names else shown


def _user_info(identity: Identity) -> JsonObject:
    info: JsonObject = {"username": identity.user}
    if identity.uid:
        info["uid"] = identity.uid
    if identity.groups:
        info["groups"] = list(identity.groups)
    if identity.extra:
        info["extra"] = {key: list(values) for key, values in sorted(identity.extra.items())}
    return info


def _own_identity(_: JsonObject, request: ApiRequest) -> JsonObject:
    return {"userInfo": _user_info(request.identity)}


def _refuse(errors: list[FieldError]) -> None:
    if errors:
        # Upstream leaves the kind out of these, so the text begins with a dot.
        raise invalid_object(AUTHORIZATION_GROUP, "", "", errors)


def _metadata_errors(review: JsonObject) -> list[FieldError]:
    metadata = review["metadata"]
    return [invalid_value(Path("metadata"), metadata, "must be empty")] if metadata else []


def _attribute_error(review: JsonObject, *, together: bool) -> FieldError | None:
    """Exactly one of the two kinds of attributes must be there."""
    spec = review.get("spec") or {}
    paths = spec.get("nonResourceAttributes")
    if (spec.get("resourceAttributes") is None) != (paths is None):
        return None
    path = Path("spec")
    why = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
    if paths is None:
        return invalid_value(path if together else path.child("resourceAttributes"), None, why)
    # The value is shown as Go spells the members of the internal type.
    shown = {"Path": paths.get("path"), "Verb": paths.get("verb")}
    if together:
        return invalid_value(path, shown, why)
    why = "cannot be specified in combination with resourceAttributes"
    return invalid_value(path.child("nonResourceAttributes"), shown, why)


def _subject_errors(review: JsonObject) -> list[FieldError]:
    spec = review.get("spec") or {}
    if spec.get("user") or spec.get("groups"):
        return []
    why = "at least one of user or group must be specified"
    return [invalid_value(Path("spec").child("user"), "", why)]
