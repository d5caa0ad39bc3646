"""From the bytes of a body to an object of the kind that the path names.

Decoding, kind, types, unknown fields: in that order, each with upstream's text. What a client
is told about fields that nobody knows depends on ``fieldValidation``.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.customresources.rows import custom_of
from kubegang.apimachinery.decoding import (
    MalformedBodyError,
    NotAnObjectError,
    decode_json,
    decode_yaml,
    strict_problems,
    strict_yaml_problem,
    unrecognized_body,
)
from kubegang.apimachinery.errors import BadRequestError
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.schema import Schema
from kubegang.apimachinery.typecheck import fits, json_type_problem
from kubegang.apimachinery.unknownfields import prune, unknown_fields
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.customresources.decoding import decode_custom
from kubegang.apiserver.negotiation import PROTOBUF, YAML, body_media_type
from kubegang.apiserver.options import FieldValidation
from kubegang.apiserver.protobuf import decode_protobuf
from kubegang.apiserver.requests import ApiRequest

_SCHEME = 'scheme "pkg/runtime/scheme.go:111"'
"""Where upstream looks up kinds; part of a text that clients print."""


_UNREADABLE = "couldn't get version/kind; json parse error: "


class WrongObjectError(Exception):
    """A decoded object that is not what the path takes; the text is the reason alone."""


class UnnamedKindError(WrongObjectError):
    """An object of which not even the kind can be read."""


def decode_object(
    backend: Backend, request: ApiRequest, body: bytes, validation: FieldValidation
) -> JsonObject:
    """Decode a body into a typed, pruned object of the request's kind and version.

    Raises:
        UnsupportedMediaTypeError: the body is in no form that is understood.
        BadRequestError: it cannot be decoded, or is something else.
    """
    info = request.info
    if custom := custom_of(info):
        return decode_custom(request, body, custom, validation)
    return decode_as(backend, request, body, wanted=info.gvk, validation=validation)


def decode_as(
    backend: Backend,
    request: ApiRequest,
    body: bytes,
    *,
    wanted: GroupVersionKind,
    validation: FieldValidation,
) -> JsonObject:
    """Decode a body into a typed, pruned object of a kind that may not be the path's own.

    Raises:
        UnsupportedMediaTypeError: the body is in no form that is understood.
        BadRequestError: it cannot be decoded, or is something else.
    """
    obj, repeated = _decode(request, body, wanted.kind)
    try:
        found = name_kind(obj, wanted)
    except UnnamedKindError as error:
        raise unrecognized_body(str(error), body, wanted.kind) from error
    schema = backend.facts.kind(wanted)
    try:
        check_kind(backend, found, wanted)
        obj = conform(
            obj, schema, validation=validation, repeated=repeated, warnings=request.warnings
        )
    except WrongObjectError as error:
        raise BadRequestError(
            f'{found.kind} in version "{found.version}" cannot be handled as a '
            f"{wanted.kind}: {error}"
        ) from error
    _check_version(found, wanted)
    return obj


def decode_options(request: ApiRequest, body: bytes) -> JsonObject:
    """Decode a body of DeleteOptions, whose texts say nothing of kinds.

    Raises:
        UnsupportedMediaTypeError: the body is in no form that is understood.
        BadRequestError: it cannot be decoded.
    """
    media_type = body_media_type(request.header(b"content-type"))
    if media_type == PROTOBUF:
        return decode_protobuf(body, expected="DeleteOptions")
    try:
        obj, _ = decode_yaml(body) if media_type == YAML else decode_json(body)
        _check_type_meta(obj)
    except MalformedBodyError as error:
        raise BadRequestError(_UNREADABLE + str(error)) from error
    except UnnamedKindError as error:
        raise BadRequestError(str(error)) from error
    return obj


def name_kind(obj: JsonObject, wanted: GroupVersionKind) -> GroupVersionKind:
    """Return what an object says it is; what it leaves open is filled in, in place.

    Raises:
        UnnamedKindError: kind or version is no text.
    """
    _check_type_meta(obj)
    obj["apiVersion"] = obj.get("apiVersion") or str(wanted.group_version)
    obj["kind"] = obj.get("kind") or wanted.kind
    if not isinstance(obj.get("metadata"), dict):
        # A metadata of another type is refused with all the others.
        obj["metadata"] = obj.get("metadata") or {}
    return GroupVersionKind.of(obj)


def check_kind(backend: Backend, found: GroupVersionKind, wanted: GroupVersionKind) -> None:
    """Refuse another kind.

    Raises:
        WrongObjectError: the kind is another one, or one that does not exist.
    """
    if found == wanted or (found.kind == wanted.kind and _is_known(backend, found)):
        return
    if not _is_known(backend, found):
        raise WrongObjectError(
            f'no kind "{found.kind}" is registered for version "{found.group_version}" in {_SCHEME}'
        )
    package = wanted.group.partition(".")[0] or "core"
    raise WrongObjectError(
        f"converting ({found.version}.{found.kind}) to ({package}.{wanted.kind}): "
        "unknown conversion"
    )


def conform(
    obj: JsonObject,
    schema: Schema,
    *,
    validation: FieldValidation,
    repeated: Sequence[str],
    warnings: list[str],
    from_patch: bool = False,
) -> JsonObject:
    """Check the types of an object's values and return it without unknown fields.

    ``repeated`` are complaints that decoding gave rise to already; ``warnings`` takes those
    that are no errors.

    Raises:
        WrongObjectError: a value has the wrong type, or strict validation found a complaint.
    """
    if not fits(obj, schema):
        problem = json_type_problem(obj, schema)
        if problem:
            raise WrongObjectError(problem)
    unknown = unknown_fields(obj, schema)
    if from_patch:
        # What a patch makes is written in the order of names before it is read (upstream).
        unknown = sorted(unknown)
    if (unknown or repeated) and validation != "Ignore":
        complaints = [*strict_problems(unknown, []), *repeated]
        if validation == "Strict":
            raise WrongObjectError("strict decoding error: " + ", ".join(complaints))
        warnings += complaints
    return prune(obj, schema) if unknown else obj


def _decode(request: ApiRequest, body: bytes, kind: str) -> tuple[JsonObject, list[str]]:
    """Decode a body; with it come the complaints about keys that stand twice."""
    media_type = body_media_type(request.header(b"content-type"))
    if media_type == PROTOBUF:
        return decode_protobuf(body, expected=kind), []
    try:
        if media_type == YAML:
            obj, lines = decode_yaml(body)
            return obj, [strict_yaml_problem(lines)] if lines else []
        obj, paths = decode_json(body)
    except MalformedBodyError as error:
        raise unrecognized_body(_UNREADABLE + str(error), body, kind) from error
    return obj, strict_problems([], paths)


def _check_type_meta(obj: JsonObject) -> None:
    for name in ("apiVersion", "kind"):
        value = obj.get(name)
        if value is not None and not isinstance(value, str):
            found = "object" if isinstance(value, dict) else NotAnObjectError(value).found
            raise UnnamedKindError(
                f"{_UNREADABLE}json: cannot unmarshal {found} into Go struct field .{name} "
                "of type string"
            )


# Known everywhere though no table lists them: kubectl's list, and Evictions of old clients.
_ALSO_KNOWN = (
    GroupVersionKind("", "v1", "List"),
    GroupVersionKind("policy", "v1beta1", "Eviction"),
)


def _is_known(backend: Backend, gvk: GroupVersionKind) -> bool:
    return gvk in backend.kinds or gvk in _ALSO_KNOWN


def _check_version(found: GroupVersionKind, wanted: GroupVersionKind) -> None:
    """Refuse the right kind in another version than the path's; Evictions may be older."""
    if found != wanted and wanted.kind != "Eviction":
        raise BadRequestError(
            f"the API version in the data ({found.group_version}) does not match the expected "
            f"API version ({wanted.group_version})"
        )
