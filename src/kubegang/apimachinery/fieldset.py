"""Sets of fields, in the form in which ``managedFields`` writes them.

A set is a tree of dictionaries (``FieldsV1``): ``f:name`` steps to a field or map entry,
``k:{"name":"c"}`` to a list item by its keys, ``v:"x"`` to an item of a set. A step is in the
set itself if nothing stands below it, or if ``.`` does; ``{}`` at the root is the empty set.

Pure: sets are never changed, results share what they can.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from kubegang.apimachinery.gotext import go_plain, go_quote
from kubegang.apimachinery.schema import ANY, Schema

FieldSet = dict[str, Any]

SELF = "."
MEMBER: FieldSet = {}
"""A step that is in the set and has nothing below it."""


def union(left: FieldSet, right: FieldSet) -> FieldSet:
    """Return what is in either set."""
    if not left or not right:
        return left or right
    result = dict(left)
    for step, theirs in right.items():
        mine = result.get(step)
        result[step] = theirs if mine is None else _joined(mine, theirs)
    return result


def difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """Return what is in the first set only."""
    if not left or not right:
        return left
    result: FieldSet = {}
    for step, mine in left.items():
        theirs = right.get(step)
        kept = mine if theirs is None else _without(mine, theirs)
        if kept is not None:
            result[step] = kept
    return left if result == left else result


def intersection(left: FieldSet, right: FieldSet) -> FieldSet:
    """Return what is in both sets."""
    result: FieldSet = {}
    for step, mine in left.items():
        theirs = right.get(step)
        both = None if theirs is None else _common(mine, theirs)
        if both is not None:
            result[step] = both
    return result


def is_member(node: FieldSet) -> bool:
    """Return whether a step with this below it is in the set itself."""
    return not node or SELF in node


def node_of(children: FieldSet, *, member: bool) -> FieldSet | None:
    """Return what stands below a step, ``None`` if neither it nor anything below is in."""
    if not children:
        return MEMBER if member else None
    return {SELF: {}, **children} if member else children


def children_of(node: FieldSet) -> FieldSet:
    """Return the steps below a step."""
    if SELF not in node:
        return node
    return {step: below for step, below in node.items() if step != SELF}


def with_named_fields(fields: FieldSet, schema: Schema) -> FieldSet:
    """Return the set with the declared fields in it that lead to members.

    Map entries and list items on the way are not added: upstream's rule for what may go when
    an applier gives something up.
    """
    result: FieldSet = {}
    for step, node in fields.items():
        declared = step.startswith("f:") and schema.type == "object" and step[2:] in schema.fields
        below = with_named_fields(children_of(node), step_schema(schema, step))
        whole = node_of(below, member=declared or is_member(node))
        if whole is not None:
            result[step] = whole
    return result


def step_schema(schema: Schema, step: str) -> Schema:
    """Return the structure of what a step leads to."""
    if step.startswith("f:") and schema.type == "object":
        return schema.fields.get(step[2:], ANY)
    return schema.items or ANY


def ordered(fields: FieldSet) -> FieldSet:
    """Return the set with its steps sorted, as upstream writes it."""
    return {step: ordered(fields[step]) if fields[step] else MEMBER for step in sorted(fields)}


def paths(fields: FieldSet, prefix: str = "") -> Iterator[str]:
    """Yield the members as conflict texts print them: ``.spec.containers[name="c"].image``.

    The members of one level come before those of deeper levels.
    """
    steps = [step for step in sorted(fields) if step != SELF]
    for step in steps:
        if is_member(fields[step]):
            yield prefix + step_text(step)
    for step in steps:
        if fields[step]:
            yield from paths(fields[step], prefix + step_text(step))


def step_text(step: str) -> str:
    """Return a step as error texts print it."""
    kind, text = step[:2], step[2:]
    if kind == "f:":
        return f".{text}"
    value = msgspec.json.decode(text)
    if kind == "k:":
        return "[" + ",".join(f"{name}={_key_text(key)}" for name, key in value.items()) + "]"
    return f"[={_key_text(value)}]" if kind == "v:" else f"[{value}]"


def _key_text(value: Any) -> str:
    return go_quote(value) if isinstance(value, str) else go_plain(value)


def _joined(left: FieldSet, right: FieldSet) -> FieldSet:
    if left == right:
        return left
    # The empty node is a member, so it must not get lost in one that has steps below.
    if not left:
        return {SELF: {}, **right}
    if not right:
        return {SELF: {}, **left}
    return union(left, right)


def _without(left: FieldSet, right: FieldSet) -> FieldSet | None:
    below = difference(children_of(left), children_of(right))
    return node_of(below, member=is_member(left) and not is_member(right))


def _common(left: FieldSet, right: FieldSet) -> FieldSet | None:
    below = intersection(children_of(left), children_of(right))
    return node_of(below, member=is_member(left) and is_member(right))
