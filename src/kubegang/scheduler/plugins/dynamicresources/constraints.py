"""What the devices of a claim must have in common, or must not. Pure but for its own notes.

A constraint is told about devices as they are tried and taken back, last in first out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

from kubegang.api.resource.types import DeviceAttribute, DeviceConstraint
from kubegang.scheduler.plugins.dynamicresources.pools import Candidate

AttributeValue = tuple[str, int | str | bool]
"""The kind of an attribute, and its value."""


class Constraint(Protocol):
    """One constraint of a claim, during a search."""

    def add(self, names: tuple[str, ...], candidate: Candidate) -> bool:
        """Take note of a device, unless it breaks the constraint.

        Args:
            names: the names by which a constraint may mean the request.
            candidate: the device.
        """

    def remove(self, names: tuple[str, ...], candidate: Candidate) -> None:
        """Forget the device that was added last."""


class _AttributeConstraint(ABC):
    def __init__(self, requests: tuple[str, ...], attribute: str) -> None:
        self._requests = requests
        self._attribute = attribute
        self._seen: list[AttributeValue | None] = []

    def add(self, names: tuple[str, ...], candidate: Candidate) -> bool:
        """Take note of a device, unless it breaks the constraint."""
        if not self._concerns(names):
            return True
        attribute = lookup_attribute(candidate, self._attribute)
        if attribute is None:
            return False
        value = _value(attribute)
        if self._seen and not self._goes_with(value):
            return False
        self._seen.append(value)
        return True

    def remove(self, names: tuple[str, ...], candidate: Candidate) -> None:
        """Forget the device that was added last."""
        if self._concerns(names):
            self._seen.pop()

    def _concerns(self, names: tuple[str, ...]) -> bool:
        return not self._requests or any(name in self._requests for name in names)

    @abstractmethod
    def _goes_with(self, value: AttributeValue | None) -> bool:
        """Return whether a value is allowed beside those seen."""


class MatchAttribute(_AttributeConstraint):
    """All devices have the same value of an attribute."""

    def _goes_with(self, value: AttributeValue | None) -> bool:
        return value is not None and value == self._seen[0]


class DistinctAttribute(_AttributeConstraint):
    """No two devices have the same value of an attribute."""

    def _goes_with(self, value: AttributeValue | None) -> bool:
        return value is not None and value not in self._seen


def constraint_of(constraint: DeviceConstraint) -> Constraint | None:
    """Return a constraint with no devices yet; ``None`` if its kind is not known."""
    if constraint.match_attribute is not None:
        return MatchAttribute(constraint.requests, constraint.match_attribute)
    if constraint.distinct_attribute is not None:
        return DistinctAttribute(constraint.requests, constraint.distinct_attribute)
    return None


def lookup_attribute(candidate: Candidate, name: str) -> DeviceAttribute | None:
    """Return an attribute by its full name; a device may leave out its driver's domain."""
    attributes = candidate.device.attributes
    if name in attributes:
        return attributes[name]
    domain, slash, short = name.partition("/")
    if not slash or domain != candidate.id.driver:
        return None
    return attributes.get(short)


def _value(attribute: DeviceAttribute) -> AttributeValue | None:
    if attribute.string_value is not None:
        return "string", attribute.string_value
    if attribute.int_value is not None:
        return "int", attribute.int_value
    if attribute.bool_value is not None:
        return "bool", attribute.bool_value
    if attribute.version_value is not None:
        return "version", attribute.version_value
    return None
