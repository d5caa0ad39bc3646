"""Bodies of custom resources: decoded without a typed structure, shaped by their schema.

Texts are those of upstream's decoder for unstructured objects (measured on 1.37.2), which
needs to be told kind and version, where typed kinds may leave them out.
"""

from __future__ import annotations

from typing import Any

from kubegang.api.customresources.kind import CustomKind
from kubegang.api.customresources.metadata import CoercionError
from kubegang.apimachinery.decoding import (
    MalformedBodyError,
    decode_json,
    decode_yaml,
    strict_problems,
    strict_yaml_problem,
    unrecognized_body,
)
from kubegang.apimachinery.errors import BadRequestError, UnsupportedMediaTypeError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.negotiation import PROTOBUF, YAML, body_media_type
from kubegang.apiserver.options import FieldValidation
from kubegang.apiserver.requests import ApiRequest

_UNREADABLE = "couldn't get version/kind; json parse error: "


def decode_custom(
    request: ApiRequest, body: bytes, kind: CustomKind, validation: FieldValidation
) -> JsonObject:
    """Decode a body into a pruned object of a custom kind.

    Raises:
        UnsupportedMediaTypeError: the body is in no form that is understood.
        BadRequestError: it cannot be decoded, or is of another version.
    """
    obj, repeated = _decode(request, body, kind.gvk.kind)
    _check_type_meta(obj, body, kind)
    found = obj["kind"]
    if found != kind.gvk.kind:
        # Another kind passes unshaped; validation says what it must be.
        obj["metadata"] = obj["metadata"] if isinstance(obj.get("metadata"), dict) else {}
        return obj
    version = kind.gvk.version
    prefix = f'{found} in version "{version}" cannot be handled as a {kind.gvk.kind}: '
    try:
        unknown = kind.shape(obj)
    except CoercionError as error:
        raise BadRequestError(prefix + str(error)) from error
    complaints = [*repeated, *strict_problems(unknown, [])]
    if complaints and validation == "Strict":
        raise BadRequestError(f"{prefix}strict decoding error: " + ", ".join(complaints))
    if validation == "Warn":
        request.warnings += complaints
    obj.setdefault("metadata", {})
    return obj


def _decode(request: ApiRequest, body: bytes, kind: str) -> tuple[JsonObject, list[str]]:
    media_type = body_media_type(request.header(b"content-type"))
    if media_type == PROTOBUF:
        raise UnsupportedMediaTypeError(f"{_KNOWN}application/json, application/yaml")
    try:
        if media_type == YAML:
            obj, lines = decode_yaml(body)
            return obj, [strict_yaml_problem(lines)] if lines else []
        obj, paths = decode_json(body)
    except MalformedBodyError as error:
        raise unrecognized_body(_UNREADABLE + str(error), body, kind) from error
    return obj, strict_problems([], paths)


def _check_type_meta(obj: JsonObject, body: bytes, kind: CustomKind) -> None:
    for name in ("apiVersion", "kind"):
        value = obj.get(name)
        if value is not None and not isinstance(value, str):
            problem = (
                f"{_UNREADABLE}json: cannot unmarshal {_json_word(value)} into Go struct field "
                f".{name} of type string"
            )
            raise unrecognized_body(problem, body, kind.gvk.kind)
    if not obj.get("kind"):
        problem = f"Object 'Kind' is missing in '{body.decode(errors='replace')}'"
        raise unrecognized_body(problem, body, kind.gvk.kind)
    version, found = str(kind.gvk.group_version), obj.get("apiVersion") or ""
    if found != version:
        raise BadRequestError(
            f"the API version in the data ({found}) does not match the expected "
            f"API version ({version})"
        )


def _json_word(value: object) -> str:
    words = {bool: "bool", dict: "object", list: "array"}
    return words.get(type(value), "number")


def conform_custom(
    request: ApiRequest,
    obj: JsonObject,
    kind: CustomKind,
    validation: FieldValidation,
    repeated: list[str],
) -> JsonObject:
    """Shape what a patch has made, as if it had come as a body.

    Raises:
        CoercionError: a value has the wrong type, or strict validation found a complaint.
    """
    if obj.get("kind") != kind.gvk.kind:
        return obj
    unknown = kind.shape(obj)
    complaints = [*repeated, *strict_problems(unknown, [])]
    if complaints and validation == "Strict":
        raise CoercionError("strict decoding error: " + ", ".join(complaints))
    if validation == "Warn":
        request.warnings += complaints
    return obj


def by_name(obj: JsonObject) -> JsonObject:
    """Return an object with all members by name, as upstream writes objects without a type."""
    ordered: JsonObject = _by_name(obj)
    return ordered


def _by_name(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _by_name(value[name]) for name in sorted(value)}
    return [_by_name(one) for one in value] if isinstance(value, list) else value


def no_strategic_merge() -> UnsupportedMediaTypeError:
    """Return the 415 for the one kind of patch that needs a structure compiled in."""
    return UnsupportedMediaTypeError(_KNOWN + ", ".join(_PATCHES))


_KNOWN = "the body of the request was in an unknown format - accepted media types include: "
_PATCHES = (
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/apply-patch+yaml",
)


def with_whole_numbers(value: Any) -> Any:
    """Return an applied value as YAML's way through JSON leaves it: 4.0 is the number 4."""
    if isinstance(value, dict):
        return {name: with_whole_numbers(one) for name, one in value.items()}
    if isinstance(value, list):
        return [with_whole_numbers(one) for one in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**63:
        return int(value)
    return value
