"""OpenAPI: v3 as an index and one document per group version, and v2 as a single one.

kubectl asks for the index, then for the documents that it needs by their hash, and keeps them
for ever: a document under its hash never changes. Without them ``create``, ``apply`` and
``explain`` do not work. All are made when first asked for and kept as bytes.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import msgspec
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from kubegang.api.facts import Facts
from kubegang.api.scheme import ResourceInfo, Scheme
from kubegang.apimachinery.objects import GroupVersion, JsonObject
from kubegang.apiserver.catalog import Catalog
from kubegang.apiserver.customresources.schemas import LIST_META, OBJECT_META, custom_schemas
from kubegang.apiserver.errors import method_not_allowed
from kubegang.apiserver.openapi_paths import paths_of
from kubegang.apiserver.openapi_schemas import (
    OPTIONS,
    PATCH,
    RESOURCE_LIST,
    STATUS,
    WATCH_EVENT,
    Descriptions,
    SchemaCollector,
    reference,
)
from kubegang.apiserver.openapi_v2 import PROTOBUF_TYPE, document_v2, encode_v2
from kubegang.apiserver.requests import header, parse_query
from kubegang.apiserver.responses import JSON, TEXT, error_answer

_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_VERSION_INFO = "io.k8s.apimachinery.pkg.version.Info"
_SHARED = (OPTIONS, PATCH, RESOURCE_LIST, STATUS, WATCH_EVENT)
_PREFIX = "/openapi/v3"


def openapi_routes(
    catalog: Catalog, facts: Facts, *, descriptions: Descriptions, git_version: str
) -> list[Route]:
    """Return the routes of the index and of all documents; nothing is made yet."""
    documents = OpenApiDocuments(catalog, facts, descriptions=descriptions, git_version=git_version)
    return [
        Route(_PREFIX, _Reading(lambda _: _index(documents))),
        Route(f"{_PREFIX}/{{path:path}}", _Reading(lambda scope: _document(documents, scope))),
        Route("/openapi/v2", _Reading(lambda scope: _document_v2(documents, scope))),
    ]


class Document(NamedTuple):
    """A document's bytes and what they hash to."""

    body: bytes
    hash: str


class OpenApiDocuments:
    """Every document by its path below the root, such as ``apis/batch/v1``.

    A document is made once for the rows that it describes; where custom resources come and go,
    only the documents of their group versions are made anew.
    """

    def __init__(
        self, catalog: Catalog, facts: Facts, *, descriptions: Descriptions, git_version: str
    ) -> None:
        self._catalog = catalog
        self._facts = facts
        self._descriptions = descriptions
        self._version = ".".join(git_version.removeprefix("v").split(".")[:2])
        self._made: dict[str, tuple[Sequence[ResourceInfo], Document]] = {}
        self._by_path: tuple[Scheme, dict[str, Document]] | None = None
        self._version_2: tuple[Scheme, tuple[Document, Document]] | None = None

    @property
    def by_path(self) -> dict[str, Document]:
        """All documents, sorted by path."""
        scheme = self._catalog.scheme
        if self._by_path is None or self._by_path[0] is not scheme:
            self._by_path = scheme, dict(sorted(self._collected(scheme).items()))
        return self._by_path[1]

    @property
    def version_2(self) -> tuple[Document, Document]:
        """All definitions in one document: as JSON, and as protobuf."""
        scheme = self._catalog.scheme
        if self._version_2 is None or self._version_2[0] is not scheme:
            rows = scheme.resources()
            wanted = [name for row in rows for name in _definitions(row)]
            collector = SchemaCollector(self._facts, self._descriptions, GroupVersion("", "v1"))
            schemas = {**collector.collect((*_SHARED, *wanted)), **custom_schemas(rows, older=True)}
            document = document_v2(schemas, version=self._version)
            self._version_2 = scheme, (_encoded(document), _hashed(encode_v2(document)))
        return self._version_2[1]

    def _collected(self, scheme: Scheme) -> dict[str, Document]:
        by_version: dict[GroupVersion, list[ResourceInfo]] = {}
        for row in scheme.resources():
            by_version.setdefault(row.group_version, []).append(row)
        made = {
            "version": self._kept("version", (), self._version_document),
            "api": self._kept("api", (), self._api_document),
            "apis": self._kept("apis", (), self._apis_document),
        }
        for group_version, rows in by_version.items():
            if (group := group_version.group) and not all(row.custom for row in rows):
                path = f"apis/{group}"
                made[path] = self._kept(path, (), partial(self._group, group))
            path = f"{'apis/' if group else 'api/'}{group_version}"
            made[path] = self._kept(path, rows, partial(self._resources, group_version, rows))
        self._made = {path: self._made[path] for path in made}
        return made

    def _kept(
        self, path: str, rows: Sequence[ResourceInfo], make: Callable[[], JsonObject]
    ) -> Document:
        """Return the document of a path as made before, unless its rows are others now."""
        known = self._made.get(path)
        if known is not None and _identical(known[0], rows):
            return known[1]
        document = _encoded(make())
        self._made[path] = rows, document
        return document

    def _version_document(self) -> JsonObject:
        return self._small("version", "getCodeVersion", _VERSION_INFO)

    def _api_document(self) -> JsonObject:
        return self._small("api", "getCoreAPIVersions", f"{_META}.APIVersions")

    def _apis_document(self) -> JsonObject:
        return self._small("apis", "getAPIVersions", f"{_META}.APIGroupList")

    def _resources(self, group_version: GroupVersion, rows: list[ResourceInfo]) -> JsonObject:
        paths = paths_of(group_version, rows)
        wanted = [name for row in rows for name in _definitions(row)]
        shared = [name for name in _SHARED if not (rows[0].custom and name == RESOURCE_LIST)]
        collector = SchemaCollector(self._facts, self._descriptions, group_version)
        custom = custom_schemas(rows)
        wanted += [LIST_META, OBJECT_META] if custom else []
        schemas = collector.collect((*shared, *wanted, *_references(paths)))
        return self._content(paths, dict(sorted({**schemas, **custom}.items())))

    def _group(self, group: str) -> JsonObject:
        name = "".join(word.capitalize() for word in group.removesuffix(".k8s.io").split("."))
        return self._small(f"apis/{group}", f"get{name}APIGroup", f"{_META}.APIGroup")

    def _small(self, path: str, operation: str, definition: str) -> JsonObject:
        """Return the document of a path that has one operation."""
        content = {JSON: {"schema": reference(definition)}}
        answers = {
            "200": {"description": "OK", "content": content},
            "401": {"description": "Unauthorized"},
        }
        tag = path.rpartition("/")[2]
        get = {"tags": [tag], "operationId": operation, "responses": answers}
        collector = SchemaCollector(self._facts, self._descriptions, GroupVersion("", "v1"))
        return self._content({f"/{path}/": {"get": get}}, collector.collect([definition]))

    def _content(self, paths: JsonObject, schemas: dict[str, JsonObject]) -> JsonObject:
        return {
            "openapi": "3.0.0",
            "info": {"title": "Kubernetes", "version": self._version},
            "paths": paths,
            "components": {
                "schemas": schemas,
                "securitySchemes": {
                    "BearerToken": {
                        "type": "apiKey",
                        "description": "Bearer token",
                        "name": "authorization",
                        "in": "header",
                    }
                },
            },
        }


