"""What releases do otherwise about objects that break rules.

The defaults are 1.37's; each field says what was measured.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from kubegang.apimachinery.field import FieldError
from kubegang.apimachinery.objects import JsonObject

Retell = Callable[[FieldError, re.Match[str], JsonObject], Iterable[FieldError]]
"""From 1.37's error, the match of its field, and the object: what the release says instead."""


class Rewording(NamedTuple):
    """What a release says where 1.37 finds the same wrong in other words.

    Attributes:
        kinds: the kinds whose objects it is about; every kind if there is none.
        field: a pattern of the whole field.
        message: a pattern found in the message.
        retell: makes the release's errors.
    """

    kinds: frozenset[str]
    field: re.Pattern[str]
    message: re.Pattern[str]
    retell: Retell


def in_words_of_release(
    errors: Iterable[FieldError],
    obj: JsonObject,
    *,
    kind: str,
    rewordings: Sequence[Rewording],
) -> list[FieldError]:
    """Return errors as a release tells them; the first rewording that fits counts."""
    told: list[FieldError] = []
    for error in errors:
        told += _retold(error, obj, kind=kind, rewordings=rewordings)
    return told


def _retold(
    error: FieldError, obj: JsonObject, *, kind: str, rewordings: Sequence[Rewording]
) -> Iterable[FieldError]:
    for rewording in rewordings:
        if rewording.kinds and kind not in rewording.kinds:
            continue
        place = rewording.field.fullmatch(error.field)
        if place is not None and rewording.message.search(error.message):
            return rewording.retell(error, place, obj)
    return (error,)


class ValidationRules(msgspec.Struct, frozen=True, kw_only=True):
    """How a release checks objects and lists what is wrong.

    Attributes:
        tells_once: an error that two rules find alike is one cause, and changed metadata is
            checked once (1.37.2; 1.36.3 and 1.35.4 list it as often as it is found, and check
            changed metadata as new and as changed, by the rules of all kinds and of this one).
        changed_only_as_changed: a changed Job or pod is not checked as a new one besides
            (1.37.2; 1.36.3 and 1.35.4 do both, so a Job's selector must be the generated one).
        also_as_new: the kinds whose changed objects are checked as new ones besides
            (1.35.4: NetworkPolicy).
        rewordings: what is told in other words than 1.37's, see
            ``api/validation/earlier_words``.
    """

    tells_once: bool = True
    changed_only_as_changed: bool = True
    also_as_new: frozenset[str] = frozenset()
    rewordings: tuple[Rewording, ...] = ()


NEWEST_VALIDATION_RULES = ValidationRules()
