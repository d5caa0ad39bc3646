"""The type of a kind's special rules, and those that most kinds have: none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kubegang.api.validation.kinds import KindRules as ValidityRules
from kubegang.apimachinery.objects import JsonObject

PrepareCreate = Callable[[JsonObject, str], None]
"""Changes an object that is about to be created; the text is the time."""

PrepareUpdate = Callable[[JsonObject, JsonObject], None]
"""Changes a new object, given the old one."""

StampUpdate = Callable[[JsonObject, JsonObject, str], None]
"""Changes a new object, given the old one and the time."""


def _new_status() -> JsonObject:
    return {}


def _spec(obj: JsonObject) -> Any:
    return obj.get("spec")


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRules:
    """How objects of one kind are prepared for storage, on top of the rules of all kinds.

    Attributes:
        decode: turns fields that are for writing only into what they stand for.
        fill_in: fills in defaults of a kind that has none in the table of defaults.
        validity: the rules of validation of a kind that has none in their table.
        warnings: what whoever writes a valid object, given the old one, is warned of, where a
            kind has none in the table of warnings.
        early_warnings: what whoever creates an object is warned of, valid or not.
        keeps_status_on_create: a client may create the object with a status (nodes).
        new_status: makes the status of a new object of a kind that has one.
        counted: the part whose change raises the generation.
        prepare_create: runs when name and uid are known and the status is new.
        complete_create: runs last on creation, when the fields of gates that are off are gone.
        complete_accepted: runs on creation after all checks, for what upstream defaults when
            it reads the stored object.
        prepare_update: runs on updates of the object itself.
        stamp_update: runs after that, for what notes when it happened.
        prepare_status_update: runs on updates of ``/status``.
        stamp_status_update: runs after that, for what notes when it happened.
        own_subresources: what runs on updates of other subresources that write a part.
        status_resets_metadata: ``/status`` changes no metadata, not even labels.
        begin_deletion: a first DELETE only marks the object; the number is the time.
        orphans_by_default: a DELETE that says nothing leaves the dependents alone.
        collected: whether the garbage collector is told what to do with dependents.
        orphan_warning: what a client that says nothing is warned of.
    """

    decode: Callable[[JsonObject], None] | None = None
    fill_in: Callable[[JsonObject], None] | None = None
    validity: ValidityRules | None = None
    warnings: Callable[[JsonObject, JsonObject | None], list[str]] | None = None
    early_warnings: Callable[[JsonObject], Iterable[str]] | None = None
    keeps_status_on_create: bool = False
    new_status: Callable[[], JsonObject] = field(default=_new_status)
    counted: Callable[[JsonObject], Any] = field(default=_spec)
    prepare_create: PrepareCreate | None = None
    complete_create: Callable[[JsonObject], None] | None = None
    complete_accepted: Callable[[JsonObject], None] | None = None
    prepare_update: PrepareUpdate | None = None
    stamp_update: StampUpdate | None = None
    prepare_status_update: PrepareUpdate | None = None
    stamp_status_update: StampUpdate | None = None
    own_subresources: Mapping[str, StampUpdate] = field(default_factory=dict)
    status_resets_metadata: bool = False
    begin_deletion: Callable[[JsonObject, float], None] | None = None
    orphans_by_default: bool = False
    collected: bool = True
    orphan_warning: str = ""


PLAIN = KindRules()
