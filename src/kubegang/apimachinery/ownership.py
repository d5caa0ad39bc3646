"""What of an object can be owned, and how ownership moves.

Metadata that the server sets belongs to nobody, and a write to one endpoint never owns what
only another endpoint can change: ``status`` on the main one, all the rest on ``/status``.

Pure.
"""

from __future__ import annotations

from kubegang.apimachinery.fieldmanagers import Entry, ManagerKey, Managers
from kubegang.apimachinery.fieldset import FieldSet, difference, ordered, union
from kubegang.apimachinery.fieldvalues import Changes, changes, field_set, zero_object
from kubegang.apimachinery.gonames import struct_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.schema import Schema

_UNOWNED_METADATA = frozenset(
    {
        "clusterName",
        "creationTimestamp",
        "generation",
        "managedFields",
        "name",
        "namespace",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)

_ALL = None
_METADATA_KEPT_BY_STATUS_WRITES: dict[str, frozenset[str] | None] = {
    "CompositePodGroup": _ALL,
    "Deployment": frozenset({"labels"}),
    "DeviceTaintRule": _ALL,
    "FlowSchema": _ALL,
    "Pod": frozenset({"deletionTimestamp", "ownerReferences"}),
    "PodGroup": _ALL,
    "PriorityLevelConfiguration": _ALL,
    "ResourceClaim": _ALL,
    "ServiceCIDR": _ALL,
    "VolumeAttachment": _ALL,
}
"""By kind: which metadata a write to ``/status`` cannot change. Other kinds: none."""

_REQUEST = "CertificateSigningRequest"
_WRITTEN_IN_PARTS: dict[tuple[str, str], dict[str, str]] = {
    (_REQUEST, ""): {"metadata": ""},
    (_REQUEST, "status"): {"metadata": "", "status": "conditions"},
    (_REQUEST, "approval"): {"metadata": "", "status": "certificate"},
}
"""By kind and endpoint: the members that can be changed there, each with what cannot in it."""


def written_part(obj: JsonObject, subresource: str, schema: Schema) -> JsonObject:
    """Return the top-level members that a write to an endpoint can change."""
    if parts := _WRITTEN_IN_PARTS.get((struct_name(schema), subresource)):
        return {
            name: {key: value for key, value in obj[name].items() if key != left_out}
            for name, left_out in parts.items()
            if name in obj
        }
    if subresource == "status":
        return {name: obj[name] for name in ("metadata", "status") if name in obj}
    others = {"apiVersion", "kind"} if schema.plain_status else {"apiVersion", "kind", "status"}
    return {name: value for name, value in obj.items() if name not in others}


def owned_part(obj: JsonObject, schema: Schema, subresource: str) -> JsonObject:
    """Return the part of an object that a write to an endpoint can own."""
    part = written_part(obj, subresource, schema)
    metadata = part.get("metadata")
    if metadata:
        unowned = _UNOWNED_METADATA
        if subresource == "status":
            kept = _kept_by_status_writes(schema)
            unowned = unowned.union(metadata if kept is _ALL else kept)
        part["metadata"] = {name: metadata[name] for name in metadata if name not in unowned}
    return part


def _kept_by_status_writes(schema: Schema) -> frozenset[str] | None:
    if schema.custom:
        return _ALL
    return _METADATA_KEPT_BY_STATUS_WRITES.get(struct_name(schema), frozenset())


def named_fields(applied: JsonObject, schema: Schema, subresource: str) -> FieldSet:
    """Return the fields that an applied object claims."""
    part = owned_part(applied, schema, subresource)
    if not part.get("metadata"):
        # Metadata as such belongs to nobody, not even if it is empty but for its name.
        part.pop("metadata", None)
    return ordered(field_set(part, schema))


def owned_changes(
    old: JsonObject | None, new: JsonObject, schema: Schema, subresource: str
) -> Changes:
    """Return what a write changes of what can be owned; ``None`` is an object to be created."""
    before = zero_object(schema) if old is None else old
    return changes(
        owned_part(before, schema, subresource), owned_part(new, schema, subresource), schema
    )


def lose(managers: Managers, fields: FieldSet) -> Managers:
    """Return the managers without some fields; who has none left is gone."""
    if not fields:
        return dict(managers)
    left: Managers = {}
    for key, entry in managers.items():
        kept = difference(entry.fields, fields)
        if kept:
            left[key] = entry if kept is entry.fields else entry._replace(fields=kept)
    return left


def gain(managers: Managers, key: ManagerKey, fields: FieldSet, now: str) -> Managers:
    """Return the managers with an updater that owns some more fields from now on."""
    present = managers.get(key)
    owned = union(present.fields, fields) if present else fields
    entry = Entry(key.manager, key.operation, key.api_version, now, ordered(owned), key.subresource)
    return {**managers, key: entry}