def _identical(left: Sequence[ResourceInfo], right: Sequence[ResourceInfo]) -> bool:
    return len(left) == len(right) and all(map(operator.is_, left, right))


def _encoded(content: JsonObject) -> Document:
    return _hashed(msgspec.json.encode(content))


def _hashed(body: bytes) -> Document:
    return Document(body, hashlib.sha512(body).hexdigest().upper())


def _definitions(row: ResourceInfo) -> tuple[str, str]:
    """Return a kind and its list."""
    return row.definition, f"{row.definition}List"


def _references(paths: JsonObject) -> list[str]:
    """Return the definitions of bodies that differ from their resource, as Eviction does."""
    return [
        content["schema"]["$ref"].rpartition("/")[2]
        for path in paths.values()
        for method, operation in path.items()
        if method != "parameters"
        for content in operation.get("requestBody", {}).get("content", {}).values()
    ]


class _Reading:
    """An endpoint that can only be read."""

    def __init__(self, answer: Callable[[Scope], ASGIApp]) -> None:
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in ("GET", "HEAD"):
            await self._answer(scope)(scope, receive, send)
        else:
            await error_answer(method_not_allowed())(scope, receive, send)


def _index(documents: OpenApiDocuments) -> Response:
    paths = {
        path: {"serverRelativeURL": f"{_PREFIX}/{path}?hash={document.hash}"}
        for path, document in documents.by_path.items()
    }
    # Plain text, as the real server has it, although it is JSON.
    return Response(msgspec.json.encode({"paths": paths}), media_type=TEXT)


def _document(documents: OpenApiDocuments, scope: Scope) -> Response:
    path = scope["path_params"]["path"]
    document = documents.by_path.get(path)
    if document is None:
        return Response(status_code=404)
    asked = parse_query(scope).get("hash", [""])[0]
    headers = {"etag": f'"{document.hash}"', "vary": "Accept"}
    if asked and asked != document.hash:
        headers["location"] = f"{_PREFIX}/{path}?hash={document.hash}"
        return Response(status_code=301, headers=headers)
    headers["cache-control"] = "public, immutable" if asked else "no-cache, private"
    return Response(document.body, headers=headers, media_type=JSON)


def _document_v2(documents: OpenApiDocuments, scope: Scope) -> Response:
    as_json, as_protobuf = documents.version_2
    # Clients name the type with an at sign where answers have a dot.
    wants_protobuf = "openapi.spec.v2@v1.0+protobuf" in header(scope, b"accept")
    document = as_protobuf if wants_protobuf else as_json
    headers = {"etag": f'"{document.hash}"', "vary": "Accept", "cache-control": "no-cache, private"}
    media_type = PROTOBUF_TYPE if wants_protobuf else JSON
    return Response(document.body, headers=headers, media_type=media_type)
