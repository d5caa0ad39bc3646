"""JSON patch (RFC 6902) and JSON merge patch (RFC 7396), as the real API server applies them.

It is more lenient than the RFCs in places, and says one sentence for all failures of a JSON
patch; both are kept (measured on 1.37.2). Strategic merge has a module of its own.

Pure: nothing is changed in place, but a result shares the parts that it has in common with
the document and the patch.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kubegang.apimachinery.decoding import (
    MalformedBodyError,
    NotAnObjectError,
    decode_json_value,
)
from kubegang.apimachinery.errors import (
    BadRequestError,
    InvalidError,
    RequestEntityTooLargeError,
    StatusDetails,
)
from kubegang.apimachinery.field import Path, invalid_object, invalid_value
from kubegang.apimachinery.gotext import go_json, go_quote
from kubegang.apimachinery.objects import JsonObject

MAX_JSON_PATCH_OPERATIONS = 10_000

_OPERATION_MEMBERS = frozenset({"op", "path", "from", "value"})
_INDEX = re.compile(r"[+-]?[0-9]+")


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


def json_patch(doc: JsonObject, ops: list[JsonObject]) -> JsonObject:
    """Apply the operations of a JSON patch, all or none.

    Raises:
        InvalidError: an operation fails, or leaves something that is no object.
    """
    root: Any = doc
    copied = 0
    for operation in ops:
        if operation.get("op") == "copy":
            copied += _size_of_copy(root, operation)
            if copied > _MOST_COPIED_BYTES:
                raise _refused() from None
        root = _applied(root, operation)
    if not isinstance(root, dict):
        problem = f"couldn't get version/kind; json parse error: {NotAnObjectError(root)}"
        raise invalid_patch(go_json(root), problem)
    return root


def merge_patch(doc: JsonObject, patch: JsonObject) -> JsonObject:
    """Apply a JSON merge patch: null removes, objects are merged, all else replaces."""
    result = dict(doc)
    for name, value in patch.items():
        current = doc.get(name)
        if value is None:
            result.pop(name, None)
        elif not isinstance(current, dict):
            result[name] = _without_nulls(value)
        elif isinstance(value, dict):
            result[name] = merge_patch(current, value)
        else:
            result[name] = value
    return result


def patched_text(patched: JsonObject) -> str:
    """Return a patched object as the errors about it quote it."""
    return go_json({name: patched[name] for name in sorted(patched)})


def invalid_patch(patched: str, problem: str) -> InvalidError:
    """Return the 422 for a patch whose result cannot be decoded.

    Args:
        patched: the result as text; for a strategic merge patch, the patch as Go prints it.
        problem: what is wrong with it.
    """
    return invalid_object("", "", "", [invalid_value(Path("patch"), patched, problem)])


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


_MOST_COPIED_BYTES = 3 * 1024 * 1024
"""What all copies of one patch may add, as kube-apiserver limits it: a copy can double."""


class _OperationFailedError(Exception):
    """An operation does not apply; clients get one sentence for all reasons."""


def _applied(root: Any, operation: JsonObject) -> Any:
    try:
        return _operated(root, operation)
    except _OperationFailedError as error:
        raise _refused() from error


def _refused() -> InvalidError:
    message = "the server rejected our request due to an error in our request"
    return InvalidError(message, details=StatusDetails())


def _size_of_copy(root: Any, operation: JsonObject) -> int:
    """Return how many bytes a copy adds, 0 if it cannot be made at all."""
    try:
        return len(go_json(_value_at(root, _member(operation, "from"))))
    except _OperationFailedError:
        return 0


def _operated(root: Any, operation: JsonObject) -> Any:
    match operation.get("op"):
        case "add":
            return _added(root, _member(operation, "path"), operation.get("value"))
        case "remove":
            return _removed(root, _member(operation, "path"))
        case "replace":
            return _replaced(root, _member(operation, "path"), operation.get("value"))
        case "move":
            source = _member(operation, "from")
            value = _value_at(root, source)
            return _added(_removed(root, source), _member(operation, "path"), value)
        case "copy":
            value = _value_at(root, _member(operation, "from"))
            return _added(root, _member(operation, "path"), value)
        case "test":
            return _tested(root, operation)
    raise _OperationFailedError(f"unknown operation {operation.get('op')}")


def _member(operation: JsonObject, name: str) -> str:
    value = operation.get(name)
    if not isinstance(value, str):
        raise _OperationFailedError(f"no {name}")
    return value


def _steps(path: str) -> list[str]:
    """Split a path. What stands before the first slash is not looked at, as upstream."""
    parts = path.split("/")
    if len(parts) < 2:
        raise _OperationFailedError(f"no such path: {path}")
    return [part.replace("~1", "/").replace("~0", "~") for part in parts[1:]]


def _added(root: Any, path: str, value: Any) -> Any:
    def add(container: Any, key: str) -> None:
        if isinstance(container, dict):
            container[key] = value
        else:
            position = len(container) if key == "-" else _position(key, len(container) + 1)
            container.insert(position, value)

    return _changed(root, _steps(path), add)


def _removed(root: Any, path: str) -> Any:
    def remove(container: Any, key: str) -> None:
        if isinstance(container, list):
            del container[_position(key, len(container))]
        elif key in container:
            del container[key]
        else:
            raise _OperationFailedError(f"no such member: {key}")

    return _changed(root, _steps(path), remove)


def _replaced(root: Any, path: str, value: Any) -> Any:
    if not path:
        if not isinstance(value, dict | list):
            raise _OperationFailedError("a document is an object or a list")
        return value

    def replace(container: Any, key: str) -> None:
        # A member that does not exist is added: the RFC says error, upstream does this.
        if isinstance(container, list):
            container[_position(key, len(container))] = value
        else:
            container[key] = value

    return _changed(root, _steps(path), replace)


def _tested(root: Any, operation: JsonObject) -> Any:
    path = _member(operation, "path")
    found = root if not path else _value_at(root, path)
    # A missing member equals null, as upstream.
    if not _same(found, operation.get("value")):
        raise _OperationFailedError(f"test of {path} failed")
    return root


def _changed(container: Any, steps: list[str], change: Callable[[Any, str], None]) -> Any:
    """Return a copy of a container in which ``change`` was made at the end of the steps."""
    key, *rest = steps
    if not isinstance(container, dict | list):
        raise _OperationFailedError(f"no container for {key}")
    copied: Any = container.copy()
    if rest:
        position: Any = key if isinstance(copied, dict) else _position(key, len(copied))
        if isinstance(copied, dict) and key not in copied:
            raise _OperationFailedError(f"no such member: {key}")
        copied[position] = _changed(copied[position], rest, change)
    else:
        change(copied, key)
    return copied


def _value_at(root: Any, path: str) -> Any:
    """Return what stands at a path; a missing member of an existing object is null."""
    *steps, last = _steps(path)
    container = root
    for step in steps:
        container = _step(container, step)
    if isinstance(container, dict):
        return container.get(last)
    return _step(container, last)


def _step(container: Any, key: str) -> Any:
    if isinstance(container, list):
        return container[_position(key, len(container))]
    if isinstance(container, dict) and key in container:
        return container[key]
    raise _OperationFailedError(f"no such member: {key}")


def _position(key: str, length: int) -> int:
    """Return a list index; negative ones count from the end, as upstream."""
    if not _INDEX.fullmatch(key) or not -length <= int(key) < length:
        raise _OperationFailedError(f"no such index: {key}")
    return int(key) % length


def _same(left: Any, right: Any) -> bool:
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)


def _without_nulls(value: Any) -> Any:
    """Return a value without null members, in lists too; null items of lists stay."""
    if isinstance(value, dict):
        return {
            name: _without_nulls(member) for name, member in value.items() if member is not None
        }
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value
