"""Strategic merge patch: kubectl's kind of merge, led by the structure of the kind.

Lists with a merge key are joined item by item, primitive lists with patch strategy ``merge``
are joined as sets, all other lists are replaced. Directives in the patch ask for more:
``$patch`` (delete, replace), ``$retainKeys``, ``$setElementOrder/…``,
``$deleteFromPrimitiveList/…``. Failures are answered as 1.37.2 answers them.

Pure: nothing is changed in place, but the result shares parts with document and patch.
"""

from __future__ import annotations

from typing import Any, NoReturn

from kubegang.apimachinery.errors import (
    BadRequestError,
    InvalidError,
    StatusDetails,
    UnexplainedError,
)
from kubegang.apimachinery.gonames import struct_name
from kubegang.apimachinery.gotext import go_plain, go_type
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.schema import ANY, Schema
from kubegang.apimachinery.strategicorder import arranged, check_order, identity, wrong_argument

_DIRECTIVE = "$patch"
_RETAIN_KEYS = "$retainKeys"
_DELETE_FROM_LIST = "$deleteFromPrimitiveList"
_ELEMENT_ORDER = "$setElementOrder"


def strategic_merge_patch(doc: JsonObject, patch: JsonObject, schema: Schema) -> JsonObject:
    """Apply a strategic merge patch.

    Raises:
        BadRequestError: a directive is malformed.
        InvalidError: the patch has a list of lists.
        UnexplainedError: a list item lacks its merge key, a ``$patch`` word is unknown, or an
            order contradicts the patch.
    """
    if _DIRECTIVE in patch:
        return _directed(patch)
    result, rest = dict(doc), dict(patch)
    _retain_keys(result, rest)
    _merge_ordered_lists(result, rest, schema)
    for name, value in rest.items():
        if name.startswith(_DELETE_FROM_LIST):
            _delete_from_list(result, _listed(name, _DELETE_FROM_LIST), value)
        elif value is None:
            result.pop(name, None)
        elif _kind(result.get(name)) != _kind(value):
            _replace(result, name, value)
        else:
            result[name] = _merged(result[name], value, schema, name)
    return result


def _directed(patch: JsonObject) -> JsonObject:
    """Return what a map becomes whose patch says ``$patch`` itself."""
    match patch[_DIRECTIVE]:
        case "replace":
            return {name: value for name, value in patch.items() if name != _DIRECTIVE}
        case "delete":
            return {}
    raise _unknown_directive(patch)


def _unknown_directive(patch: JsonObject) -> UnexplainedError:
    word = patch[_DIRECTIVE]
    shown = go_plain(word)
    if not isinstance(word, str | list | dict):
        # Go was told to print a text, and complains about this.
        shown = f"%!s({go_type(word)}={shown})"
    return UnexplainedError(f"unknown patch type: {shown} in map: {go_plain(patch)}")


def _retain_keys(result: JsonObject, rest: JsonObject) -> None:
    """Obey ``$retainKeys``: only the members it lists stay."""
    if _RETAIN_KEYS not in rest:
        return
    retained = rest.pop(_RETAIN_KEYS)
    malformed = BadRequestError("invalid patch format of retainKeys")
    if not isinstance(retained, list):
        raise malformed
    for name, value in rest.items():
        is_directive = name.startswith((_DELETE_FROM_LIST, _ELEMENT_ORDER))
        if value is not None and not is_directive and name not in retained:
            raise malformed
    for name in [name for name in result if name not in retained]:
        del result[name]


def _merge_ordered_lists(result: JsonObject, rest: JsonObject, schema: Schema) -> None:
    """Merge the lists for which a ``$setElementOrder`` is given, and drop both from the patch."""
    for directive in [name for name in rest if name.startswith(_ELEMENT_ORDER)]:
        order = _list(rest.pop(directive))
        name = _listed(directive, _ELEMENT_ORDER)
        served = _list(result[name]) if name in result else None
        patched = _list(rest[name]) if name in rest else None
        field = _field(schema, name)
        check_order(patched or [], order, field.merge_key)
        if served is None and patched is None:
            continue
        if patched is None:
            merged = served or []
        elif served is None:
            merged, _ = _without_directives(patched)
        else:
            merged = _merged_list(served, patched, field)
        _check_element_types([served or [], patched or []])
        result[name] = arranged(
            merged, patch_order=order, server_order=served or [], merge_key=field.merge_key
        )
        rest.pop(name, None)


def _delete_from_list(result: JsonObject, name: str, value: Any) -> None:
    """Obey ``$deleteFromPrimitiveList``; on anything but two lists it does nothing."""
    if value is None:
        result.pop(name, None)
    served = result.get(name)
    if not isinstance(served, list) or not isinstance(value, list):
        return
    if served or value:
        _check_element_types([served, value])
    gone = {identity(item, "") for item in value}
    result[name] = [item for item in served if identity(item, "") not in gone]


