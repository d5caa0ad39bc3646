"""Patches: JSON patch, merge patch, strategic merge patch, and server-side apply.

The first three make a new object from the stored one and go on as an update. Apply brings
what one manager wants to say; what is stored then follows from all managers' claims.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.types import ASGIApp

from kubegang.api.customresources.metadata import CoercionError
from kubegang.api.customresources.rows import custom_of
from kubegang.apimachinery.decoding import MalformedBodyError, decode_yaml, strict_problems
from kubegang.apimachinery.errors import BadRequestError, NotFoundError
from kubegang.apimachinery.gotext import go_plain
from kubegang.apimachinery.jsonpatch import json_patch
from kubegang.apimachinery.managedfields import apply
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.patch import invalid_patch, merge_patch, opened_by, patched_text
from kubegang.apimachinery.patchbodies import (
    decode_json_patch,
    decode_merge_patch,
    decode_strategic_merge_patch,
)
from kubegang.apimachinery.strategicmerge import strategic_merge_patch
from kubegang.apimachinery.typecheck import conversion_problem, fits
from kubegang.apimachinery.unknownfields import prune, unknown_fields
from kubegang.apiserver.access import confirm_may_create
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.bodies import WrongObjectError, check_kind, conform, name_kind
from kubegang.apiserver.creating import create_object
from kubegang.apiserver.customresources.decoding import (
    by_name,
    conform_custom,
    no_strategic_merge,
    with_whole_numbers,
)
from kubegang.apiserver.handlers.create import write_of
from kubegang.apiserver.negotiation import patch_type
from kubegang.apiserver.options import FieldValidation, write_options
from kubegang.apiserver.rendering import object_answer, representation_of
from kubegang.apiserver.requests import ApiRequest
from kubegang.apiserver.updating import Change, update_object
from kubegang.apiserver.writing import Write, check_name


async def patch(backend: Backend, request: ApiRequest) -> ASGIApp:
    """Patch the object in the path, or create it if an apply finds none."""
    representation_of(request)
    kind = patch_type(request.header(b"content-type"))
    if kind == "strategic" and request.info.custom is not None:
        raise no_strategic_merge()
    options = write_options(request, "PatchOptions", apply=kind == "apply")
    body = await request.body()
    write = write_of(request, options)
    if kind == "apply":
        return await _apply(backend, request, write, body)
    change = change_of(backend, request, body, kind=kind, validation=options.field_validation)
    value = await update_object(backend, write, change)
    return object_answer(backend, request, value)


def change_of(
    backend: Backend,
    request: ApiRequest,
    body: bytes,
    *,
    kind: str,
    validation: FieldValidation,
) -> Change:
    """Return what a patch that is no apply does to an object of the request's kind.

    Raises:
        BadRequestError: the patch cannot be decoded.
    """
    changes: dict[str, Callable[[], Change]] = {
        "json": lambda: _json_change(backend, request, body, validation),
        "merge": lambda: _merge_change(backend, request, body, validation),
        "strategic": lambda: _strategic_change(backend, request, body, validation),
    }
    return changes[kind]()


def _json_change(
    backend: Backend, request: ApiRequest, body: bytes, validation: FieldValidation
) -> Change:
    _, complaints = decode_json_patch(body)

    def change(old: JsonObject) -> JsonObject:
        # Decoded anew each time: the result shares parts with the patch and is changed later.
        operations, _ = decode_json_patch(body)
        patched = json_patch(old, operations)
        return _conform(
            backend, request, patched, validation, complaints, touched=opened_by(operations)
        )

    return change


def _merge_change(
    backend: Backend, request: ApiRequest, body: bytes, validation: FieldValidation
) -> Change:
    _, repeated = decode_merge_patch(body)
    complaints = strict_problems([], repeated)

    def change(old: JsonObject) -> JsonObject:
        asked, _ = decode_merge_patch(body)
        patched = merge_patch(old, asked)
        return _conform(backend, request, patched, validation, complaints, touched=asked)

    return change


def _conform(
    backend: Backend,
    request: ApiRequest,
    patched: JsonObject,
    validation: FieldValidation,
    complaints: list[str],
    *,
    touched: JsonObject,
) -> JsonObject:
    """Check what a JSON or merge patch has made, as if it had come as a body."""
    custom = custom_of(request.info)
    shown = patched_text(patched if custom is None else by_name(patched), touched)
    try:
        if custom is not None:
            request.warn_anew()
            return conform_custom(request, patched, custom, validation, complaints)
        found = name_kind(patched, request.info.gvk)
        check_kind(backend, found, request.info.gvk)
        request.warn_anew()
        return conform(
            patched,
            backend.schema(request.info),
            validation=validation,
            repeated=complaints,
            warnings=request.warnings,
            from_patch=True,
        )
    except (WrongObjectError, CoercionError) as error:
        raise invalid_patch(shown, str(error)) from error


def _strategic_change(
    backend: Backend, request: ApiRequest, body: bytes, validation: FieldValidation
) -> Change:
    schema, info = backend.schema(request.info), request.info
    _, repeated = decode_strategic_merge_patch(body)

    def change(old: JsonObject) -> JsonObject:
        asked, _ = decode_strategic_merge_patch(body)
        shown = go_plain(asked)
        patched = strategic_merge_patch(old, asked, schema)
        problem = None if fits(patched, schema) else conversion_problem(patched, schema)
        if problem:
            raise invalid_patch(shown, problem)
        complaints = strict_problems(sorted(unknown_fields(patched, schema)), repeated)
        if complaints and validation == "Strict":
            raise invalid_patch(shown, "strict decoding error: " + ", ".join(complaints))
        request.warn_anew()
        if validation == "Warn":
            request.warnings += complaints
        patched.update(kind=info.kind, apiVersion=str(info.group_version))
        return prune(patched, schema)

    return change


async def _apply(backend: Backend, request: ApiRequest, write: Write, body: bytes) -> ASGIApp:
    """Apply, or create: whichever comes first when others do the same."""

    def change(old: JsonObject | None) -> JsonObject:
        applied = decode_applied(body, request, write)
        return apply(
            old,
            applied,
            schema=backend.schema(request.info),
            manager=write.options.manager,
            api_version=str(request.info.group_version),
            subresource=write.subresource,
            force=write.options.force,
            now=backend.now(),
        )

    try:
        value = await update_object(backend, write, change, managed=True)
    except NotFoundError:
        if write.subresource:
            raise
        confirm_may_create(backend, request)
        value = await create_object(backend, write, _new(change(None), write), managed=True)
        return object_answer(backend, request, value, 201)
    return object_answer(backend, request, value)


def _new(obj: JsonObject, write: Write) -> JsonObject:
    """Prepare an applied object for its creation: it may not mean one that existed."""
    metadata = obj["metadata"]
    if uid := metadata.get("uid"):
        raise write.conflict(
            f"uid mismatch: the provided object specified uid {uid}, and no existing object "
            "was found"
        )
    return {**obj, "metadata": {**metadata, "resourceVersion": ""}}


def decode_applied(body: bytes, request: ApiRequest, write: Write) -> JsonObject:
    """Decode the configuration that a manager applies; it must name its kind itself."""
    try:
        obj, _ = decode_yaml(body)
    except MalformedBodyError as error:
        raise BadRequestError(_undecodable(error)) from error
    found = _kind_of(obj)
    if found != request.info.gvk:
        raise BadRequestError(
            f"invalid object type: {found.group}/{found.version}, Kind={found.kind}"
        )
    if not isinstance(obj.get("metadata"), dict):
        obj["metadata"] = {}
    check_name(obj, write)
    return obj if custom_of(request.info) is None else dict(with_whole_numbers(obj))


def _kind_of(obj: JsonObject) -> GroupVersionKind:
    version: Any = obj.get("apiVersion")
    kind: Any = obj.get("kind")
    if isinstance(version, str) and isinstance(kind, str):
        return GroupVersionKind.of(obj)
    return GroupVersionKind("", "", "")


def _undecodable(error: MalformedBodyError) -> str:
    text = str(error)
    if text.startswith("yaml:"):
        return f"error encoding patch: {text}"
    return "error decoding patch: error unmarshaling JSON: while decoding JSON: " + text.replace(
        _TYPE_META_TARGET, "map[string]interface {}"
    )


_TYPE_META_TARGET = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
    'Kind string "json:\\"kind,omitempty\\"" }'
)
