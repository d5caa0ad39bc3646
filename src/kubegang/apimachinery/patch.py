"""JSON merge patch (RFC 7396), and what is said of results that cannot be decoded.

JSON patch and strategic merge patch have modules of their own. Pure: nothing is changed in
place, but a result shares the parts that it has in common with the document and the patch.
"""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.errors import InvalidError
from kubegang.apimachinery.field import Path, invalid_object, invalid_value
from kubegang.apimachinery.gotext import go_json
from kubegang.apimachinery.objects import JsonObject


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


def patched_text(patched: JsonObject, touched: JsonObject | None = None) -> str:
    """Return a patched object as the errors about it quote it.

    Members are in the order of their names where upstream took an object apart to change it:
    the whole one, and those that ``touched``, such as a merge patch, has an object for.
    """
    return go_json(_taken_apart(patched, touched or {}))


def opened_by(operations: list[JsonObject]) -> JsonObject:
    """Return the objects that a JSON patch takes apart, as a tree of empty ones."""
    tree: JsonObject = {}
    for operation in operations:
        below = tree
        for name in str(operation.get("path") or "").split("/")[1:-1]:
            below = below.setdefault(name.replace("~1", "/").replace("~0", "~"), {})
    return tree


def _taken_apart(value: Any, touched: Any) -> Any:
    if isinstance(value, list) and isinstance(touched, list):
        return [_taken_apart(item, item) for item in value]
    if not isinstance(value, dict) or not isinstance(touched, dict):
        return value
    return {name: _taken_apart(value[name], touched.get(name)) for name in sorted(value)}


def invalid_patch(patched: str, problem: str) -> InvalidError:
    """Return the 422 for a patch whose result cannot be decoded.

    Args:
        patched: the result as text; for a strategic merge patch, the patch as Go prints it.
        problem: what is wrong with it.
    """
    return invalid_object("", "", "", [invalid_value(Path("patch"), patched, problem)])


def _without_nulls(value: Any) -> Any:
    """Return a value without null members, in lists too; null items of lists stay."""
    if isinstance(value, dict):
        return {
            name: _without_nulls(member) for name, member in value.items() if member is not None
        }
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value
