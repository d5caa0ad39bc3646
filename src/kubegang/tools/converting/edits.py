"""Changes to a mapping in place that leave order and comments of the rest as they are.

ruamel.yaml hangs a comment on what stands before it: lines above a key belong to the end of
the key before. So what is removed or put in between must hand these lines on.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import CommentMark
from ruamel.yaml.scalarstring import DoubleQuotedScalarString
from ruamel.yaml.tokens import CommentToken

Map = dict[str, Any]
"""A mapping of a document: a plain one of JSON, or one with comments."""

_RESOLVER = yaml.SafeLoader("")
_AFTER, _AFTER_ITEM = 2, 0


def made(value: object) -> Any:
    """Return a value in the form that documents hold, safe for readers of YAML 1.1."""
    if isinstance(value, Mapping):
        return CommentedMap((key, made(member)) for key, member in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return CommentedSeq(made(member) for member in value)
    if isinstance(value, str) and _is_no_plain_text(value):
        return DoubleQuotedScalarString(value)
    return value


def rename(mapping: Map, old: str, new: str) -> None:
    """Give a key another name, at its place."""
    if isinstance(mapping, CommentedMap):
        position, comment = list(mapping).index(old), mapping.ca.items.pop(old, None)
        value = mapping.pop(old)
        mapping.insert(position, new, value)
        if comment is not None:
            mapping.ca.items[new] = comment
        return
    members = [(new if key == old else key, value) for key, value in mapping.items()]
    mapping.clear()
    mapping.update(members)


def remove(mapping: Map, key: str) -> None:
    """Take a key out; the comment lines that follow it stay."""
    if key not in mapping:
        return
    keys = list(mapping)
    position, tail = keys.index(key), _take_tail(mapping, key)
    mapping.pop(key)
    if not (tail and isinstance(mapping, CommentedMap)):
        return
    mapping.ca.items.pop(key, None)
    if position:
        _give_tail(mapping, keys[position - 1], tail)
    elif len(keys) > 1:
        lines = "\n".join(line.strip().removeprefix("#").strip() for line in tail.splitlines())
        mapping.yaml_set_comment_before_after_key(keys[1], before=lines.strip())


def put(mapping: Map, key: str, value: object, *, after: str = "") -> None:
    """Set a key: at its place if it is there, else after the one named, else at the end."""
    if key in mapping:
        tail = _take_tail(mapping, key)
        mapping[key] = made(value)
        _give_tail(mapping, key, tail)
        return
    keys = list(mapping)
    before = after if after in mapping else (keys[-1] if keys else "")
    if not isinstance(mapping, CommentedMap):
        members = list(mapping.items())
        members.insert(keys.index(before) + 1 if before else 0, (key, value))
        mapping.clear()
        mapping.update(members)
        return
    tail = _take_tail(mapping, before) if before else ""
    mapping.insert(keys.index(before) + 1 if before else 0, key, made(value))
    _give_tail(mapping, key, tail)


def member(mapping: Map, *path: str) -> Map:
    """Return the mapping at a path; an empty one that hangs nowhere if there is none."""
    found: Any = mapping
    for step in path:
        found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def members(value: object) -> list[Map]:
    """Return the mappings of a list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def plain(value: object) -> Any:
    """Return a copy without comments."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    for scalar in (bool, int, float, str):
        # Numbers and texts of a document remember how they were written.
        if isinstance(value, scalar):
            return scalar(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat() if value.tzinfo else f"{value.isoformat()}Z"
    return value.isoformat() if isinstance(value, datetime.date) else value


def _is_no_plain_text(value: str) -> bool:
    tag = _RESOLVER.resolve(yaml.ScalarNode, value, (True, False))  # type: ignore[no-untyped-call]
    return bool(tag != "tag:yaml.org,2002:str") or value != value.strip()


def _end_of(mapping: Any, key: Any) -> tuple[Any, Any]:
    """Return where the comment after a key hangs: on its own entry or on the last below it."""
    value = mapping[key]
    if isinstance(value, CommentedMap) and value and not value.fa.flow_style():
        return _end_of(value, list(value)[-1])
    if isinstance(value, CommentedSeq) and value and not value.fa.flow_style():
        return _end_of(value, len(value) - 1)
    return mapping, key


def _slot(holder: Any) -> int:
    return _AFTER if isinstance(holder, CommentedMap) else _AFTER_ITEM


def _take_tail(mapping: Map, key: str) -> str:
    """Return the comment lines below a key's value, and take them off."""
    if not isinstance(mapping, CommentedMap):
        return ""
    holder, last = _end_of(mapping, key)
    tokens = holder.ca.items.get(last)
    token = tokens[_slot(holder)] if tokens and len(tokens) > _slot(holder) else None
    if token is None or isinstance(token, list):
        return ""
    first, newline, tail = token.value.partition("\n")
    if first.strip():
        token.value = first + newline
    else:
        tokens[_slot(holder)] = None
    return str(tail)


def _give_tail(mapping: Map, key: str, tail: str) -> None:
    if not (tail and isinstance(mapping, CommentedMap)):
        return
    holder, last = _end_of(mapping, key)
    tokens = holder.ca.items.setdefault(last, [None] * 4)
    tokens.extend([None] * (_slot(holder) + 1 - len(tokens)))
    token = tokens[_slot(holder)]
    if token is None:
        tokens[_slot(holder)] = CommentToken("\n" + tail, CommentMark(0), None)
    else:
        token.value = token.value.rstrip("\n") + "\n" + tail
