"""The bodies of patches: from bytes to what is to be done, and how a wrong body is refused.

Texts are those of the real API server (measured on 1.37.2). Pure.
"""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.decoding import (
    MalformedBodyError,
    NotAnObjectError,
    decode_json_value,
)
from kubegang.apimachinery.errors import BadRequestError, RequestEntityTooLargeError
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.objects import JsonObject

MAX_JSON_PATCH_OPERATIONS = 10_000

_OPERATION_MEMBERS = frozenset({"op", "path", "from", "value"})


def decode_json_patch(body: bytes) -> tuple[list[JsonObject], list[str]]:
    """Decode the operations of a JSON patch.

    Returns:
        The operations, and what strict decoding complains about: unknown and repeated members.

    Raises:
        BadRequestError: the body is not a list of operations.
        RequestEntityTooLargeError: there are too many of them.
    """
    value, duplicates = _decode(body)
    if value is None:
        return [], []
    if not isinstance(value, list):
        raise _undecodable(NotAnObjectError(value), "[]handlers.jsonPatchOp", value)
    for operation in value:
        _check_operation(operation)
    if len(value) > MAX_JSON_PATCH_OPERATIONS:
        raise RequestEntityTooLargeError(
            "Request entity too large: The allowed maximum operations in a JSON patch is "
            f"{MAX_JSON_PATCH_OPERATIONS}, got {len(value)}"
        )
    operations = [operation or {} for operation in value]
    problems = [
        f"json patch unknown field {go_quote(f'[{position}].{name}')}"
        for position, operation in enumerate(operations)
        for name in operation
        if name not in _OPERATION_MEMBERS
    ]
    problems += [f"json patch duplicate field {go_quote(path)}" for path in duplicates]
    return operations, problems


def decode_merge_patch(body: bytes) -> tuple[JsonObject, list[str]]:
    """Decode a JSON merge patch, and name the fields that occur twice.

    Raises:
        BadRequestError: the body is not an object.
    """
    value, duplicates = _decode(body)
    if value is None:
        raise BadRequestError("Invalid JSON Patch")
    if not isinstance(value, dict):
        raise _undecodable(NotAnObjectError(value), "map[string]interface {}", value)
    return value, duplicates


def decode_strategic_merge_patch(body: bytes) -> tuple[JsonObject, list[str]]:
    """Decode a strategic merge patch, and name the fields that occur twice.

    Raises:
        BadRequestError: the body is not an object.
    """
    value, duplicates = _decode(body)
    if value is None:
        return {}, []
    if not isinstance(value, dict):
        problem = NotAnObjectError(value).unmarshal_problem("map[string]interface {}")
        raise BadRequestError(problem)
    return value, duplicates


def _decode(body: bytes) -> tuple[Any, list[str]]:
    try:
        return decode_json_value(body)
    except MalformedBodyError as error:
        raise BadRequestError("invalid JSON patch") from error


def _undecodable(error: NotAnObjectError, target: str, value: Any) -> BadRequestError:
    if isinstance(value, dict):
        problem = f"json: cannot unmarshal object into Go value of type {target}"
    else:
        problem = error.unmarshal_problem(target)
    return BadRequestError(f"error decoding patch: {problem}")


def _check_operation(operation: Any) -> None:
    if operation is None:
        return
    if not isinstance(operation, dict):
        raise _undecodable(NotAnObjectError(operation), "handlers.jsonPatchOp", operation)
    for name in ("op", "path", "from"):
        value = operation.get(name)
        if value is not None and not isinstance(value, str):
            found = "object" if isinstance(value, dict) else NotAnObjectError(value).found
            where = f"jsonPatchOp.{name} of type string"
            raise BadRequestError(
                f"error decoding patch: json: cannot unmarshal {found} into Go struct field {where}"
            )
