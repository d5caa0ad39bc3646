"""Discovery: which groups, versions and resources are served, in every form clients ask for.

Old clients walk ``/api``, ``/apis`` and one document per group version; newer ones accept one
aggregated list for each of the two roots (``apidiscovery.k8s.io/v2``; its beta form is gone
from the releases served here). The documents are made once from each scheme. ``/version`` and
the list of paths at ``/`` belong here too.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Callable, Iterable

import msgspec
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from kubegang.api.scheme import ResourceInfo, Scheme
from kubegang.apimachinery.errors import ApiError
from kubegang.apimachinery.objects import GroupVersion, JsonObject
from kubegang.apiserver.catalog import Catalog
from kubegang.apiserver.discovery_documents import (
    aggregated_list,
    api_group,
    api_group_list,
    api_resource_list,
    api_versions,
)
from kubegang.apiserver.errors import method_not_allowed, unknown_resource
from kubegang.apiserver.negotiation import YAML, negotiate
from kubegang.apiserver.requests import header
from kubegang.apiserver.responses import Answer, error_answer, json_answer, page_not_found
from kubegang.apiserver.yamlform import document_as_yaml

AGGREGATED_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

_AGGREGATED_PARAMETERS = {"g=apidiscovery.k8s.io", "v=v2", "as=apigroupdiscoverylist"}
_OTHER_PATHS = ("/healthz", "/livez", "/metrics", "/metrics/slis", "/openapi/v3", "/readyz")
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


def discovery_routes(catalog: Catalog, *, git_version: str) -> list[Route]:
    """Return the routes of all discovery documents, with and without a trailing slash.

    What they lead to follows the catalog: documents are made anew when it has changed.
    """
    documents = _Documents(catalog, git_version=git_version)
    paths = ("/", "/version", "/version/", "/api", "/apis", "/api/{rest:path}", "/apis/{rest:path}")
    return [Route(path, documents) for path in paths]


class _Documents:
    """Every discovery document of what is served now, by its path."""

    def __init__(self, catalog: Catalog, *, git_version: str) -> None:
        self._catalog = catalog
        self._git_version = git_version
        self._scheme: Scheme | None = None
        self._apps: dict[str, ASGIApp] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._find(scope["path"])(scope, receive, send)

    def _find(self, path: str) -> ASGIApp:
        scheme = self._catalog.scheme
        if scheme is not self._scheme:
            self._apps = discovery_documents(scheme, git_version=self._git_version)
            self._scheme = scheme
        path = path.rstrip("/") or "/"
        found = self._apps.get(path)
        if found is not None:
            return found
        parent = path.rpartition("/")[0]
        # Another version of what is served is an unknown resource, all else just a wrong path.
        known = parent in self._apps and parent not in ("", "/apis", "/version")
        return error_answer(unknown_resource()) if known else page_not_found()


def discovery_documents(scheme: Scheme, *, git_version: str) -> dict[str, ASGIApp]:
    """Return all discovery documents of some resources by their paths."""
    groups = _by_group(scheme.resources())
    core = groups.pop("", [])
    documents: dict[str, ASGIApp] = {
        "/version": _Document(version_info(git_version)),
        "/api": _Root(_Versions(core), aggregated_list({"": core})),
        "/apis": _Root(_Document(api_group_list(groups)), aggregated_list(groups)),
    }
    for group, rows in {"": core, **groups}.items():
        prefix = f"/apis/{group}" if group else "/api"
        if group:
            documents[prefix] = _Document(api_group(group, rows))
        for version in dict.fromkeys(row.version for row in rows):
            served = [row for row in rows if row.version == version]
            resources = api_resource_list(GroupVersion(group, version), served)
            documents[f"{prefix}/{version}"] = _Document(resources)
    paths = [path for path in documents if path != "/version"]
    documents["/"] = _Document({"paths": sorted((*paths, *_OTHER_PATHS, "/version"))})
    return documents


def _by_group(rows: Iterable[ResourceInfo]) -> dict[str, list[ResourceInfo]]:
    groups: dict[str, list[ResourceInfo]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    return groups


def version_info(git_version: str) -> JsonObject:
    """Return the document at ``/version``; clients read the numbers and ``gitVersion``."""
    major, minor = git_version.removeprefix("v").split(".")[:2]
    machine = platform.machine()
    return {
        "major": major,
        "minor": minor,
        "emulationMajor": major,
        "emulationMinor": minor,
        "minCompatibilityMajor": major,
        "minCompatibilityMinor": str(int(minor) - 1),
        "gitVersion": git_version,
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": f"python{platform.python_version()}",
        "compiler": sys.implementation.name,
        "platform": f"{sys.platform}/{_MACHINES.get(machine, machine)}",
    }


class _Document:
    """A document that is always the same."""

    def __init__(self, document: JsonObject) -> None:
        self._json = json_answer(document)
        self._document = document

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await _answer(scope, self._make)(scope, receive, send)

    def _make(self, accept: str) -> ASGIApp:
        return _encoded(self._document) if negotiate(accept).media_type == YAML else self._json


class _Versions:
    """The core group's versions, which also tell the address that the client has reached."""

    def __init__(self, rows: list[ResourceInfo]) -> None:
        self._rows = rows

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host, port = scope["server"] or ("127.0.0.1", None)
        address = f"{host}:{port}" if port else host
        await _Document(api_versions(self._rows, address))(scope, receive, send)


class _Root:
    """A root of the API: plain, or aggregated for clients that accept that first.

    The aggregated list has an ETag, so that clients with a cache are spared its body.
    """

    def __init__(self, plain: ASGIApp, aggregated: JsonObject) -> None:
        self._plain = plain
        self._body = msgspec.json.encode(aggregated)
        self._etag = f'"{hashlib.sha512(self._body).hexdigest().upper()}"'

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in _READING or not _accepts_aggregated(header(scope, b"accept")):
            await self._plain(scope, receive, send)
            return
        known = header(scope, b"if-none-match") == self._etag
        response = Response(
            b"" if known else self._body,
            304 if known else 200,
            {"cache-control": "public", "etag": self._etag, "vary": "Accept"},
            None if known else AGGREGATED_TYPE,
        )
        await response(scope, receive, send)


_READING = ("GET", "HEAD")


def _answer(scope: Scope, make: Callable[[str], ASGIApp]) -> ASGIApp:
    """Return what ``make`` makes of the Accept header, or why it cannot be."""
    if scope["method"] not in _READING:
        return error_answer(method_not_allowed())
    try:
        return make(header(scope, b"accept"))
    except ApiError as error:
        return error_answer(error)


def _encoded(document: JsonObject) -> Answer:
    return Answer(document_as_yaml(document), content_type=YAML)


def _accepts_aggregated(accept: str) -> bool:
    """Return whether the aggregated form is accepted; it goes before the plain one."""
    return any(
        {part.strip().lower() for part in clause.split(";")[1:]} >= _AGGREGATED_PARAMETERS
        for clause in accept.split(",")
    )
