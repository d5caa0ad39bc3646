"""Field ownership: tracking it on every write, and server-side apply.

The steps follow upstream's field managers (KEP-555). Ownership is recorded after defaulting
and before admission, so what admission and the registry fill in belongs to nobody. Updates
take fields over silently; an apply that would change somebody else's field is a conflict
unless forced, and what an applier no longer names goes if nobody else owns it.

Managers that wrote in another API version are compared as if they had used this one: in all
kinds served in several versions, the fields have the same names (Events excepted).

Pure, but that ``record_update`` sets ``metadata.managedFields`` of the new object.
"""

from __future__ import annotations

from kubegang.apimachinery.errors import (
    BadRequestError,
    ConflictError,
    StatusCause,
    StatusDetails,
    UnexplainedError,
)
from kubegang.apimachinery.fieldmanagers import (
    Entry,
    ManagerKey,
    Managers,
    capped,
    encoded,
    managers_of,
    sent_managers,
)
from kubegang.apimachinery.fieldmerge import applied_problem, merged, without_fields
from kubegang.apimachinery.fieldset import (
    FieldSet,
    difference,
    intersection,
    paths,
    union,
    with_named_fields,
)
from kubegang.apimachinery.fieldvalues import field_set
from kubegang.apimachinery.gonames import struct_name
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.lastapplied import agreed_fields, with_last_applied
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.ownership import gain, lose, named_fields, owned_changes, written_part
from kubegang.apimachinery.schema import Schema
from kubegang.apimachinery.typecheck import conversion_problem

_BEFORE_FIRST_APPLY = "before-first-apply"
_KUBECTL = "kubectl"


def record_update(
    old: JsonObject | None,
    new: JsonObject,
    *,
    schema: Schema,
    manager: str,
    api_version: str,
    subresource: str,
    now: str,
) -> None:
    """Set the managed fields of an object that a create, update or patch is about to write.

    The manager's entry gains what changed, everybody else loses it. managedFields that the
    client sent replace the stored ones first, except on subresources. An object whose
    managers were cleared is not tracked any more.

    Args:
        old: the object as it is, ``None`` for a create.
        new: the object as it will be, in canonical form, defaults included.
        schema: the kind's structure.
        manager: who writes; upstream takes the user agent up to a slash if nobody says.
        api_version: the version in which the client speaks.
        subresource: the subresource written to, or "".
        now: the current time as the API writes it.
    """
    sent = None if subresource else sent_managers(new, old)
    managers = managers_of(old) if sent is None else sent
    if managers or not _is_stored(old):
        changed, removed = owned_changes(old, new, schema, subresource)
        managers = lose(managers, union(changed, removed))
        if changed:
            key = ManagerKey(manager or "unknown", "Update", api_version, subresource)
            managers = capped(gain(managers, key, changed, now))
    _write(new, managers)


def apply(
    live: JsonObject | None,
    applied: JsonObject,
    *,
    schema: Schema,
    manager: str,
    api_version: str,
    subresource: str,
    force: bool,
    now: str,
) -> JsonObject:
    """Return the object that a server-side apply makes of the live one.

    Its managed fields are set. Defaults, canonical form and the server's own metadata are the
    caller's business, and ``keep_times`` afterwards. The result shares parts with ``live``
    and ``applied``.

    Args:
        live: the object as it is, ``None`` if the apply creates it.
        applied: the configuration as sent.
        schema: the kind's structure.
        manager: the applier's name.
        api_version: the version of the request's path.
        subresource: the subresource applied to, or "".
        force: whether to take over fields that others own.
        now: the current time as the API writes it.

    Raises:
        BadRequestError: the configuration is of another kind, or has managedFields.
        ConflictError: it changes fields of others, and ``force`` is false.
        UnexplainedError: it does not fit the structure; a 500, as upstream.
    """
    _check_applied(applied, schema, api_version)
    own = Entry(manager, "Apply", api_version, "", {}, subresource)
    managers = managers_of(live)
    previous = managers.get(own.key, own)
    if live is not None and not managers:
        managers = _first_managers(live, schema, api_version, subresource=subresource, now=now)
    named = named_fields(applied, schema, subresource)
    others = {key: entry for key, entry in managers.items() if key != own.key}
    claimed = written_part(applied, subresource, schema)
    # Here the applier's claim includes the name: what has a name is not pruned away.
    owned = [field_set(claimed, schema), *(entry.fields for entry in others.values())]
    result = _pruned(merged(live or {}, claimed, schema), schema, previous.fields, owned)
    changed, removed = owned_changes(live, result, schema, subresource)
    if not force:
        forgiven = agreed_fields(live, schema) if manager == _KUBECTL else {}
        _check_conflicts(others, changed, forgiven)
    others = lose(others, union(changed, removed))
    if named:
        # Upstream looks at the whole object here, also at what this endpoint cannot change.
        has_effect = changed or removed or merged(live or {}, applied, schema) != live
        time = now if has_effect else previous.time
        others[own.key] = own._replace(fields=named, time=time)
    _check_converts(result, applied, schema)
    if manager == _KUBECTL:
        result = with_last_applied(result, applied)
    result = {**result, "metadata": dict(result["metadata"])}
    _write(result, others)
    return {"apiVersion": applied["apiVersion"], "kind": applied["kind"], **result}


