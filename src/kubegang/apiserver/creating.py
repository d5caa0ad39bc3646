"""Creating an object: from a decoded body to stored bytes, in upstream's order."""

from __future__ import annotations

from kubegang.api.dropping import canonicalize
from kubegang.apimachinery.errors import AlreadyExistsError, UnexplainedError, already_exists
from kubegang.apimachinery.managedfields import record_update
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver import codec, conversion
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.customresources.preparing import refuse_if_terminating
from kubegang.apiserver.owners import drop_repeated_owners
from kubegang.apiserver.quota.charging import charge
from kubegang.apiserver.registry import complete, complete_accepted, prepare_create
from kubegang.apiserver.services.allocation import allocate
from kubegang.apiserver.validating import create_errors, create_warnings, early_warnings
from kubegang.apiserver.writing import Write, place_in_namespace
from kubegang.store.interface import KeyExistsError

_GENERATED_NAME_ATTEMPTS = 8
"""How often another suffix is tried before a generateName is given up (upstream's number)."""


async def create_object(
    backend: Backend, write: Write, obj: JsonObject, *, managed: bool = False
) -> bytes:
    """Create an object and return its stored bytes.

    The object is typed and pruned, in the version of the write; it is used up. ``managed``
    says that its fields' owners are recorded already, as after a server-side apply.

    Raises:
        ApiError: admission or validation refuses it, or the name is taken.
    """
    place_in_namespace(obj, write)
    if obj["metadata"].get("resourceVersion"):
        raise UnexplainedError("resourceVersion should not be set on objects to be created")
    complete(obj, write.info, backend.gates)
    write.warn(drop_repeated_owners(obj, from_patch=managed))
    if not managed:
        _record(backend, write, obj)
    refuse_if_terminating(write.info, obj["metadata"].get("name") or "")
    backend.admission.admit(write.admission("create", obj))
    try:
        if obj["metadata"].get("generateName") and not obj["metadata"].get("name"):
            return await _create_with_generated_name(backend, write, obj)
        return await _create_named(backend, write, obj)
    finally:
        backend.services.release(write.held)


async def _create_with_generated_name(backend: Backend, write: Write, obj: JsonObject) -> bytes:
    """Try names until one is free; each attempt needs the object as it was."""
    pristine = codec.encode_as_is(obj)
    for _ in range(_GENERATED_NAME_ATTEMPTS - 1):
        try:
            return await _create_named(backend, write, codec.decode(pristine))
        except AlreadyExistsError:
            continue
    return await _create_named(backend, write, obj)


async def _create_named(backend: Backend, write: Write, obj: JsonObject) -> bytes:
    info = write.info
    if write.is_service:
        allocate(backend.services, write.held, obj, None)
    write.warn(early_warnings(obj, info))
    prepare_create(obj, info, gates=backend.gates, now=backend.now(), rng=backend.rng)
    canonicalize(obj, info.gvk)
    name = obj["metadata"].get("name", "")
    errors = create_errors(obj, info, backend.gates, release=backend.validation)
    write.check_valid(name, errors, kind=obj["kind"])
    write.warn(create_warnings(obj, info, release=backend.warnings))
    write.warn(backend.admission.check(write.admission("create", obj)))
    await charge(backend, write, obj)
    complete_accepted(obj, info)
    stored = conversion.to_stored(obj, info)
    key = write.storage.key(write.namespace, name)
    if write.options.dry_run:
        _refuse_taken(backend, write, key, name)
        return codec.encode_object(stored, info.stored_as)
    try:
        item = await backend.store.create(key, codec.encoder(stored, info.stored_as))
    except KeyExistsError as error:
        raise _taken(backend, write, key, name) from error
    return item.value


def _record(backend: Backend, write: Write, obj: JsonObject) -> None:
    record_update(
        None,
        obj,
        schema=backend.schema(write.info),
        manager=write.options.manager,
        api_version=str(write.info.group_version),
        subresource=write.subresource,
        now=backend.now(),
    )


def _refuse_taken(backend: Backend, write: Write, key: str, name: str) -> None:
    if backend.store.get(key) is not None:
        raise _taken(backend, write, key, name)


def _taken(backend: Backend, write: Write, key: str, name: str) -> AlreadyExistsError:
    error = already_exists(write.info.group_resource, name)
    item = backend.store.get(key)
    if item is not None and "deletionTimestamp" in codec.decode(item.value)["metadata"]:
        return AlreadyExistsError(
            f"object is being deleted: {error.message}", details=error.details
        )
    return error
