"""Stored objects in the form that a client asked for: as they are, as a table, or just metadata.

Plain JSON is made of stored bytes; everything else decodes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

import msgspec

from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.errors import BadRequestError, NotAcceptableError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver import conversion
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.negotiation import JSON, YAML, Representation, negotiate
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.responses import Answer, warning_headers
from kubegang.apiserver.table import IncludeObject, partial_object, render_table
from kubegang.apiserver.yamlform import as_yaml

_BROWSERS = ("curl/", "Wget/", "Mozilla/5.0")
"""Programs behind which a person is: they get their JSON indented, as upstream does it."""

_ENCODE = msgspec.json.Encoder().encode


def representation_of(request: ApiRequest, *, listed: bool = False) -> Representation:
    """Return the form in which a request wants its answer: one object, or a list of them.

    Asked before anything is written, so that no write is answered with a refusal.

    Raises:
        NotAcceptableError: it can only be had in others.
        BadRequestError: the rows of a table are to carry something unknown.
    """
    representation = negotiate(request.header(b"accept"))
    info = request.info
    if representation.shape == "metadata" and listed:
        raise _wrong_shape(info, "PartialObjectMetadata", "a list", info.list_kind)
    if representation.shape == "metadata-list" and not listed:
        raise _wrong_shape(info, "PartialObjectMetadataList", "not a list", info.kind)
    if representation.shape == "table":
        include_object(request)
    return representation


def object_answer(backend: Backend, request: ApiRequest, value: bytes, status: int = 200) -> Answer:
    """Answer with one stored object."""
    representation = representation_of(request)
    if representation.shape == "object":
        body = conversion.object_bytes(value, request.info)
    else:
        obj = conversion.from_stored(value, request.info)
        body = _ENCODE(shaped(backend, request, obj, representation))
    return finish(request, body, representation, status=status)


def list_answer(
    backend: Backend, request: ApiRequest, values: Sequence[bytes], list_meta: JsonObject
) -> Answer:
    """Answer with a list of stored objects."""
    representation = representation_of(request, listed=True)
    info, version = request.info, representation.version
    if representation.shape == "object":
        items = conversion.items_bytes(values, info)
        return finish(request, list_body(info, list_meta, items), representation)
    objects = [conversion.from_stored(value, info) for value in values]
    if representation.shape == "table":
        document = _table(backend, request, objects, list_meta=list_meta, version=version)
    else:
        document = {
            "kind": "PartialObjectMetadataList",
            "apiVersion": f"meta.k8s.io/{version}",
            "metadata": list_meta,
            "items": [partial_object(obj, version=version) for obj in objects],
        }
    return finish(request, _ENCODE(document), representation)


def list_body(info: ResourceInfo, list_meta: JsonObject, items: bytes) -> bytes:
    """Put the items of a list into its JSON."""
    head = {"kind": info.list_kind, "apiVersion": str(info.group_version), "metadata": list_meta}
    return b'%b,"items":[%b]}' % (_ENCODE(head)[:-1], items)


def shaped(
    backend: Backend,
    request: ApiRequest,
    obj: JsonObject,
    representation: Representation,
    *,
    with_columns: bool = True,
) -> JsonObject:
    """Return one object of the request's version in another shape."""
    if representation.shape == "metadata":
        return partial_object(obj, version=representation.version)
    metadata = {"resourceVersion": obj["metadata"].get("resourceVersion", "")}
    return render_table(
        request.info,
        [obj],
        list_meta=metadata,
        include_object=include_object(request),
        now=backend.clock.now(),
        rules=backend.tables,
        version=representation.version,
        listed=False,
        with_columns=with_columns,
    )


def include_object(request: ApiRequest) -> IncludeObject:
    """Return how much of each object a table's rows carry.

    Raises:
        BadRequestError: the client asked for something else.
    """
    text = request.option("includeObject") or "Metadata"
    if text not in ("None", "Metadata", "Object"):
        raise BadRequestError(f'unrecognized includeObject value: "{text}"')
    return cast(Literal["None", "Metadata", "Object"], text)


def finish(
    request: ApiRequest, body: bytes, representation: Representation, *, status: int = 200
) -> Answer:
    """Make the answer: JSON, indented for people, or YAML; with the warnings so far."""
    content_type = JSON
    if representation.media_type == YAML:
        body, content_type = as_yaml(body), YAML
    elif wants_indented(request):
        body = msgspec.json.format(body, indent=2)
    headers = warning_headers(request.warnings) if request.warnings else ()
    return Answer(body, status, content_type=content_type, headers=headers)


def wants_indented(request: ApiRequest) -> bool:
    """Return whether a person reads the answer."""
    if request.query and "pretty" in request.query:
        return request.flag("pretty")
    return request.header(b"user-agent").startswith(_BROWSERS)


def _table(
    backend: Backend,
    request: ApiRequest,
    objects: Sequence[JsonObject],
    *,
    list_meta: JsonObject,
    version: str,
) -> JsonObject:
    return render_table(
        request.info,
        objects,
        list_meta=list_meta,
        include_object=include_object(request),
        now=backend.clock.now(),
        rules=backend.tables,
        version=version,
    )


def _wrong_shape(info: ResourceInfo, asked: str, found: str, kind: str) -> NotAcceptableError:
    package = info.stored_as.group.partition(".")[0] or "core"
    return NotAcceptableError(
        f"you requested {asked}, but the requested object is {found} (*{package}.{kind})"
    )
