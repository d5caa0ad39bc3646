"""A small API in memory that is slow, refuses, forgets and lags when it is told to.

It knows only what a scheduler and the users of these tests need of Kubernetes: lists, watches,
bindings, status patches and deletions. That makes it some ten times faster than the real one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from kubegang.apimachinery.errors import (
    ApiError,
    ConflictError,
    ExpiredError,
    NotFoundError,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.interface import Request, Response, UnreachableError

ONE_WAY_SECONDS = 0.002
"""How long a request takes to the server, and an answer back."""

FINISHED = ("Succeeded", "Failed")


class Change(NamedTuple):
    """What happened to an object."""

    version: int
    old: JsonObject | None
    new: JsonObject | None


class Fault(NamedTuple):
    """What goes wrong with a request.

    Attributes:
        error: the answer; ``None`` for none at all, but only late.
        done: the request is carried out all the same.
        seconds: how late it is.
    """

    method: str
    path: str
    error: ApiError | UnreachableError | None
    done: bool = False
    seconds: float = 0.0


@dataclass
class Feed:
    """The objects of one resource, and what watches show of them.

    Attributes:
        held: watches show nothing for now.
        epoch: grows when all watches break.
        oldest: watches that begin before this version are refused.
    """

    objects: dict[tuple[str, str], JsonObject] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    held: bool = False
    epoch: int = 0
    oldest: int = 0
    _stirred: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self) -> None:
        """Return when something may have changed."""
        await self._stirred.wait()

    def stir(self) -> None:
        """Let whoever waits look again."""
        event, self._stirred = self._stirred, asyncio.Event()
        event.set()


class Target(NamedTuple):
    """What a path names."""

    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""


class SmallApi:
    """The objects, and a transport to them.

    Attributes:
        graceless: deleted pods are gone at once, whatever their grace period.
        bindings_left: so many bindings still come through, then all hang; ``None``: all do.
        bound: the pods that were bound, with their nodes, in order.
        bound_lately: those since the scheduler was started.
        bound_again: those that the same scheduler asked to bind again.
    """

    def __init__(self, clock: Clock) -> None:
        self.graceless = False
        self.bindings_left: int | None = None
        self.bound: list[tuple[str, str]] = []
        self.bound_lately: set[str] = set()
        self.bound_again: list[str] = []
        self._clock = clock
        self._version = 1
        self._feeds: dict[str, Feed] = {}
        self._faults: list[Fault] = []

    # --- what tests do -------------------------------------------------------------------

    def feed(self, plural: str) -> Feed:
        """Return a resource's objects."""
        return self._feeds.setdefault(plural, Feed())

    def objects(self, plural: str) -> list[JsonObject]:
        """Return all objects of a resource, by name."""
        return [obj for _, obj in sorted(self.feed(plural).objects.items())]

    def get(self, plural: str, name: str, namespace: str = "default") -> JsonObject | None:
        """Return an object, or ``None``."""
        return self.feed(plural).objects.get((namespace, name))

    def write(self, plural: str, obj: JsonObject) -> JsonObject:
        """Create or replace an object."""
        meta = obj["metadata"]
        key = (meta.get("namespace", ""), meta["name"])
        old = self.feed(plural).objects.get(key)
        self._version += 1
        kept = old["metadata"] if old else {"uid": f"{plural}-{meta['name']}-{self._version}"}
        stamp = {"uid": kept["uid"], "creationTimestamp": kept.get("creationTimestamp", _STAMP)}
        new = {**obj, "metadata": {**stamp, **meta, "resourceVersion": str(self._version)}}
        self._show(plural, key, Change(self._version, old, new))
        return new

    def remove(self, plural: str, name: str, namespace: str = "default") -> None:
        """Delete an object at once."""
        old = self.feed(plural).objects.get((namespace, name))
        if old is not None:
            self._version += 1
            self._show(plural, (namespace, name), Change(self._version, old, None))

    def delete_pod(self, name: str) -> None:
        """Delete a pod as users do: one that runs gets time."""
        pod = self.get("pods", name)
        if pod is None:
            return
        grace = pod["spec"].get("terminationGracePeriodSeconds", 0)
        if self.graceless or not grace or not pod["spec"].get("nodeName"):
            self.remove("pods", name)
        elif not pod["metadata"].get("deletionTimestamp"):
            meta = {**pod["metadata"], "deletionTimestamp": _STAMP}
            self.write("pods", {**pod, "metadata": meta})

    def bind(self, name: str, node: str, uid: str = "") -> None:
        """Bind a pod as the API does."""
        pod = self.get("pods", name)
        if pod is None:
            raise NotFoundError(f'pods "{name}" not found')
        if uid and pod["metadata"]["uid"] != uid:
            raise ConflictError("the uid in the precondition is another one")
        if pod["metadata"].get("deletionTimestamp"):
            raise ConflictError(f"pod {name} is being deleted, cannot be assigned to a host")
        if pod["spec"].get("nodeName"):
            raise ConflictError(f"pod {name} is already assigned to node")
        scheduled = {"type": "PodScheduled", "status": "True"}
        status = {**pod.get("status", {}), "conditions": [scheduled]}
        status.pop("nominatedNodeName", None)
        self.write("pods", {**pod, "spec": {**pod["spec"], "nodeName": node}, "status": status})

    def fail(self, fault: Fault) -> None:
        """Let the next request that fits go wrong."""
        self._faults.append(fault)

    def break_watches(self, plural: str, *, expired: bool) -> None:
        """End all watches; ``expired`` ones cannot be taken up again."""
        feed = self.feed(plural)
        feed.epoch += 1
        if expired:
            self._version += 1
            feed.oldest = self._version
        feed.stir()

    def hold(self, plural: str, *, held: bool) -> None:
        """Let watches of a resource show nothing for now, or all again."""
        feed = self.feed(plural)
        feed.held = held
        feed.stir()

    def heal(self) -> None:
        """Let nothing go wrong any more."""
        self._faults.clear()
        self.bindings_left = None
        for plural in list(self._feeds):
            self.hold(plural, held=False)

    # --- transport -----------------------------------------------------------------------

    async def send(self, request: Request) -> Response:
        """Carry out a request, with what shall go wrong with it."""
        fault = self._fault_for(request)
        if request.path.endswith("/binding"):
            await self._admit_binding()
        await self._clock.sleep(ONE_WAY_SECONDS + (fault.seconds if fault else 0.0))
        if fault and fault.error is not None and not fault.done:
            raise fault.error
        answer = self._carry_out(request)
        await self._clock.sleep(ONE_WAY_SECONDS)
        if fault and fault.error is not None:
            raise fault.error
        return Response(200, {}, json.dumps(answer).encode())

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Show what happens to a resource."""
        feed = self.feed(target_of(request.path).plural)
        query = dict(request.query)
        position, epoch = int(query["resourceVersion"]), feed.epoch
        if position < feed.oldest:
            raise ExpiredError("too old resource version")
        cursor = sum(change.version <= position for change in feed.changes)
        while True:
            while epoch == feed.epoch and (feed.held or cursor == len(feed.changes)):
                await feed.wait()
            if epoch != feed.epoch:
                raise UnreachableError("the connection was reset")
            line = _line(feed.changes[cursor], unfinished="fieldSelector" in query)
            cursor += 1
            if line is not None:
                yield json.dumps(line).encode()

    async def close(self) -> None:
        """Do nothing: there are no connections."""

    # --- steps ---------------------------------------------------------------------------

    def _show(self, plural: str, key: tuple[str, str], change: Change) -> None:
        feed = self.feed(plural)
        if change.new is None:
            del feed.objects[key]
        else:
            feed.objects[key] = change.new
        feed.changes.append(change)
        feed.stir()

    def _fault_for(self, request: Request) -> Fault | None:
        for fault in self._faults:
            if fault.method == request.method and fault.path in request.path:
                self._faults.remove(fault)
                return fault
        return None

    async def _admit_binding(self) -> None:
        if self.bindings_left is None:
            return
        if not self.bindings_left:
            await asyncio.Event().wait()
        self.bindings_left -= 1

    def _carry_out(self, request: Request) -> JsonObject:
        target = target_of(request.path)
        body = json.loads(request.body) if request.body else {}
        if target.plural == "events":
            return body if isinstance(body, dict) else {}
        match request.method:
            case "GET" if not target.name:
                return self._list(target.plural, unfinished="fieldSelector" in dict(request.query))
            case "GET":
                return self._found(target)
            case "POST" if target.subresource == "binding":
                node, uid = body["target"]["name"], body["metadata"]["uid"]
                if uid in self.bound_lately:
                    self.bound_again.append(uid)
                self.bind(target.name, node, uid)
                self.bound.append((uid, node))
                self.bound_lately.add(uid)
                return {"kind": "Status", "status": "Success"}
            case "PATCH":
                return self._patch(target, body)
            case "DELETE":
                uid = self._found(target)["metadata"]["uid"]
                if body.get("preconditions", {}).get("uid", uid) != uid:
                    raise ConflictError("the uid in the precondition is another one")
                self.delete_pod(target.name)
                return {"kind": "Status", "status": "Success"}
        raise NotImplementedError(f"{request.method} {request.path}")

    def _found(self, target: Target) -> JsonObject:
        found = self.get(target.plural, target.name, target.namespace)
        if found is None:
            raise NotFoundError(f'{target.plural} "{target.name}" not found')
        return found

    def _list(self, plural: str, *, unfinished: bool) -> JsonObject:
        items = [obj for obj in self.objects(plural) if not unfinished or _is_unfinished(obj)]
        return {
            "kind": "List",
            "apiVersion": "v1",
            "metadata": {"resourceVersion": str(self._version)},
            "items": items,
        }

    def _patch(self, target: Target, patch: JsonObject) -> JsonObject:
        found = self._found(target)
        uid = patch.get("metadata", {}).get("uid", found["metadata"]["uid"])
        if uid != found["metadata"]["uid"]:
            raise ConflictError("the uid in the precondition is another one")
        status = {**found.get("status", {}), **patch["status"]}
        conditions = found.get("status", {}).get("conditions", [])
        status["conditions"] = _merged(conditions, patch["status"].get("conditions", []))
        if not status.get("nominatedNodeName"):
            status.pop("nominatedNodeName", None)
        return self.write(target.plural, {**found, "status": status})


_STAMP = "2026-11-29T00:00:00Z"


def target_of(path: str) -> Target:
    """Return what a path names."""
    parts = path.strip("/").split("/")
    parts = parts[2:] if parts[0] == "api" else parts[3:]
    if parts[0] == "namespaces" and len(parts) > 2:
        return Target(parts[2], parts[1], *parts[3:])
    return Target(parts[0], "", *parts[1:])


def _is_unfinished(obj: JsonObject) -> bool:
    return obj.get("status", {}).get("phase") not in FINISHED


def _line(change: Change, *, unfinished: bool) -> JsonObject | None:
    """Return a change as a watch shows it that may see only unfinished pods."""
    old = change.old if change.old and not (unfinished and not _is_unfinished(change.old)) else None
    new = change.new if change.new and not (unfinished and not _is_unfinished(change.new)) else None
    if new is not None:
        return {"type": "MODIFIED" if old else "ADDED", "object": new}
    if old is None:
        return None
    last = change.new or old
    meta = {**last["metadata"], "resourceVersion": str(change.version)}
    return {"type": "DELETED", "object": {**last, "metadata": meta}}


def _merged(old: Iterable[JsonObject], new: Iterable[JsonObject]) -> list[JsonObject]:
    merged = {condition["type"]: condition for condition in old}
    merged.update({condition["type"]: condition for condition in new})
    return list(merged.values())
