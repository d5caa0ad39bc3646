"""Giving out tokens: the ``token`` subresource of service accounts.

The rules about what may be asked for, and their texts, are kube-apiserver's (measured on
1.37.2).
"""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.types import ASGIApp

from kubegang.apimachinery.errors import BadRequestError, ConflictError, conflict, not_found
from kubegang.apimachinery.field import FieldError, Path, invalid_object, invalid_value
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.objects import GroupResource, GroupVersionKind, JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.apiserver import codec
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.bodies import decode_as
from kubegang.apiserver.chance import new_uid
from kubegang.apiserver.negotiation import PLAIN
from kubegang.apiserver.options import write_options
from kubegang.apiserver.rendering import finish
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.serviceaccounts.claims import AccountClaims, Reference
from kubegang.apiserver.serviceaccounts.reading import ISSUER

KIND = GroupVersionKind("authentication.k8s.io", "v1", "TokenRequest")

_DEFAULT_SECONDS = 3600
_LEAST_SECONDS = 600
_MOST_SECONDS = 1 << 32
_EXPIRATION = Path("spec").child("expirationSeconds")


async def request_token(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Give out a token for the account in the path."""
    options = write_options(request, "CreateOptions")
    body = await request.body()
    asked = decode_as(backend, request, body, wanted=KIND, validation=options.field_validation)
    _place(asked, request)
    _complete(asked)
    account = _stored(backend, "serviceaccounts", request.namespace, request.name)
    if account is None:
        raise _account_missing(backend, request)
    _check_name(asked, request.name)
    _check_seconds(asked)
    claims = AccountClaims(
        namespace=request.namespace,
        account=Reference(request.name, account["metadata"]["uid"]),
        bound=_bound(backend, request, asked),
        token_id=new_uid(backend.rng),
    )
    answer = _answer(backend, asked, claims)
    return finish(request, msgspec.json.encode(answer), PLAIN, status=201)


def _answer(backend: Backend, asked: JsonObject, claims: AccountClaims) -> JsonObject:
    spec, now = asked["spec"], int(backend.clock.now())
    seconds = spec["expirationSeconds"]
    said = claims.to_claims(issuer=ISSUER, audiences=spec["audiences"], now=now, seconds=seconds)
    asked["metadata"] |= {
        "name": claims.account.name,
        "namespace": claims.namespace,
        "uid": claims.account.uid,
        "creationTimestamp": backend.now(),
    }
    return {
        "kind": KIND.kind,
        "apiVersion": f"{KIND.group}/{KIND.version}",
        "metadata": asked["metadata"],
        "spec": spec,
        "status": {
            "token": backend.signing_key.sign(said),
            "expirationTimestamp": format_time(now + seconds),
        },
    }


def _place(asked: JsonObject, request: ApiRequest) -> None:
    metadata = asked["metadata"]
    if metadata.get("namespace", "") not in ("", request.namespace):
        raise BadRequestError(
            "the namespace of the provided object does not match the namespace sent on the request"
        )


def _complete(asked: JsonObject) -> None:
    """Fill in audience, time and, as upstream's form always has it, the bound object."""
    spec = asked.get("spec") or {}
    asked["spec"] = {
        "audiences": spec.get("audiences") or [ISSUER],
        "expirationSeconds": spec.get("expirationSeconds") or _DEFAULT_SECONDS,
        "boundObjectRef": spec.get("boundObjectRef"),
    }


def _check_name(asked: JsonObject, account: str) -> None:
    name = asked["metadata"].get("name") or account
    if name != account:
        why = "must match the service account name if specified"
        error = invalid_value(Path("metadata").child("name"), name, why)
        raise invalid_object(KIND.group, KIND.kind, account, [error])


def _check_seconds(asked: JsonObject) -> None:
    seconds = asked["spec"]["expirationSeconds"]
    errors: list[FieldError] = []
    if seconds < _LEAST_SECONDS:
        why = "may not specify a duration less than 10 minutes"
        errors.append(invalid_value(_EXPIRATION, seconds, why))
    if seconds > _MOST_SECONDS:
        why = "may not specify a duration larger than 2^32 seconds"
        errors.append(invalid_value(_EXPIRATION, seconds, why))
    if errors:
        raise invalid_object(KIND.group, KIND.kind, "", errors)


def _bound(backend: Backend, request: ApiRequest, asked: JsonObject) -> dict[str, Reference]:
    """Return the object to which the token is to be bound, and the node of a pod."""
    reference = asked["spec"]["boundObjectRef"]
    if reference is None:
        return {}
    kind, name = reference.get("kind", ""), reference.get("name", "")
    if kind not in ("Pod", "Secret", "Node"):
        version = reference.get("apiVersion", "")
        shown = f"{version if '/' in version else f'/{version}'}, Kind={kind}"
        raise BadRequestError(f"cannot bind token to object of type {shown}")
    if not name:
        raise BadRequestError("Name parameter required.")
    plural = f"{kind.lower()}s"
    found = _stored(backend, plural, "" if kind == "Node" else request.namespace, name)
    if found is None:
        raise not_found(GroupResource("", plural), name)
    uid = found["metadata"]["uid"]
    if reference.get("uid") and reference["uid"] != uid:
        raise _other_object(kind, name, reference["uid"])
    bound = {kind.lower(): Reference(name, uid)}
    if kind == "Pod":
        _check_pod(found, request.name)
        bound |= _node_of(backend, found)
    return bound


def _check_pod(pod: JsonObject, account: str) -> None:
    if (pod["spec"].get("serviceAccountName") or "") != account:
        raise BadRequestError(
            f"cannot bind token for serviceaccount {go_quote(account)} to pod running with "
            "different serviceaccount name."
        )


def _node_of(backend: Backend, pod: JsonObject) -> dict[str, Reference]:
    name = pod["spec"].get("nodeName")
    if not name:
        return {}
    node = _stored(backend, "nodes", "", name)
    return {"node": Reference(name, "" if node is None else node["metadata"]["uid"])}


def _other_object(kind: str, name: str, uid: str) -> ConflictError:
    return conflict(
        GroupResource("", kind),
        name,
        f"the UID in the bound object reference ({uid}) does not match the UID in record. "
        "The object might have been deleted and then recreated",
    )


def _account_missing(backend: Backend, request: ApiRequest) -> Exception:
    if _stored(backend, "namespaces", "", request.namespace) is None:
        return not_found(GroupResource("", "namespaces"), request.namespace)
    return not_found(request.group_resource, request.name)


def _stored(backend: Backend, plural: str, namespace: str, name: str) -> Any:
    place = f"{namespace}/{name}" if namespace else name
    item = backend.store.get(f"/core/{plural}/{place}")
    return None if item is None else codec.decode(item.value)
