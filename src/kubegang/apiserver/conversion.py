"""Between the version of a request and the version in which objects are stored.

Most rows are stored as they are. Versions of one kind that share a storage version have the
same fields, so only the head changes. Events of the two groups are spelled differently, and
HorizontalPodAutoscalers have members in one version that are annotations in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from kubegang.api.autoscaling import conversion as autoscaling
from kubegang.api.customresources.rows import custom_of
from kubegang.api.defaults.autoscaling import fill_in_autoscaler
from kubegang.api.dropping import canonicalize
from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apiserver import codec, events


class _Form(NamedTuple):
    """How objects of a version come from the form in which they are stored, and go there."""

    from_stored: Callable[[JsonObject], JsonObject]
    to_stored: Callable[[JsonObject], JsonObject]


def _autoscaler_to_stored(autoscaler: JsonObject) -> JsonObject:
    stored = autoscaling.to_v2(autoscaler)
    # Upstream fills in what is left open when it reads the stored object.
    fill_in_autoscaler(stored)
    return stored


_FORMS: Mapping[GroupVersionKind, _Form] = {
    GroupVersionKind("events.k8s.io", "v1", "Event"): _Form(events.from_core, events.to_core),
    GroupVersionKind("autoscaling", "v1", "HorizontalPodAutoscaler"): _Form(
        autoscaling.to_v1, _autoscaler_to_stored
    ),
}


def is_renamed(info: ResourceInfo) -> bool:
    """Return whether the stored form has other fields than this row's."""
    return info.gvk in _FORMS


def to_stored(obj: JsonObject, info: ResourceInfo) -> JsonObject:
    """Return an object of the request's version in its stored form."""
    if custom := custom_of(info):
        return custom.to_storage(obj)
    if not is_renamed(info):
        return obj
    stored = _FORMS[info.gvk].to_stored(obj)
    canonicalize(stored, info.stored_as)
    return stored


def from_stored(value: bytes, info: ResourceInfo) -> JsonObject:
    """Decode a stored value into the request's version."""
    obj = codec.decode(value)
    if custom := custom_of(info):
        return custom.from_storage(obj)
    if is_renamed(info):
        obj = _FORMS[info.gvk].from_stored(obj)
        canonicalize(obj, info.gvk)
    else:
        obj["apiVersion"] = str(info.group_version)
    return obj


def object_bytes(value: bytes, info: ResourceInfo) -> bytes:
    """Return a stored value as the answer to a read in the request's version."""
    if info.custom is not None:
        return codec.encode_object(from_stored(value, info), info.gvk)
    if info.stored_as == info.gvk:
        return value
    if is_renamed(info):
        return codec.encode_object(from_stored(value, info), info.gvk)
    return codec.with_head(value, info.stored_as, info.gvk)


def items_bytes(values: Sequence[bytes], info: ResourceInfo) -> bytes:
    """Return stored values as the items of a list in the request's version."""
    if info.custom is not None:
        # Items of custom lists say what they are, each for itself.
        return b",".join(object_bytes(value, info) for value in values)
    if is_renamed(info):
        return codec.join_items([object_bytes(value, info) for value in values], info.gvk)
    return codec.join_items(values, info.stored_as)
