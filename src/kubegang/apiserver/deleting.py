"""Deleting an object: at once, after a grace period, or when its finalizers are gone.

What an object waits for is written on it: deletionTimestamp, grace period, finalizers. Only
pods have a grace period, and only on a node; whoever runs them deletes again with grace 0.
The finalizers for ``Orphan`` and ``Foreground`` are set here; the garbage collector acts on
them and takes them off. The steps and their events are upstream's: a pod that goes at once is
first marked (MODIFIED), then gone (DELETED).
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.errors import not_found
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.times import format_time, parse_time
from kubegang.apiserver import codec
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.strategies.table import rules_of
from kubegang.apiserver.writing import Write, check_preconditions
from kubegang.store.interface import Item, KeyMissingError, RevisionConflictError

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"
_FINISHED = ("Succeeded", "Failed")
_NAMESPACE = GroupVersionKind("", "v1", "Namespace")


class DeleteOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a DELETE asks for.

    Attributes:
        grace_seconds: ``None`` leaves it to the object.
        propagation: ``Orphan``, ``Background``, ``Foreground``, or empty: up to the kind.
    """

    grace_seconds: int | None = None
    propagation: str = ""
    uid: str = ""
    resource_version: str = ""


class Deletion(NamedTuple):
    """What became of an object: its last or current stored bytes, and whether it is gone."""

    value: bytes
    gone: bool


class _Plan(NamedTuple):
    """What to do with an object that was changed in place to be deleted.

    Attributes:
        keep: it stays for now.
        mark: the change is to be stored first.
    """

    keep: bool
    mark: bool


async def delete_object(backend: Backend, write: Write, options: DeleteOptions) -> Deletion:
    """Delete an object, or begin to.

    Raises:
        NotFoundError: there is no such object.
        ConflictError: it is not the one that the preconditions mean.
        ForbiddenError: admission says that it has to stay.
    """
    backend.admission.admit(write.admission("delete", {"metadata": {"name": write.name}}))
    while True:
        item = backend.store.get(write.key)
        if item is None:
            raise not_found(write.info.group_resource, write.name)
        obj = codec.decode(item.value)
        check_preconditions(obj, write, uid=options.uid, revision=options.resource_version)
        plan = _plan(obj, write.info, options, backend.clock.now())
        try:
            return await _carry_out(backend, write, item, obj, plan=plan)
        except RevisionConflictError:
            # Somebody else's write came between; theirs counts, so this loop makes progress.
            continue
        except KeyMissingError:
            raise not_found(write.info.group_resource, write.name) from None


async def _carry_out(
    backend: Backend, write: Write, item: Item, obj: JsonObject, *, plan: _Plan
) -> Deletion:
    stored_as = write.info.stored_as
    if write.options.dry_run:
        return Deletion(codec.encode_object(obj, stored_as), not plan.keep)
    if plan.mark:
        encode = codec.encoder(obj, stored_as)
        item = await backend.store.update(write.key, encode, expected=item.revision)
    if plan.keep:
        return Deletion(item.value, gone=False)
    if plan.mark:
        return await _remove_marked(backend, write, item)
    encode = codec.encoder(obj, stored_as)
    item = await backend.store.delete(write.key, encode, expected=item.revision)
    return Deletion(item.value, gone=True)


async def _remove_marked(backend: Backend, write: Write, item: Item) -> Deletion:
    """Remove an object that has just been marked, whatever is written to it meanwhile.

    To begin anew would find it marked already, and leave it to somebody who will not come.
    """
    stored_as = write.info.stored_as
    while True:
        obj = codec.decode(item.value)
        if obj["metadata"].get("finalizers"):
            return Deletion(item.value, gone=False)
        encode = codec.encoder(obj, stored_as)
        try:
            gone = await backend.store.delete(write.key, encode, expected=item.revision)
        except RevisionConflictError as error:
            item = error.current
        else:
            return Deletion(gone.value, gone=True)


