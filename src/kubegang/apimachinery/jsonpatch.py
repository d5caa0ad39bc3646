"""JSON patch (RFC 6902) as the real API server applies it.

It is more lenient than the RFC in places, and says one sentence for all failures; both are
kept (measured on 1.37.2).

Pure: nothing is changed in place, but a result shares the parts that it has in common with
the document and the patch.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kubegang.apimachinery.decoding import NotAnObjectError
from kubegang.apimachinery.errors import InvalidError, StatusDetails
from kubegang.apimachinery.gotext import go_json
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.patch import invalid_patch

_MOST_COPIED_BYTES = 3 * 1024 * 1024
"""What all copies of one patch may add, as kube-apiserver limits it: a copy can double."""

_INDEX = re.compile(r"[+-]?[0-9]+")


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
