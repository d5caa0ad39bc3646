"""Metadata in typed form, and what all typed forms have in common.

Typed forms hold the fields that some code reads, no more; whatever else an object has is
ignored when it is decoded. Timestamps stay texts: whoever compares them parses them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from kubegang.apimachinery.objects import JsonObject

T = TypeVar("T", bound="Form")


class Form(msgspec.Struct, frozen=True, gc=False, rename="camel", omit_defaults=True):
    """A part of an API object in typed form.

    Wire names are camelCase; a name with an acronym (``podCIDR``) is given explicitly. Data
    decoded from JSON cannot form cycles, so the garbage collector need not look at it.
    """


class Empty(Form, frozen=True):
    """An object that says something by being there: ``basic: {}``."""


def decode(data: bytes | JsonObject, form: type[T]) -> T:
    """Decode an object in the wire form of its version.

    Unknown fields are ignored, and ``null`` anywhere means that the field is not there.

    Raises:
        msgspec.ValidationError: a field that is read has the wrong type.
    """
    obj = msgspec.json.decode(data) if isinstance(data, bytes) else data
    try:
        return msgspec.convert(obj, form)
    except msgspec.ValidationError:
        # Nulls that Go does not write are rare, so nobody pays for looking for them.
        return msgspec.convert(_without_nulls(obj), form)


def decoder(form: type[T]) -> Callable[[bytes], T]:
    """Return the decoder of one form, faster than ``decode`` where objects come in numbers."""
    strictly = msgspec.json.Decoder(form)

    def decode_bytes(body: bytes) -> T:
        try:
            return strictly.decode(body)
        except msgspec.ValidationError:
            # It has nulls that servers in Go do not write, or is really wrong.
            return decode(body, form)

    return decode_bytes


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value if item is not None]
    return value


class OwnerReference(Form, frozen=True):
    """One entry of ``metadata.ownerReferences``."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ObjectMeta(Form, frozen=True):
    """``metadata`` of an object or of a template."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    owner_references: tuple[OwnerReference, ...] = ()
    finalizers: tuple[str, ...] = ()

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that manages this object, if it has one."""
        return next((owner for owner in self.owner_references if owner.controller), None)


class LabelSelectorRequirement(Form, frozen=True):
    """One entry of ``matchExpressions``."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class LabelSelector(Form, frozen=True):
    """A selector over labels; empty selects everything, a missing one nothing."""

    match_labels: Mapping[str, str] = {}
    match_expressions: tuple[LabelSelectorRequirement, ...] = ()


class Condition(Form, frozen=True):
    """``metav1.Condition``, as PodGroup and PodDisruptionBudget have it."""

    type: str = ""
    status: str = ""
    observed_generation: int = 0
    last_transition_time: str | None = None
    reason: str = ""
    message: str = ""
