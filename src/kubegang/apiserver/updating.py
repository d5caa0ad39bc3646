"""Changing an object: read, change, check, write, and again if somebody else was faster."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kubegang.api.dropping import canonicalize
from kubegang.apimachinery.errors import (
    StatusCause,
    UnexplainedError,
    invalid,
    not_found,
)
from kubegang.apimachinery.managedfields import keep_times, record_update
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.apiserver import codec, conversion
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.errors import unsigned_problem
from kubegang.apiserver.owners import drop_repeated_owners
from kubegang.apiserver.quota.charging import charge
from kubegang.apiserver.registry import complete, prepare_update
from kubegang.apiserver.services.allocation import allocate
from kubegang.apiserver.validating import update_errors, update_warnings
from kubegang.apiserver.writing import MODIFIED, Write, check_name, place_in_namespace
from kubegang.store.interface import Item, KeyMissingError, RevisionConflictError

Change = Callable[[JsonObject], JsonObject]
"""Makes the new object, typed and pruned, from the old one, parts of which it may keep. Called
anew for each attempt. May raise an ``ApiError``."""


class _Prepared(NamedTuple):
    """What an update comes to: the new object, and the old one to compare it with."""

    new: JsonObject
    old: JsonObject


async def update_object(
    backend: Backend,
    write: Write,
    change: Change,
    *,
    managed: bool = False,
    precondition: bool = False,
) -> bytes:
    """Change an object and return its stored bytes; nothing is written if nothing changes.

    Args:
        backend: the server's parts.
        write: which object, and on whose behalf.
        change: makes the new object.
        managed: ``change`` records who owns the fields, as a server-side apply does.
        precondition: the uid in the new object says which object is meant, as with PUT.

    Raises:
        NotFoundError: there is no such object.
        ApiError: the change is refused.
    """
    while True:
        item = backend.store.get(write.key)
        if item is None:
            raise not_found(write.info.group_resource, write.name)
        try:
            prepared = _prepare(
                backend, write, item, change, managed=managed, precondition=precondition
            )
            if prepared.new == prepared.old:
                return item.value
            await charge(backend, write, prepared.new, prepared.old)
            return await _store(backend, write, item, prepared)
        except RevisionConflictError:
            # Somebody else's write came between; theirs counts, so this loop makes progress.
            continue
        except KeyMissingError:
            raise not_found(write.info.group_resource, write.name) from None
        finally:
            backend.services.release(write.held)


def _prepare(
    backend: Backend,
    write: Write,
    item: Item,
    change: Change,
    *,
    managed: bool,
    precondition: bool,
) -> _Prepared:
    old, new = _changed(backend, write, item, change, precondition=precondition)
    if not managed:
        _record(backend, write, old, new)
    backend.admission.admit(write.admission("update", new, old))
    _check_revision(new, item, write)
    if write.is_service:
        allocate(backend.services, write.held, new, old)
    _validate(backend, write, new, old)
    write.warn(backend.admission.check(write.admission("update", new, old)))
    if new["metadata"].get("managedFields") != old["metadata"].get("managedFields"):
        keep_times(old, new)
    return _Prepared(new, old)


def _changed(
    backend: Backend, write: Write, item: Item, change: Change, *, precondition: bool
) -> tuple[JsonObject, JsonObject]:
    """Return the stored object, and what the change makes of it, complete."""
    old = conversion.from_stored(item.value, write.info)
    # From a copy of its own: the new object is changed in place below, and compared with the
    # old one in the end.
    new = change(conversion.from_stored(item.value, write.info))
    new["metadata"] = new.get("metadata") or {}
    check_name(new, write)
    place_in_namespace(new, write)
    complete(new, write.info, backend.gates)
    if precondition:
        _check_uid(new, old, write)
    write.warn(drop_repeated_owners(new, from_patch=not precondition))
    return old, new


def _validate(backend: Backend, write: Write, new: JsonObject, old: JsonObject) -> None:
    """Put what users may not change in order, and refuse what is wrong."""
    info, subresource = write.info, write.subresource
    now = format_time(backend.clock.now())
    prepare_update(new, old, info, gates=backend.gates, subresource=subresource, now=now)
    canonicalize(new, info.gvk)
    errors = update_errors(
        new, old, info, backend.gates, subresource=subresource, release=backend.validation
    )
    write.check_valid(write.name, errors, kind=new["kind"])
    write.warn(update_warnings(new, old, info, subresource=subresource, release=backend.warnings))


async def _store(backend: Backend, write: Write, item: Item, prepared: _Prepared) -> bytes:
    info = write.info
    stored = conversion.to_stored(prepared.new, info)
    if write.options.dry_run:
        return codec.encode_object(stored, info.stored_as)
    if may_go(prepared.new, prepared.old):
        last = codec.decode(item.value)
        await backend.store.delete(
            write.key, codec.encoder(last, info.stored_as), expected=item.revision
        )
        return codec.encode_object(stored, info.stored_as)
    written = await backend.store.update(
        write.key, codec.encoder(stored, info.stored_as), expected=item.revision
    )
    return written.value


def may_go(new: JsonObject, old: JsonObject) -> bool:
    """Return whether this change takes away the last thing that a deletion waited for."""
    metadata = old["metadata"]
    return (
        not new["metadata"].get("finalizers")
        and "deletionTimestamp" in metadata
        and not metadata.get("deletionGracePeriodSeconds")
        and not (new["kind"] == "Namespace" and (new.get("spec") or {}).get("finalizers"))
    )


def _check_uid(new: JsonObject, old: JsonObject, write: Write) -> None:
    wanted, found = new["metadata"].get("uid"), old["metadata"]["uid"]
    if wanted and wanted != found:
        raise write.precondition_failed("UID", wanted, found)


def _check_revision(new: JsonObject, item: Item, write: Write) -> None:
    """Compare the resourceVersion that the client last saw, if it sent one."""
    text = new["metadata"].get("resourceVersion") or "0"
    if problem := unsigned_problem(text):
        raise UnexplainedError(problem)
    if int(text) == 0:
        if write.info.update_needs_version:
            info = write.info
            cause = StatusCause(
                reason="FieldValueInvalid",
                message="Invalid value: 0: must be specified for an update",
                field="metadata.resourceVersion",
            )
            raise invalid(info.group, info.plural, write.name, (cause,))
    elif int(text) != item.revision:
        raise write.conflict(MODIFIED)
    new["metadata"]["resourceVersion"] = str(item.revision)


def _record(backend: Backend, write: Write, old: JsonObject, new: JsonObject) -> None:
    record_update(
        old,
        new,
        schema=backend.schema(write.info),
        manager=write.options.manager,
        api_version=str(write.info.group_version),
        subresource=write.subresource,
        # Who scales is noted without a time, however the Scale was written (measured on 1.37.2).
        now="" if write.subresource == "scale" else backend.now(),
    )
