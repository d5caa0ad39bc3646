"""Ways of telling in a release's own words what 1.37 tells otherwise.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kubegang.api.validation_rules import Retell, Rewording
from kubegang.apimachinery.field import FieldError
from kubegang.apimachinery.objects import JsonObject


def rewording(field: str, message: str, retell: Retell, *, kinds: str = "") -> Rewording:
    """Return a rewording of errors at fields, with messages, of kinds (all if none is named)."""
    return Rewording(frozenset(kinds.split()), re.compile(field), re.compile(message), retell)


def instead(old: str, new: str) -> Retell:
    """Tell the same with other words for a part of it."""

    def retell(error: FieldError, _: re.Match[str], _obj: JsonObject) -> Iterable[FieldError]:
        return (FieldError(error.reason, error.field, error.message.replace(old, new)),)

    return retell


def not_told(_: FieldError, _place: re.Match[str], _obj: JsonObject) -> Iterable[FieldError]:
    """Do not tell."""
    return ()
