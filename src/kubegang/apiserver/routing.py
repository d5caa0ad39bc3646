"""From a path and a method to a handler: one route for every resource.

Starlette would try one regular expression after another; with hundreds of resource paths
that is slow, so this route takes every path below a version and looks things up in tables.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

from kubegang.api.scheme import ResourceInfo, Subresource
from kubegang.apimachinery.errors import not_found
from kubegang.apiserver.authn import Identity
from kubegang.apiserver.authorization.attributes import TARGET
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.errors import method_not_allowed, unknown_resource
from kubegang.apiserver.handlers.binding import bind
from kubegang.apiserver.handlers.create import create
from kubegang.apiserver.handlers.delete import delete
from kubegang.apiserver.handlers.deletecollection import delete_collection
from kubegang.apiserver.handlers.eviction import evict
from kubegang.apiserver.handlers.get import get
from kubegang.apiserver.handlers.list import list_or_watch
from kubegang.apiserver.handlers.patch import patch
from kubegang.apiserver.handlers.podstreams import connect, log, unsupported
from kubegang.apiserver.handlers.scale import get_scale, patch_scale, update_scale
from kubegang.apiserver.handlers.update import update
from kubegang.apiserver.middleware import answer_with
from kubegang.apiserver.options import check_timeout
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.responses import page_not_found
from kubegang.apiserver.reviews import Reviews
from kubegang.apiserver.serviceaccounts.requesting import request_token
from kubegang.apiserver.targets import Target, parse_target

Handler = Callable[[Backend, ApiRequest], Awaitable[ASGIApp]]

_COLLECTION: dict[str, tuple[str, Handler]] = {
    "GET": ("list", list_or_watch),
    "POST": ("create", create),
    "DELETE": ("deletecollection", delete_collection),
}

_OBJECT: dict[str, tuple[str, Handler]] = {
    "GET": ("get", get),
    "PUT": ("update", update),
    "PATCH": ("patch", patch),
    "DELETE": ("delete", delete),
}

_SUBRESOURCE_VERBS = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch"}

# Parts that are read and written like the object itself are not listed.
_SUBRESOURCES: dict[tuple[str, str], Handler] = {
    ("binding", "create"): bind,
    ("eviction", "create"): evict,
    ("log", "get"): log,
    ("ephemeralcontainers", "update"): unsupported,
    ("ephemeralcontainers", "patch"): unsupported,
    ("resize", "update"): unsupported,
    ("resize", "patch"): unsupported,
    ("scale", "get"): get_scale,
    ("scale", "patch"): patch_scale,
    ("scale", "update"): update_scale,
    ("token", "create"): request_token,
    **{
        (name, verb): connect
        for name in ("attach", "exec", "portforward")
        for verb in ("get", "create")
    },
}


class ResourceRoute(BaseRoute):
    """Serves every path below ``/api/VERSION/`` and ``/apis/GROUP/VERSION/``."""

    def __init__(self, backend: Backend, reviews: Reviews) -> None:
        self._backend = backend
        self._reviews = reviews

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Take a request whose path names a resource."""
        if scope["type"] != "http":
            return Match.NONE, {}
        target = scope.get(TARGET) or parse_target(scope["path"])
        if target is None:
            return Match.NONE, {}
        return Match.FULL, {TARGET: target}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find the handler and let it answer."""
        target: Target = scope[TARGET]
        await answer_with(lambda: self._serve(scope, receive, target), scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, target: Target) -> ASGIApp:
        scheme = self._backend.scheme
        if not scheme.has_group(target.group):
            return page_not_found()
        info = scheme.find(target.group, target.version, target.resource)
        if info is None or not _exists(target, info):
            if info is not None and info.custom is not None and target.subresource:
                raise not_found(info.group_resource, target.name)
            if info is None and scheme.is_custom_group(target.group):
                return page_not_found()
            raise unknown_resource()
        verb, handler = find_handler(scope["method"], target, info)
        if self._reviews.answers(info.kind):
            handler = self._reviews.create
        identity: Identity = scope["kubegang.identity"]
        request = ApiRequest(
            scope,
            receive,
            identity=identity,
            target=target,
            info=info,
            storage=scheme.storage(info),
            verb=verb,
        )
        scope["kubegang.request"] = request
        if request.query:
            check_timeout(request)
        return await handler(self._backend, request)


def find_handler(method: str, target: Target, info: ResourceInfo) -> tuple[str, Handler]:
    """Return verb and handler of a request for a path that exists.

    Raises:
        MethodNotAllowedError: what is at this path does not have this verb.
    """
    if target.subresource:
        return _find_for_subresource(method, target, info)
    if target.watch and method == "GET":
        return "watch", list_or_watch
    found = (_OBJECT if target.name else _COLLECTION).get(method)
    if found is None or found[0] not in info.verbs:
        raise method_not_allowed()
    if method != "GET" and info.namespaced and not target.namespace:
        # All namespaces together can only be read.
        raise method_not_allowed()
    if info.kind == "Binding":
        return found[0], bind
    return found


def _find_for_subresource(method: str, target: Target, info: ResourceInfo) -> tuple[str, Handler]:
    subresource = _subresource(target, info)
    verb = _SUBRESOURCE_VERBS.get(method)
    if subresource is None or verb is None or verb not in subresource.verbs:
        raise method_not_allowed()
    special = _SUBRESOURCES.get((subresource.name, verb))
    return verb, special or _OBJECT[method][1]


def _exists(target: Target, info: ResourceInfo) -> bool:
    """Return whether a path leads somewhere: right scope, known subresource, nothing below it."""
    if target.too_deep or (target.subresource and _subresource(target, info) is None):
        return False
    if info.namespaced:
        return bool(target.namespace) or not target.name
    return not target.namespace or info.plural == "namespaces"


def _subresource(target: Target, info: ResourceInfo) -> Subresource | None:
    return next((one for one in info.subresources if one.name == target.subresource), None)