def _merged(served: Any, value: Any, schema: Schema, name: str) -> Any:
    """Merge two values of the same kind."""
    if isinstance(value, dict):
        field = _field(schema, name)
        if "replace" in field.patch_strategies:
            return value
        return strategic_merge_patch(served, value, field)
    if isinstance(value, list):
        return _merged_list(served, value, _field(schema, name))
    return value


def _replace(result: JsonObject, name: str, value: Any) -> None:
    """Take a value from the patch as it is, but without nulls and directives."""
    plain, is_value = _without_directives(_without_nulls(value))
    if is_value:
        result[name] = plain
    else:
        result.pop(name, None)


def _merged_list(served: list[Any], patched: list[Any], field: Schema) -> list[Any]:
    if "merge" not in field.patch_strategies:
        return patched
    if not served and not patched:
        return served
    if not _check_element_types([served, patched]):
        merged = list({identity(item, ""): item for item in (*served, *patched)}.values())
        return arranged(merged, patch_order=patched, server_order=served, merge_key="")
    if not field.merge_key:
        raise UnexplainedError("cannot merge lists without merge key for struct")
    kept, plain = _obeyed(served, patched, field.merge_key)
    merged = list(kept)
    positions = {identity(item, field.merge_key): i for i, item in enumerate(merged)}
    for item in plain:
        # Of two new items with the same key the second is merged into the first.
        position = positions.setdefault(identity(item, field.merge_key), len(merged))
        if position == len(merged):
            merged.append(item)
        else:
            merged[position] = strategic_merge_patch(merged[position], item, field.items or ANY)
    return arranged(merged, patch_order=plain, server_order=kept, merge_key=field.merge_key)


def _obeyed(
    served: list[JsonObject], patched: list[JsonObject], merge_key: str
) -> tuple[list[JsonObject], list[JsonObject]]:
    """Obey the ``$patch`` items of a list.

    Returns:
        What stays of the served list, and the items that are to be merged into it.
    """
    plain: list[JsonObject] = []
    replaces = False
    for item in patched:
        match item.get(_DIRECTIVE):
            case None if _DIRECTIVE not in item:
                plain.append(item)
            case "delete":
                gone = identity(item, merge_key)
                served = [kept for kept in served if identity(kept, merge_key) != gone]
            case "replace":
                replaces = True
            case "merge":
                raise UnexplainedError("merging lists cannot yet be specified in the patch")
            case _:
                raise _unknown_directive(item)
    return (plain, []) if replaces else (served, plain)


def _check_element_types(lists: list[list[Any]]) -> bool:
    """Check that all elements are of one type, and return whether that is objects.

    Raises:
        InvalidError: there is a list among them.
        UnexplainedError: they differ, or there are none.
    """
    kinds = {_kind(item) for items in lists for item in items}
    if not kinds:
        raise UnexplainedError("no elements in any of the given slices")
    if list in kinds and _kind(next(item for items in lists for item in items)) is list:
        message = "the server rejected our request due to an error in our request"
        raise InvalidError(message, details=StatusDetails())
    if len(kinds) > 1:
        raise UnexplainedError(f"list element types are not identical: {go_plain(lists)}")
    return dict in kinds


def _listed(directive: str, prefix: str) -> str:
    """Return the list that a parallel directive is about."""
    found, slash, name = directive.partition("/")
    if not slash or found != prefix:
        what = "primitive list" if prefix == _DELETE_FROM_LIST else "setElementOrder list"
        raise BadRequestError(f"invalid patch format of {what}")
    return name


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise wrong_argument("[]interface {}", value)
    return value


def _field(schema: Schema, name: str) -> Schema:
    """Return the structure of a member; free-form objects have members of any form."""
    if schema.type == "object":
        if name not in schema.fields:
            _raise_unknown_field(schema, name)
        return schema.fields[name]
    return schema.items or ANY


def _raise_unknown_field(schema: Schema, name: str) -> NoReturn:
    raise UnexplainedError(
        f'unable to find api field in struct {struct_name(schema)} for the json field "{name}"'
    )


def _kind(value: Any) -> type:
    return type(value)


def _without_directives(value: Any) -> tuple[Any, bool]:
    """Return a value without the directives in it, and whether it is a value at all."""
    if isinstance(value, dict):
        if _DIRECTIVE in value:
            return None, False
        members = ((name, _without_directives(member)) for name, member in value.items())
        return {name: member for name, (member, is_value) in members if is_value}, True
    if isinstance(value, list):
        items = map(_without_directives, value)
        return [item for item, is_value in items if is_value], True
    return value, True


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _without_nulls(member) for name, member in value.items() if member is not None
        }
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value
