"""The form in which objects lie in the store, and what can be done to it without decoding.

A stored value is the object's JSON in its storage version, resourceVersion included, always
beginning with ``{"kind":…,"apiVersion":…,``. So a plain read is a copy of bytes, an item of a
list is the value without that head, and another version with the same fields is the value
with another head.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import msgspec

from kubegang.apimachinery.objects import METADATA_ORDER, GroupVersionKind, JsonObject
from kubegang.store.interface import Encode, Revision

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict).decode


@cache
def head(gvk: GroupVersionKind) -> bytes:
    """Return the bytes with which every stored value of a kind begins."""
    return f'{{"kind":"{gvk.kind}","apiVersion":"{gvk.group_version}",'.encode()


def decode(value: bytes) -> JsonObject:
    """Decode a stored value."""
    return _decode(value)


def arranged(obj: JsonObject, gvk: GroupVersionKind) -> JsonObject:
    """Return the object of a kind with its members in the order in which they are stored."""
    metadata = obj.get("metadata") or {}
    ordered = {name: metadata[name] for name in METADATA_ORDER if name in metadata}
    result: JsonObject = {
        "kind": gvk.kind,
        "apiVersion": str(gvk.group_version),
        "metadata": ordered,
    }
    for name, value in obj.items():
        if name not in result and name != "status":
            result[name] = value
    if "status" in obj:
        result["status"] = obj["status"]
    return result


def encoder(obj: JsonObject, gvk: GroupVersionKind) -> Encode:
    """Return what a store calls to get the value once it knows the revision.

    The object must not be changed any more afterwards.
    """
    metadata = {**obj["metadata"], "resourceVersion": ""}
    stored = arranged({**obj, "metadata": metadata}, gvk)

    def encode(revision: Revision) -> bytes:
        stored["metadata"]["resourceVersion"] = str(revision)
        return _encode(stored)

    return encode


def encode_object(obj: JsonObject, gvk: GroupVersionKind) -> bytes:
    """Encode an object as it would be stored, with the resourceVersion that it carries."""
    return _encode(arranged(obj, gvk))


def encode_as_is(obj: JsonObject) -> bytes:
    """Encode an object that was decoded from a stored value, members in the same order."""
    return _encode(obj)


def join_items(values: Sequence[bytes], gvk: GroupVersionKind) -> bytes:
    """Return values as the items of a list, where kind and version are left out."""
    skipped = len(head(gvk))
    rests = [memoryview(value)[skipped:] for value in values]
    return b"{" + b",{".join(rests) if rests else b""


def with_head(value: bytes, stored_as: GroupVersionKind, wanted: GroupVersionKind) -> bytes:
    """Return a value in another version whose fields are the same."""
    return head(wanted) + value[len(head(stored_as)) :]
