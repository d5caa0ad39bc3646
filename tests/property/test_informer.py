"""An informer against a server whose watches break, repeat themselves and forget history.

Whatever happens on the way, at the end the local copy is what the server has, and handlers
have heard a history that makes sense: nothing is added twice, and nothing is changed or
deleted that was not added.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.apimachinery.errors import ExpiredError, InternalError, ServiceUnavailableError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.api import ApiClient
from kubegang.client.informer import Informer
from kubegang.client.interface import Request, Response, UnreachableError
from kubegang.client.resources import CONFIGMAPS

NAMES = ("a", "b", "c")


class UnreliableServer:
    """A transport to a server that keeps ConfigMaps and misbehaves while ``calm`` is false."""

    def __init__(self, rng: random.Random) -> None:
        self.objects: dict[str, JsonObject] = {}
        self.revision = 10
        self.calm = False
        self._rng = rng
        self._uids = 0
        self._history: list[tuple[int, bytes]] = []
        self._oldest = 10
        self._changed = asyncio.Event()

    def change(self) -> None:
        """Create, change, delete or replace something."""
        name = self._rng.choice(NAMES)
        self.revision += self._rng.randrange(1, 3)
        old = self.objects.get(name)
        if old is None:
            self._uids += 1
            self._write("ADDED", name, f"uid-{self._uids}")
        elif self._rng.random() < 0.4:
            del self.objects[name]
            last = {**old, "metadata": {**old["metadata"], "resourceVersion": str(self.revision)}}
            self._record("DELETED", last)
        else:
            self._write("MODIFIED", name, old["metadata"]["uid"])

    def forget(self) -> None:
        """Lose history, as compaction does."""
        self._oldest = self.revision
        self._history.clear()

    async def send(self, request: Request) -> Response:
        """Answer a list."""
        self._maybe_fail()
        body = {"metadata": {"resourceVersion": str(self.revision)}, "items": [*self._sorted()]}
        return Response(200, {}, msgspec.json.encode(body))

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Answer a watch."""
        self._maybe_fail()
        position = int(dict(request.query)["resourceVersion"])
        while True:
            if position < self._oldest:
                raise ExpiredError("too old resource version")
            for revision, line in list(self._history):
                if revision > position:
                    yield line
                    position = revision
                    if self._misbehaves(0.15):
                        # An event of before comes again.
                        yield self._rng.choice(
                            [again for at, again in self._history if at <= position] or [line]
                        )
                    self._maybe_fail()
            if self._misbehaves(0.2):
                return
            if self._misbehaves(0.2) or self.calm:
                bookmark = {"metadata": {"resourceVersion": str(position)}}
                yield msgspec.json.encode({"type": "BOOKMARK", "object": bookmark})
            self._changed.clear()
            await self._changed.wait()

    async def close(self) -> None:
        """Do nothing."""

    def calm_down(self) -> None:
        """Behave from now on."""
        self.calm = True
        self._changed.set()

    def _sorted(self) -> list[JsonObject]:
        return [self.objects[name] for name in sorted(self.objects)]

    def _write(self, event: str, name: str, uid: str) -> None:
        metadata = {
            "name": name,
            "namespace": "default",
            "uid": uid,
            "resourceVersion": str(self.revision),
        }
        self.objects[name] = {"metadata": metadata, "data": {"at": str(self.revision)}}
        self._record(event, self.objects[name])

    def _record(self, event: str, obj: JsonObject) -> None:
        line = msgspec.json.encode({"type": event, "object": obj})
        self._history.append((self.revision, line))
        self._changed.set()

    def _misbehaves(self, chance: float) -> bool:
        return not self.calm and self._rng.random() < chance

    def _maybe_fail(self) -> None:
        if self._misbehaves(0.1):
            raise self._rng.choice(
                (
                    UnreachableError("connection reset"),
                    ServiceUnavailableError("starting"),
                    InternalError("etcd is away"),
                    ExpiredError("too old resource version"),
                )
            )


class Witness:
    """Handlers that check what they hear against what they heard before."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}
        self.uids: set[str] = set()

    def added(self, obj: JsonObject) -> None:
        metadata = obj["metadata"]
        assert metadata["name"] not in self.known, "added twice"
        assert metadata["uid"] not in self.uids, "rose from the dead"
        self.uids.add(metadata["uid"])
        self.known[metadata["name"]] = obj

    def updated(self, old: JsonObject, new: JsonObject) -> None:
        assert self.known[old["metadata"]["name"]] is old
        assert old["metadata"]["uid"] == new["metadata"]["uid"]
        assert version(old) < version(new), "went back in time"
        self.known[new["metadata"]["name"]] = new

    def deleted(self, obj: JsonObject) -> None:
        last = self.known.pop(obj["metadata"]["name"])
        assert last["metadata"]["uid"] == obj["metadata"]["uid"]
        assert version(last) <= version(obj)


def version(obj: JsonObject) -> int:
    return int(obj["metadata"]["resourceVersion"])


async def follow(seed: int, steps: list[str]) -> None:
    clock = VirtualClock(0)
    server = UnreliableServer(random.Random(seed))
    informer: Informer[JsonObject] = Informer(
        ApiClient(server, user_agent="test"), CONFIGMAPS, clock=clock, rng=random.Random(seed)
    )
    informer.index("uid", lambda obj: [obj["metadata"]["uid"]])
    witness = Witness()
    informer.add_handler(witness.added, witness.updated, witness.deleted)
    async with asyncio.TaskGroup() as tasks:
        running = informer.start(tasks)
        for step in steps:
            if step == "wait":
                await clock.sleep(1)
            elif step == "forget":
                server.forget()
            else:
                server.change()
        server.calm_down()
        await clock.sleep(60)
        running.cancel()

    copy = {obj["metadata"]["name"]: obj for obj in informer.items()}
    wanted = {
        name: {"apiVersion": "v1", "kind": "ConfigMap", **obj}
        for name, obj in server.objects.items()
    }
    assert informer.synced.is_set()
    assert copy == wanted
    assert witness.known == wanted
    for obj in wanted.values():
        assert informer.by_index("uid", obj["metadata"]["uid"]) == [obj]


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 2**32),
    st.lists(st.sampled_from(["change", "change", "change", "wait", "forget"]), max_size=40),
)
def test_the_copy_ends_up_as_what_the_server_has(seed: int, steps: list[str]) -> None:
    run_virtual(follow(seed, steps))
