"""What clients hear, and what goes on, while the store refuses writes."""

from __future__ import annotations

import asyncio

import pytest

from kubegang.apiserver.compaction import compact_forever
from kubegang.apiserver.definitions import follow_definitions
from kubegang.apiserver.expiry import expire_events_forever
from kubegang.base.clock import run_virtual
from kubegang.store.interface import (
    Encode,
    Item,
    Revision,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
)
from kubegang.store.memory import MemoryStore
from tests.component.apiharness import APPLY, CONFIG_MAPS, Api, config_map

FULL = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Failure",
    "message": "etcdserver: mvcc: database space exceeded",
    "code": 500,
}
"""What 1.37.2 answers to a write while its etcd has no space."""

EVENTS = "/api/v1/namespaces/default/events"


class RefusingStore(MemoryStore):
    """A store that refuses writes while it has a reason."""

    def __init__(self) -> None:
        super().__init__()
        self.reason: StoreError | None = None

    @property
    def problem(self) -> str:
        return str(self.reason or "")

    async def create(self, key: str, encode: Encode) -> Item:
        self._refuse()
        return await super().create(key, encode)

    async def update(self, key: str, encode: Encode, *, expected: Revision) -> Item:
        self._refuse()
        return await super().update(key, encode, expected=expected)

    async def delete(self, key: str, encode: Encode, *, expected: Revision) -> Item:
        self._refuse()
        return await super().delete(key, encode, expected=expected)

    async def compact(self, keep_after: Revision) -> None:
        self._refuse()
        await super().compact(keep_after)

    def _refuse(self) -> None:
        if self.reason is not None:
            raise self.reason


def test_a_full_disk_is_told_as_upstream_tells_it_and_reads_go_on() -> None:
    async def story() -> None:
        store = RefusingStore()
        api = await Api.start(store=store)
        await api.create(CONFIG_MAPS, config_map("c"))
        store.reason = StoreFullError("cannot write: the disk is full")
        name = f"{CONFIG_MAPS}/c"
        applied = {**config_map("c"), "data": {"a": "b"}}

        refused = [
            await api.post(CONFIG_MAPS, config_map("d")),
            await api.put(name, {**config_map("c"), "data": {"a": "b"}}),
            await api.patch(name, {"data": {"a": "b"}}),
            await api.patch(f"{name}?fieldManager=m", applied, APPLY),
            await api.delete(name),
        ]
        assert [reply.object for reply in refused] == [FULL] * 5
        assert (await api.get(name)).status == 200
        assert (await api.get(CONFIG_MAPS)).status == 200
        ready = await api.get("/readyz")
        assert (ready.status, b"the disk is full" in ready.body) == (500, True)

        store.reason = None
        assert (await api.get("/readyz")).body == b"ok"
        assert (await api.delete(name)).status == 200
        assert (await api.post(CONFIG_MAPS, config_map("d"))).status == 201

    run_virtual(story())


def test_another_failure_of_the_disk_is_a_service_that_is_unavailable() -> None:
    async def story() -> None:
        store = RefusingStore()
        api = await Api.start(store=store)
        store.reason = StoreUnavailableError("cannot write: disk I/O error")
        reply = await api.post(CONFIG_MAPS, config_map("c"))
        assert (reply.status, reply.object["reason"]) == (503, "ServiceUnavailable")
        assert reply.message == "storage is unavailable: cannot write: disk I/O error"

    run_virtual(story())


def test_what_the_server_does_by_itself_outlives_a_full_disk() -> None:
    async def story() -> None:
        store = RefusingStore()
        api = await Api.start(store=store)
        clock = api.backend.clock
        event = {**config_map("e"), "kind": "Event", "involvedObject": {"namespace": "default"}}
        await api.create(EVENTS, event)
        async with asyncio.TaskGroup() as housekeeping:
            tasks = [
                housekeeping.create_task(compact_forever(api.backend)),
                housekeeping.create_task(expire_events_forever(api.backend)),
                housekeeping.create_task(follow_definitions(api.backend)),
            ]
            store.reason = StoreFullError("cannot write: the disk is full")
            await clock.sleep(2 * 3600)
            assert (await api.get(f"{EVENTS}/e")).status == 200
            assert store.compacted == 0

            store.reason = None
            await clock.sleep(700)
            assert (await api.get(f"{EVENTS}/e")).status == 404
            assert store.compacted > 1
            for task in tasks:
                assert not task.done()
                task.cancel()

    run_virtual(story())


@pytest.mark.parametrize("reason", [StoreFullError("full"), StoreUnavailableError("no")])
def test_a_definition_is_settled_once_the_store_takes_writes_again(reason: StoreError) -> None:
    async def story() -> None:
        store = RefusingStore()
        api = await Api.start(store=store)
        async with asyncio.TaskGroup() as housekeeping:
            following = housekeeping.create_task(follow_definitions(api.backend))
            await api.create(DEFINITIONS, DEFINITION)
            store.reason = reason
            await api.backend.clock.sleep(60)
            assert not following.done()
            store.reason = None
            await api.backend.clock.sleep(60)
            served = await api.get("/apis/example.com/v1/namespaces/default/trains")
            assert served.status == 200
            following.cancel()

    run_virtual(story())


DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "trains.example.com"},
    "spec": {
        "group": "example.com",
        "names": {
            "plural": "trains",
            "singular": "train",
            "kind": "Train",
            "listKind": "TrainList",
        },
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }
        ],
    },
}
