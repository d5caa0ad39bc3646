"""The order of list items after a strategic merge.

Items that the patch names come in the patch's order, the others stay as the server had them,
and the two runs are woven together so that items which the server knew both of keep their
order.

Pure.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from kubegang.apimachinery.errors import UnexplainedError
from kubegang.apimachinery.gotext import go_plain, go_type

_UNKNOWN = -1


def identity(item: Any, merge_key: str) -> Hashable:
    """Return what makes two list items the same one: the merge key's value, or the item.

    Raises:
        UnexplainedError: the item is no object, or lacks its merge key.
    """
    value = item
    if merge_key:
        if not isinstance(item, dict):
            raise wrong_argument("map[string]interface {}", item)
        if merge_key not in item:
            raise UnexplainedError(
                f"map: {go_plain(item)} does not contain declared merge key: {merge_key}"
            )
        value = item[merge_key]
    # A type beside the value: for Go, 1 and true are not the same.
    return (type(value), go_plain(value) if isinstance(value, dict | list) else value)


def arranged(
    merged: list[Any], *, patch_order: list[Any], server_order: list[Any], merge_key: str
) -> list[Any]:
    """Return the merged items in their final order."""
    wanted = _positions(patch_order, merge_key)
    served = _positions(server_order, merge_key)
    named: list[tuple[int, Any]] = []
    others: list[tuple[int, Any]] = []
    for item in merged:
        key = identity(item, merge_key)
        position = served.get(key, _UNKNOWN)
        (named if key in wanted else others).append((position, item))
    named.sort(key=lambda entry: wanted[identity(entry[1], merge_key)])
    return _woven(_settled(others), named)


def check_order(patch_list: list[Any], order: list[Any], merge_key: str) -> None:
    """Check that a patch's items stand in the order that its own directive asks for.

    Raises:
        UnexplainedError: they do not, or one of them lacks its merge key.
    """
    if not patch_list or not order:
        return
    ahead = iter(order)
    for item in patch_list:
        if isinstance(item, dict) and "$patch" in item:
            continue
        key = identity(item, merge_key)
        if not any(identity(entry, merge_key) == key for entry in ahead):
            raise UnexplainedError(
                f"The order in patch list:\n{go_plain(patch_list)}\n "
                f"doesn't match $setElementOrder list:\n{go_plain(order)}\n"
            )


def wrong_argument(expected: str, found: Any) -> UnexplainedError:
    """Return the error for a value of a type that a directive cannot use."""
    name = "%!s(<nil>)" if found is None else go_type(found)
    return UnexplainedError(f"expected a {expected}, but received a {name}")


def _positions(items: list[Any], merge_key: str) -> dict[Hashable, int]:
    positions: dict[Hashable, int] = {}
    for position, item in enumerate(items):
        positions.setdefault(identity(item, merge_key), position)
    return positions


def _settled(others: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Sort by the server's order.

    Upstream's comparison calls an item that the server did not know smaller than any other,
    on either side, so where such items end depends on the steps of an insertion sort.
    """
    if all(position != _UNKNOWN for position, _ in others):
        return sorted(others, key=lambda entry: entry[0])
    result: list[tuple[int, Any]] = []
    for entry in others:
        at = len(result)
        while at and (_UNKNOWN in {entry[0], result[at - 1][0]} or entry[0] < result[at - 1][0]):
            at -= 1
        result.insert(at, entry)
    return result


def _woven(others: list[tuple[int, Any]], named: list[tuple[int, Any]]) -> list[Any]:
    result: list[Any] = []
    i = j = 0
    while i < len(others) and j < len(named):
        mine, theirs = others[i][0], named[j][0]
        if _UNKNOWN not in {mine, theirs} and mine < theirs:
            result.append(others[i][1])
            i += 1
        else:
            result.append(named[j][1])
            j += 1
    result += [item for _, item in others[i:]]
    result += [item for _, item in named[j:]]
    return result