def _plan(obj: JsonObject, info: ResourceInfo, options: DeleteOptions, now: float) -> _Plan:
    """Write onto an object what its deletion waits for, and say what to do with it."""
    metadata = obj["metadata"]
    before = dict(metadata)
    rules = rules_of(info.group_resource)
    if info.stored_as == _NAMESPACE and _namespace_waits(obj, now):
        _settle_dependents(metadata, options.propagation, orphans_by_default=False)
        return _Plan(keep=True, mark=metadata != before)
    marked = "deletionTimestamp" in metadata
    begin = rules.begin_deletion
    if begin is not None and not marked:
        begin(obj, now)
        return _Plan(keep=True, mark=True)
    graceful = info.graceful and not (marked and "deletionGracePeriodSeconds" not in metadata)
    if graceful and marked and not _shorten(metadata, options):
        return _Plan(keep=True, mark=False)
    if graceful and not marked:
        _mark(metadata, now, _grace_seconds(obj, options))
    if rules.collected:
        orphans = rules.orphans_by_default
        _settle_dependents(metadata, options.propagation, orphans_by_default=orphans)
    finalizers = metadata.get("finalizers")
    if finalizers and not graceful and not marked:
        _mark(metadata, now, 0)
    waits = graceful and metadata["deletionGracePeriodSeconds"] > 0
    return _Plan(keep=bool(finalizers) or waits, mark=metadata != before)


def _namespace_waits(namespace: JsonObject, now: float) -> bool:
    """Begin to delete a namespace; return whether something in it is still to be removed."""
    metadata = namespace["metadata"]
    if "deletionTimestamp" not in metadata:
        metadata["deletionTimestamp"] = format_time(now)
        namespace["status"] = {**(namespace.get("status") or {}), "phase": "Terminating"}
        return True
    return bool((namespace.get("spec") or {}).get("finalizers"))


def _grace_seconds(pod: JsonObject, options: DeleteOptions) -> int:
    """Return how long a pod may take: no time at all if nothing of it runs."""
    spec = pod.get("spec") or {}
    if not spec.get("nodeName") or (pod.get("status") or {}).get("phase") in _FINISHED:
        return 0
    seconds = options.grace_seconds
    if seconds is None:
        seconds = int(spec.get("terminationGracePeriodSeconds") or 0)
    return seconds if seconds >= 0 else 1


def _mark(metadata: JsonObject, now: float, seconds: int) -> None:
    metadata["deletionTimestamp"] = format_time(now + seconds)
    metadata["deletionGracePeriodSeconds"] = seconds
    if metadata.get("generation"):
        metadata["generation"] += 1


def _shorten(metadata: JsonObject, options: DeleteOptions) -> bool:
    """Take a shorter grace period; a longer one, or none, changes nothing."""
    seconds, current = options.grace_seconds, metadata["deletionGracePeriodSeconds"]
    if seconds is not None and seconds < 0:
        seconds = 1
    if seconds is None or seconds >= current:
        return False
    began = parse_time(metadata["deletionTimestamp"]) - current
    metadata["deletionTimestamp"] = format_time(began + seconds)
    metadata["deletionGracePeriodSeconds"] = seconds
    return True


def _settle_dependents(metadata: JsonObject, propagation: str, *, orphans_by_default: bool) -> None:
    """Set the finalizers that tell the garbage collector what to do with dependents.

    What the request says counts; else what an earlier request left on the object; else the
    habit of the kind.
    """
    present = metadata.get("finalizers") or []
    orphan = propagation == "Orphan" or (
        not propagation and (ORPHAN in present or orphans_by_default)
    )
    foreground = propagation == "Foreground" or (not propagation and FOREGROUND in present)
    wanted = [name for name, on in ((ORPHAN, orphan), (FOREGROUND, foreground)) if on]
    kept = [name for name in present if name not in (ORPHAN, FOREGROUND)]
    if {*kept, *wanted} != set(present):
        metadata["finalizers"] = [*kept, *wanted]
    if not metadata.get("finalizers"):
        metadata.pop("finalizers", None)
