"""Keeps the catalog and the status of definitions up to date while the server runs.

Upstream has a controller each for names, establishing, approval and cleaning up; here one
task follows the definitions and does for each what is due: accept its names, serve it, and
when it is deleted remove its objects and let it go. Definitions are served from the moment
before they say so, so whoever sees ``Established`` can rely on it.
"""

from __future__ import annotations

import asyncio
from functools import partial

from kubegang.api.customresources.definitions import CLEANUP_FINALIZER
from kubegang.api.customresources.naming import (
    condition,
    condition_status,
    set_condition,
    status_of,
)
from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.errors import ApiError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver import codec
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.deleting import DeleteOptions, delete_object
from kubegang.apiserver.options import WriteOptions
from kubegang.apiserver.updating import update_object
from kubegang.apiserver.writing import Write
from kubegang.base.logging import logger
from kubegang.store.interface import (
    CompactedError,
    SlowWatcherError,
    StoreClosedError,
    StoreUnavailableError,
)

LOOK_AGAIN_SECONDS = 1.0
"""So soon is looked again whether the objects of a deleted definition have gone."""

_OPTIONS = WriteOptions(dry_run=False, manager="kube-apiserver", field_validation="Ignore")

_log = logger(__name__)


async def follow_definitions(backend: Backend) -> None:
    """Follow CustomResourceDefinitions until cancelled."""
    resource = backend.catalog.resource
    if resource is not None:
        await DefinitionFollower(backend, resource).run()


class DefinitionFollower:
    """Does what is due for definitions, one after the other."""

    def __init__(self, backend: Backend, resource: ResourceInfo) -> None:
        self._backend = backend
        self._resource = resource
        self._due: asyncio.Queue[str] = asyncio.Queue()
        self._waiting: set[str] = set()

    async def run(self) -> None:
        """Follow until cancelled; a watch that falls behind begins anew with a listing."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._work(group))
            while True:
                try:
                    await self._watch()
                except StoreClosedError:
                    return
                except (CompactedError, SlowWatcherError):
                    continue

    async def _watch(self) -> None:
        store = self._backend.store
        prefix = self._resource.key_prefix()
        page = store.list(prefix)
        known = {one["metadata"]["name"] for one in self._backend.catalog.definitions()}
        for item in page.items:
            definition = codec.decode(item.value)
            known.discard(definition["metadata"]["name"])
            self._seen(definition)
        for name in known:
            self._gone(name)
        watch = store.watch(prefix, after=page.revision)
        try:
            while True:
                for change in await watch.next_batch():
                    definition = codec.decode(change.value)
                    if change.type == "deleted":
                        self._gone(definition["metadata"]["name"])
                    else:
                        self._seen(definition)
        finally:
            watch.close()

    def _seen(self, definition: JsonObject) -> None:
        self._backend.catalog.put(definition)
        self._due.put_nowait(definition["metadata"]["name"])

    def _gone(self, name: str) -> None:
        self._backend.catalog.remove(name)
        # Its names are free: others of the group may have waited for them.
        for definition in self._backend.catalog.definitions():
            self._due.put_nowait(definition["metadata"]["name"])

    async def _work(self, group: asyncio.TaskGroup) -> None:
        while True:
            name = await self._due.get()
            try:
                if await self._settle(name):
                    group.create_task(self._look_again(name))
            except NotFoundError:
                continue
            except (ApiError, StoreUnavailableError) as error:
                _log.warning("definition not settled, retrying", name=name, error=str(error))
                group.create_task(self._look_again(name))

    async def _look_again(self, name: str) -> None:
        if name in self._waiting:
            return
        self._waiting.add(name)
        await self._backend.clock.sleep(LOOK_AGAIN_SECONDS)
        self._waiting.discard(name)
        self._due.put_nowait(name)

    async def _settle(self, name: str) -> bool:
        """Do what is due for a definition; return whether it has to be looked at again."""
        item = self._backend.store.get(self._resource.key("", name))
        if item is None:
            return False
        definition = codec.decode(item.value)
        if definition["metadata"].get("deletionTimestamp"):
            return await self._clean_up(definition)
        others = [
            one for one in self._backend.catalog.definitions() if one["metadata"]["name"] != name
        ]
        status = status_of(definition, others, now=self._backend.now())
        if status != definition.get("status"):
            self._backend.catalog.put({**definition, "status": status})
            await self._write(name, partial(_with_status, status=status))
        return False

    async def _clean_up(self, definition: JsonObject) -> bool:
        metadata = definition["metadata"]
        if CLEANUP_FINALIZER not in (metadata.get("finalizers") or ()):
            return False
        name = metadata["name"]
        rows = self._backend.catalog.rows(name)
        if condition_status(definition, "Established") != "True" or not rows:
            text = "resource was never established"
            done = condition("Terminating", "False", "NeverEstablished", text)
            await self._write(name, partial(_finished, done=done, now=self._backend.now()))
            return False
        if _terminating_reason(definition) != "InstanceDeletionInProgress":
            text = "CustomResource deletion is in progress"
            going = condition("Terminating", "True", "InstanceDeletionInProgress", text)
            await self._write(name, partial(_told, told=going, now=self._backend.now()))
            return False
        if await self._delete_objects(rows[0]):
            return True
        done = condition(
            "Terminating", "False", "InstanceDeletionCompleted", "removed all instances"
        )
        await self._write(name, partial(_finished, done=done, now=self._backend.now()))
        return False

    async def _delete_objects(self, row: ResourceInfo) -> bool:
        """Ask every object of a custom kind to go; return whether any is left."""
        store = self._backend.store
        for item in store.list(row.key_prefix()).items:
            metadata = codec.decode(item.value)["metadata"]
            if metadata.get("deletionTimestamp"):
                continue
            write = Write(
                info=row,
                storage=row,
                namespace=metadata.get("namespace") or "",
                name=metadata["name"],
                options=_OPTIONS,
            )
            try:
                await delete_object(self._backend, write, DeleteOptions())
            except NotFoundError:
                continue
        return store.count(row.key_prefix()) > 0

    async def _write(self, name: str, change: partial[JsonObject]) -> None:
        write = Write(
            info=self._resource,
            storage=self._resource,
            namespace="",
            name=name,
            options=_OPTIONS,
            subresource="status",
        )
        await update_object(self._backend, write, change)


def _with_status(definition: JsonObject, *, status: JsonObject) -> JsonObject:
    definition["status"] = status
    return definition


def _told(definition: JsonObject, *, told: JsonObject, now: str) -> JsonObject:
    status = definition.setdefault("status", {})
    conditions = [dict(one) for one in status.get("conditions") or ()]
    set_condition(conditions, told, now=now)
    status["conditions"] = conditions
    return definition


def _finished(definition: JsonObject, *, done: JsonObject, now: str) -> JsonObject:
    metadata = definition["metadata"]
    finalizers = metadata.get("finalizers") or ()
    metadata["finalizers"] = [one for one in finalizers if one != CLEANUP_FINALIZER]
    return _told(definition, told=done, now=now)


def _terminating_reason(definition: JsonObject) -> str:
    for one in (definition.get("status") or {}).get("conditions") or ():
        if one["type"] == "Terminating":
            return str(one.get("reason") or "")
    return ""
