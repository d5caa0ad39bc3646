"""What the table of warnings knows about a kind, as a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from kubegang.api.warning_rules import WarningRules
from kubegang.apimachinery.objects import JsonObject

Warnings = Iterator[str]

CreateWarnings = Callable[[JsonObject, WarningRules], Warnings]
UpdateWarnings = Callable[[JsonObject, JsonObject, WarningRules], Warnings]


def no_warnings(_obj: JsonObject, _rules: WarningRules) -> Warnings:
    """Warn of nothing."""
    yield from ()


def no_update_warnings(_new: JsonObject, _old: JsonObject, _rules: WarningRules) -> Warnings:
    """Warn of nothing."""
    yield from ()


class KindWarnings(NamedTuple):
    """What is said about objects of one kind.

    Attributes:
        create: of a new object.
        update: of a changed object, given the old one; also when its scale changes.
        status: of an object whose status changes.
    """

    create: CreateWarnings = no_warnings
    update: UpdateWarnings = no_update_warnings
    status: UpdateWarnings = no_update_warnings


def always(warnings: CreateWarnings) -> KindWarnings:
    """Return the row of a kind where a changed object is looked at as a new one."""

    def of_change(new: JsonObject, _old: JsonObject, rules: WarningRules) -> Warnings:
        return warnings(new, rules)

    return KindWarnings(create=warnings, update=of_change)


def generation_changed(new: JsonObject, old: JsonObject) -> bool:
    """Return whether a change counts: most kinds with a template are looked at only then."""
    return bool(new["metadata"].get("generation") != old["metadata"].get("generation"))
