"""What all builders of API objects have in common: metadata, numbering, JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from kubegang.api.meta import Form, ObjectMeta
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time

FormT = TypeVar("FormT", bound=Form)
T = TypeVar("T", bound="Builder")

GPU = "nvidia.com/gpu"


def replaced(form: FormT, **changes: Any) -> FormT:
    """Return a copy of a typed form with some fields changed."""
    return msgspec.structs.replace(form, **changes)


def amounts_of(amounts: Mapping[str, str]) -> dict[str, str]:
    """Return resource names for keyword arguments: ``gpu`` is the GPU resource."""
    return {GPU if name == "gpu" else name: amount for name, amount in amounts.items()}


@dataclasses.dataclass(frozen=True)
class Builder:
    """What all builders have: metadata. Every method returns a new builder."""

    metadata: ObjectMeta

    def _with_meta(self: T, **changes: Any) -> T:
        return dataclasses.replace(self, metadata=replaced(self.metadata, **changes))

    def named(self: T, name: str) -> T:
        """Give it another name, and the uid that goes with it."""
        return self._with_meta(name=name, uid=f"uid-{name}")

    def times(self: T, count: int) -> list[T]:
        """Return numbered copies: ``w-0``, ``w-1`` and so on."""
        return [self.named(f"{self.metadata.name}-{index}") for index in range(count)]

    def ns(self: T, namespace: str) -> T:
        """Put it into a namespace."""
        return self._with_meta(namespace=namespace)

    def label(self: T, key: str, value: str) -> T:
        """Add a label."""
        return self._with_meta(labels={**self.metadata.labels, key: value})

    def created(self: T, seconds: float) -> T:
        """Say when it was created, in seconds since the epoch."""
        return self._with_meta(creation_timestamp=format_time(seconds))

    def terminating(self: T) -> T:
        """Give it a deletion timestamp."""
        return self._with_meta(deletion_timestamp=format_time(0))


def metadata_of(name: str, *, namespace: str = "") -> ObjectMeta:
    """Return metadata with a uid that goes with the name."""
    return ObjectMeta(
        name=name, namespace=namespace, uid=f"uid-{name}", creation_timestamp=format_time(0)
    )


def as_json(api_version: str, kind: str, obj: Form) -> JsonObject:
    """Return what a client would send to create the object."""
    body: JsonObject = msgspec.to_builtins(obj)
    # What the server fills in is not sent.
    for field in ("uid", "creationTimestamp", "resourceVersion"):
        body["metadata"].pop(field, None)
    return {"apiVersion": api_version, "kind": kind, **body}
