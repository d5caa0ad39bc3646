"""Fields that need a feature gate, and dropping them where it is off.

Paths are written as in error texts, with ``[]`` for each item of a list and ``{}`` for each
value of a map.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates


class Rule(msgspec.Struct, frozen=True):
    """Fields that need a gate.

    Attributes:
        in_use: fields of the stored object whose presence keeps ``fields``; by default the
            fields themselves.
        becomes: what stands there instead of nothing, where a default is written after the
            field was dropped.
        with_empty_parent: an object that has become empty goes too.
    """

    gate: str
    fields: tuple[str, ...]
    in_use: tuple[str, ...] = ()
    becomes: str = ""
    with_empty_parent: bool = False


class _Branch:
    """A member on the way to gated fields; one that is itself gated names its gate."""

    __slots__ = ("below", "gate", "many")

    def __init__(self, *, many: str) -> None:
        self.many = many
        self.gate = ""
        self.below: dict[str, _Branch] = {}


class RuleSet:
    """The rules about one kind of object, or about one part of several kinds.

    Nearly no object has a field whose gate is off, so one walk along the paths of all rules
    looks for one, and only then each rule is applied.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._root: dict[str, _Branch] = {}
        for rule in self.rules:
            for field in rule.fields:
                self._grow(field, rule.gate)

    def drop(self, new: JsonObject | None, old: JsonObject | None, gates: FeatureGates) -> None:
        """Drop from ``new`` what the gates do not allow and ``old`` does not use."""
        if new is None or not _has_disabled(new, self._root, gates):
            return
        for rule in self.rules:
            if is_off(rule.gate, gates) and not _uses(old, rule.in_use or rule.fields):
                for field in rule.fields:
                    _drop(new, field, rule)

    def _grow(self, field: str, gate: str) -> None:
        below = self._root
        for part in field.split("."):
            name, many = _split(part)
            branch = below.setdefault(name, _Branch(many=many))
            below = branch.below
        branch.gate = gate


def is_off(gate: str, gates: FeatureGates) -> bool:
    """Return whether a gate is off.

    One that the release does not list is not: it is locked on by now, or its fields do not
    exist yet.
    """
    return gate in gates and not gates.enabled(gate)


def _has_disabled(obj: JsonObject, branches: dict[str, _Branch], gates: FeatureGates) -> bool:
    for name, branch in branches.items():
        value = obj.get(name)
        if value is None:
            continue
        if branch.gate and is_off(branch.gate, gates):
            return True
        if branch.below and any(
            isinstance(child, dict) and _has_disabled(child, branch.below, gates)
            for child in _children(value, branch.many)
        ):
            return True
    return False


def _drop(obj: JsonObject, field: str, rule: Rule) -> None:
    if rule.with_empty_parent:
        _drop_with_empty_parent(obj, field)
        return
    for parent, name in _holders(obj, field):
        if rule.becomes:
            parent[name] = rule.becomes
        else:
            parent.pop(name, None)


def _drop_with_empty_parent(obj: JsonObject, field: str) -> None:
    container, _, member = field.rpartition(".")
    for holder, name in _holders(obj, container):
        parent = holder.get(name)
        # One that was empty before stays, as it does upstream.
        if isinstance(parent, dict) and parent.pop(member, None) is not None and not parent:
            del holder[name]


def _uses(obj: JsonObject | None, fields: Sequence[str]) -> bool:
    """Return whether any of the fields is set; an empty list or text is not."""
    if obj is None:
        return False
    return any(
        parent.get(name) not in (None, [], "")
        for field in fields
        for parent, name in _holders(obj, field)
    )


def _holders(obj: JsonObject, field: str) -> Iterator[tuple[JsonObject, str]]:
    """Yield every object that holds the last member of a path, with that member's name."""
    head, dot, rest = field.partition(".")
    if not dot:
        yield obj, head
        return
    name, many = _split(head)
    for inner in _children(obj.get(name), many):
        if isinstance(inner, dict):
            yield from _holders(inner, rest)


def _split(part: str) -> tuple[str, str]:
    """Return the name of a member, and how it holds many: ``[]``, ``{}`` or not at all."""
    many = part[-2:] if part.endswith(("[]", "{}")) else ""
    return part.removesuffix(many), many


def _children(value: Any, many: str) -> Iterable[Any]:
    if many == "[]" and isinstance(value, list):
        return value
    if many == "{}" and isinstance(value, dict):
        return value.values()
    return (value,)
