"""What a request asks permission for, read from its path, method and query alone.

As kube-apiserver's request information: whether the resource exists does not matter yet.
"""

from __future__ import annotations

import msgspec
from starlette.types import Scope

from kubegang.apimachinery.objects import GroupResource
from kubegang.apiserver.requests import parse_query
from kubegang.apiserver.targets import Target, parse_target

TARGET = "kubegang.target"
"""The key in the scope of what a path means."""

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch"}
_FALSE_WORDS = ("", "0", "false")


class Attributes(msgspec.Struct, frozen=True):
    """One question: may somebody do this?

    Attributes:
        path: of a request that is about no resource; empty otherwise.
    """

    verb: str
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""

    @property
    def whole_resource(self) -> str:
        """The resource with its subresource, as rules name them."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource

    @property
    def group_resource(self) -> GroupResource:
        """The resource as error texts name it."""
        return GroupResource(self.group, self.resource)


def attributes_of(scope: Scope) -> Attributes:
    """Return what a request asks permission for."""
    path, method = scope["path"], scope["method"]
    target: Target | None = scope.get(TARGET) or parse_target(path)
    # Routing needs the same: parsed once for both.
    scope[TARGET] = target
    if target is None:
        return Attributes(method.lower(), path=path)
    return Attributes(
        _verb(scope, method, target),
        group=target.group,
        version=target.version,
        resource=target.resource,
        subresource=target.subresource,
        namespace=target.namespace,
        name=target.name,
    )


def _verb(scope: Scope, method: str, target: Target) -> str:
    if method in ("GET", "HEAD"):
        if target.watch:
            return "watch"
        if target.name:
            return "get"
        return "watch" if b"watch" in scope["query_string"] and _watches(scope) else "list"
    if method == "DELETE":
        return "delete" if target.name else "deletecollection"
    return _VERBS.get(method, "")


def _watches(scope: Scope) -> bool:
    return parse_query(scope).get("watch", ["0"])[0].lower() not in _FALSE_WORDS
