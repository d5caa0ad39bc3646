"""The scale subresource of a custom kind: where its numbers stand, and what they may be.

Texts are those of Go's ``unstructured`` accessors (measured on 1.37.2). Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kubegang.apimachinery.field import FieldError, Path, invalid_value
from kubegang.apimachinery.gotext import go_plain, go_type
from kubegang.apimachinery.objects import JsonObject

_MAX_INT32 = 2**31 - 1


class ScalePaths(NamedTuple):
    """The simple JSON paths of a scale; ``selector`` may be empty."""

    spec: str
    status: str
    selector: str = ""

    @classmethod
    def of(cls, subresources: JsonObject) -> ScalePaths | None:
        """Return the paths that a version declares, if it has a scale."""
        scale = subresources.get("scale")
        if scale is None:
            return None
        return cls(
            scale.get("specReplicasPath") or "",
            scale.get("statusReplicasPath") or "",
            scale.get("labelSelectorPath") or "",
        )


class AccessError(ValueError):
    """A path leads through or to a value of the wrong type; the message is Go's."""


def steps(path: str) -> list[str]:
    """Return the members on a path such as ``.spec.replicas``."""
    return path.removeprefix(".").split(".")


def read_number(obj: JsonObject, path: str) -> int | None:
    """Return the integer at a path, ``None`` if there is none.

    Raises:
        AccessError: something else is there.
    """
    value = _read(obj, path)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise AccessError(
        f"{path} accessor error: {go_plain(value)} is of the type {go_type(value)}, expected int64"
    )


def read_text(obj: JsonObject, path: str) -> str | None:
    """Return the text at a path, ``None`` if there is none.

    Raises:
        AccessError: something else is there.
    """
    value = _read(obj, path)
    if value is None or isinstance(value, str):
        return value
    raise AccessError(
        f"{path} accessor error: {go_plain(value)} is of the type {go_type(value)}, expected string"
    )


def write_number(obj: JsonObject, path: str, number: int) -> None:
    """Set the integer at a path; what is missing on the way is made."""
    *parents, last = steps(path)
    place = obj
    for name in parents:
        place = place.setdefault(name, {})
    place[last] = number


def spec_errors(obj: JsonObject, paths: ScalePaths) -> Iterator[FieldError]:
    """Check the wanted replicas."""
    yield from _number_errors(obj, paths.spec)


def status_errors(obj: JsonObject, paths: ScalePaths) -> Iterator[FieldError]:
    """Check the observed replicas and the selector."""
    yield from _number_errors(obj, paths.status)
    if paths.selector:
        try:
            read_text(obj, paths.selector)
        except AccessError as error:
            yield invalid_value(Path(paths.selector), "", str(error))


def _number_errors(obj: JsonObject, path: str) -> Iterator[FieldError]:
    try:
        number = read_number(obj, path) or 0
    except AccessError as error:
        yield invalid_value(Path(path), 0, str(error))
        return
    if number < 0:
        yield invalid_value(Path(path), number, "should be a non-negative integer")
    elif number > _MAX_INT32:
        yield invalid_value(Path(path), number, f"should be less than or equal to {_MAX_INT32}")


def _read(obj: JsonObject, path: str) -> Any:
    value: Any = obj
    names = steps(path)
    for position, name in enumerate(names):
        if not isinstance(value, dict):
            way = "." + ".".join(names[: position + 1])
            raise AccessError(
                f"{way} accessor error: {go_plain(value)} is of the type {go_type(value)}, "
                "expected map[string]interface{}"
            )
        if name not in value:
            return None
        value = value[name]
    return value
