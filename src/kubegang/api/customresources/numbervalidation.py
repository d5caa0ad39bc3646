"""Validation of numbers: ranges of types and formats, bounds, multiples.

Pure; texts and their quirks are kube-openapi's.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from kubegang.api.customresources.nodes import SchemaNode
from kubegang.api.customresources.results import Failure, Result
from kubegang.apimachinery.gotext import go_plain

_INT64 = range(-(2**63), 2**63)
_INT32 = range(-(2**31), 2**31)


def check(value: float, node: SchemaNode, path: str) -> Result:
    """Return what is wrong with a number."""
    result = Result(passed=1)
    kind, name = _kind(node)
    result.add(_range_failures(value, kind, name, f"Checked value must be of type {{}} in {path}"))
    factor = node.raw.get("multipleOf")
    if factor is not None:
        what = f"MultipleOf value must be of type {{}} in {path}"
        result.add(_range_failures(factor, kind, name, what))
        result.add(_multiple_failures(value, factor, path))
    for bound in ("Maximum", "Minimum"):
        limit = node.raw.get(bound.lower())
        if limit is not None:
            what = f"{bound} boundary value must be of type {{}} in {path}"
            result.add(_range_failures(limit, kind, name, what))
            exclusive = bool(node.raw.get(f"exclusive{bound}"))
            result.add(
                _bound_failures(value, limit, path, upper=bound == "Maximum", exclusive=exclusive)
            )
    return result


def _kind(node: SchemaNode) -> tuple[str, str]:
    """Return type and format, both empty where they do not limit the number."""
    if node.int_or_string:
        return "", ""
    if node.type == "integer":
        return "integer", node.format if node.format in ("int32", "int64") else ""
    if node.type == "number":
        return "number", node.format if node.format in ("float", "double") else ""
    return "", ""


def _range_failures(value: float, kind: str, name: str, text: str) -> list[Failure]:
    if kind == "integer":
        fits = float(value).is_integer() and int(value) in (_INT32 if name == "int32" else _INT64)
    else:
        fits = name != "float" or _is_float32(value)
    if fits:
        return []
    shown = f"{kind} with format {name}" if name else f"{kind} (default format)"
    return [Failure("general", "", text.format(shown))]


def _is_float32(value: float) -> bool:
    try:
        struct.pack("f", value)
    except OverflowError:
        return False
    return True


def _bound_failures(
    value: float, limit: float, path: str, *, upper: bool, exclusive: bool
) -> list[Failure]:
    # Beside an integer, a bound loses its fraction.
    bound: Any = int(limit) if isinstance(value, int) else limit
    beyond = value > bound if upper else value < bound
    if not beyond and not (exclusive and value == bound):
        return []
    word = "less" if upper else "greater"
    relation = f"{word} than" if exclusive else f"{word} than or equal to"
    text = f"{path} in body should be {relation} {go_plain(bound)}"
    return [Failure("other", path, text, value)]


def _multiple_failures(value: float, factor: float, path: str) -> list[Failure]:
    whole = isinstance(value, int)
    step: Any = int(factor) if whole else factor
    if step <= 0:
        text = f"factor MultipleOf declared for {path} must be positive: {go_plain(step)}"
        return [Failure("other", path, text, step)]
    if whole:
        multiple = value % step == 0
    else:
        multiple = _is_whole(1 / factor * value if factor < 1 else value / factor)
    if multiple:
        return []
    text = f"{path} in body should be a multiple of {go_plain(step)}"
    return [Failure("other", path, text, value)]


def _is_whole(number: float) -> bool:
    """Return whether a float is an integer, but for what computing with floats loses."""
    if not math.isfinite(number):
        return False
    nearest = float(round(number))
    return abs(number - nearest) < 1e-9 * max(1.0, abs(nearest)) if number else True
