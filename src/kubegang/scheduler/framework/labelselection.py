"""Whether labels meet a label selector; and what to look a selector up by. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kubegang.scheduler.framework.terms import LabelTerms


def selects(selector: LabelTerms, labels: Mapping[str, str]) -> bool:
    """Return whether labels meet all requirements of a selector."""
    if selector is None:
        return False
    return all(_holds(operator, values, labels.get(key)) for key, operator, values in selector)


class Anchor(NamedTuple):
    """A label that objects need in order to be selected.

    Attributes:
        values: one of which it must have; empty if any will do.
    """

    key: str
    values: tuple[str, ...]

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Return whether labels have it."""
        value = labels.get(self.key)
        return value in self.values if self.values else value is not None


def anchor_of(selector: LabelTerms) -> Anchor | None:
    """Return the most telling label of a selector; ``None`` if it asks for none.

    Whoever keeps many selectors finds the few that may select an object by its labels.
    """
    anchors = [
        Anchor(requirement.key, requirement.values)
        for requirement in selector or ()
        if requirement.operator in ("In", "Exists")
    ]
    return min(anchors, key=_vagueness, default=None)


def _vagueness(anchor: Anchor) -> tuple[bool, int]:
    # Fewer values tell more; a label that may have any value tells least.
    return (not anchor.values, len(anchor.values))


def _holds(operator: str, values: tuple[str, ...], value: str | None) -> bool:
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value is None or value not in values
    if operator == "Exists":
        return value is not None
    return operator == "DoesNotExist" and value is None