def keep_times(old: JsonObject, new: JsonObject) -> None:
    """Give the new object's managers their old times back if nothing else differs.

    So a write without effect stays one, although it was recorded at another time.
    """
    recorded = (old.get("metadata") or {}).get("managedFields")
    if recorded and _without_times(new) == _without_times(old):
        new["metadata"]["managedFields"] = recorded


def _is_stored(obj: JsonObject | None) -> bool:
    return bool(obj and (obj.get("metadata") or {}).get("uid"))


def _write(obj: JsonObject, managers: Managers) -> None:
    if managers:
        obj["metadata"]["managedFields"] = encoded(managers.values())
    else:
        obj["metadata"].pop("managedFields", None)


def _without_times(obj: JsonObject) -> JsonObject:
    metadata = obj.get("metadata") or {}
    entries = metadata.get("managedFields") or ()
    timeless = [{**entry, "time": None} for entry in entries]
    return {**obj, "metadata": {**metadata, "managedFields": timeless}}


def _check_applied(applied: JsonObject, schema: Schema, api_version: str) -> None:
    gvk = GroupVersionKind.of(applied)
    kind = struct_name(schema)
    if str(gvk.group_version) != api_version or gvk.kind != kind:
        group_version = f"{gvk.group}/{gvk.version}"
        raise BadRequestError(f"invalid object type: {group_version}, Kind={gvk.kind}")
    metadata = applied.get("metadata")
    if isinstance(metadata, dict) and metadata.get("managedFields") is not None:
        raise BadRequestError("metadata.managedFields must be nil")
    problem = applied_problem(applied, schema)
    if problem:
        raise UnexplainedError(
            f"failed to create typed patch object ({_described(applied)}): {problem}"
        )


def _check_converts(result: JsonObject, applied: JsonObject, schema: Schema) -> None:
    """Check the types that server-side apply itself does not know, such as times."""
    problem = conversion_problem(result, schema)
    if problem:
        gvk = GroupVersionKind.of(applied)
        shown = f"{gvk.group}/{gvk.version}, Kind={gvk.kind}"
        raise UnexplainedError(
            f"failed to convert new object ({_described(applied)}) to proper version: "
            f"unable to convert unstructured object to {shown}: {problem}"
        )


def _described(obj: JsonObject) -> str:
    gvk = GroupVersionKind.of(obj)
    metadata = obj.get("metadata") or {}
    name = f"{metadata.get('namespace') or ''}/{metadata.get('name') or ''}"
    return f"{name}; {gvk.group}/{gvk.version}, Kind={gvk.kind}"


def _first_managers(
    live: JsonObject, schema: Schema, api_version: str, *, subresource: str, now: str
) -> Managers:
    """Return who owns an object that nobody kept track of: all of it, one invented manager."""
    changed, _ = owned_changes(None, live, schema, subresource)
    key = ManagerKey(_BEFORE_FIRST_APPLY, "Update", api_version, subresource)
    return gain({}, key, changed, now) if changed else {}


def _pruned(
    result: JsonObject, schema: Schema, previous: FieldSet, owned: list[FieldSet]
) -> JsonObject:
    """Take out what the applier named before and nobody owns now.

    A list item or map entry goes with all in it, unless something in it is owned; declared
    fields go only if they were named or hold nothing else.
    """
    still_owned: FieldSet = {}
    for fields in owned:
        still_owned = union(still_owned, fields)
    if not difference(previous, still_owned):
        return result
    present = with_named_fields(field_set(result, schema), schema)
    previous = with_named_fields(previous, schema)
    kept = _present_without(result, previous, schema)
    kept = union(kept, with_named_fields(still_owned, schema))
    kept = _present_without(result, difference(present, kept), schema)
    gone = intersection(difference(present, kept), previous)
    pruned: JsonObject = without_fields(result, gone, schema)
    return pruned


def _present_without(result: JsonObject, fields: FieldSet, schema: Schema) -> FieldSet:
    left = without_fields(result, fields, schema)
    return with_named_fields(field_set(left, schema), schema)


def _check_conflicts(others: Managers, changed: FieldSet, forgiven: FieldSet) -> None:
    conflicts: list[tuple[Entry, str]] = []
    for key in sorted(others):
        entry = others[key]
        fields = difference(intersection(entry.fields, changed), forgiven)
        conflicts += [(entry, path) for path in paths(fields)]
    if not conflicts:
        return
    causes = tuple(
        StatusCause("FieldManagerConflict", f"conflict with {_shown(entry)}", path)
        for entry, path in conflicts
    )
    raise ConflictError(_conflict_text(conflicts), details=StatusDetails(causes=causes))


def _conflict_text(conflicts: list[tuple[Entry, str]]) -> str:
    if len(conflicts) == 1:
        entry, path = conflicts[0]
        return f"Apply failed with 1 conflict: conflict with {_shown(entry)}: {path}"
    lines: list[str] = []
    last = None
    for entry, path in conflicts:
        if entry is not last:
            lines.append(f"conflicts with {_shown(entry)}:")
        lines.append(f"- {path}")
        last = entry
    return f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)


def _shown(entry: Entry) -> str:
    text = go_quote(entry.manager)
    if entry.subresource:
        text += f" with subresource {go_quote(entry.subresource)}"
    if entry.operation == "Update":
        text += f" using {entry.api_version}"
    return text
