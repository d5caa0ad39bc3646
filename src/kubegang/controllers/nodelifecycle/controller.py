"""Looks after nodes: says which are silent, and taints those that should have no pods.

Taints that keep pods off follow a node's state at once. Silence, and taints that drive pods
away, are looked at every five seconds, the latter at a limited rate.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from kubegang.apimachinery.errors import ApiError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import NODES
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.nodelifecycle.health import (
    Heard,
    listen,
    readiness,
    silent_at,
    silent_conditions,
)
from kubegang.controllers.nodelifecycle.podreadiness import PodReadiness
from kubegang.controllers.nodelifecycle.settings import DEFAULTS, Monitoring
from kubegang.controllers.nodelifecycle.taints import (
    with_no_execute_taint,
    with_no_schedule_taints,
    without_no_execute_taints,
)
from kubegang.controllers.nodelifecycle.zones import rates, zone_of

WORKERS = 8
SHORTEST_SECONDS = 0.1

LEASES_NAMESPACE = "kube-node-lease"

_log = logger(__name__)


class NodeLifecycle:
    """Reconciles nodes, keyed by name.

    ``_next`` has per zone when the next node may get a taint that drives pods away.
    """

    def __init__(
        self,
        client: Client,
        *,
        nodes: Informer[JsonObject],
        leases: Informer[JsonObject],
        pods: PodReadiness,
        recorder: EventRecorder,
        queue: WorkQueue[str],
        clock: Clock,
        monitors: bool,
        flags: Monitoring = DEFAULTS,
    ) -> None:
        """Take the informers.

        Args:
            client: the API.
            nodes: all nodes.
            leases: by which nodes say that they live.
            pods: marks the pods of silent nodes.
            recorder: for events about nodes.
            queue: names of nodes.
            clock: the time.
            monitors: whether silence means anything; it does not where nobody sends heartbeats.
            flags: how long silence lasts, and how fast nodes are emptied.
        """
        self._client = client
        self._nodes = nodes
        self._leases = leases
        self._pods = pods
        self._recorder = recorder
        self._queue = queue
        self._clock = clock
        self._monitors = monitors
        self._flags = flags
        self._heard: dict[str, Heard] = {}
        self._next: dict[str, float] = {}
        nodes.add_handler(
            on_add=self._changed,
            on_update=lambda _old, new: self._changed(new),
            on_delete=self._gone,
        )

    async def run(self) -> None:
        """Reconcile until cancelled, once the informers have their first listing."""
        for informer in (self._nodes, self._leases):
            await informer.synced.wait()
        async with asyncio.TaskGroup() as group:
            group.create_task(
                work(self._queue, self._keep_off, workers=WORKERS, failed="node not tainted")
            )
            if self._monitors:
                group.create_task(self._monitor())

    # Keeping pods off

    def _changed(self, node: JsonObject) -> None:
        self._queue.add(node["metadata"]["name"])

    def _gone(self, node: JsonObject) -> None:
        if self._heard.pop(node["metadata"]["name"], None) is not None:
            self._tell_of(node, "RemovingNode", "Removing Node {} from Controller")

    async def _keep_off(self, name: str) -> None:
        node = self._nodes.get("", name)
        if node is not None:
            taints = with_no_schedule_taints(node, moment=self._moment())
            await self._write_taints(node, taints)

    async def _write_taints(
        self, node: JsonObject, taints: list[JsonObject] | None
    ) -> JsonObject | None:
        """Write taints, if there are new ones; return the node with them."""
        if taints is None:
            return None
        metadata = node["metadata"]
        # The version makes sure that nobody's taint is lost in between.
        version = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}
        patch: JsonObject = {"metadata": version, "spec": {"taints": taints or None}}
        try:
            return await self._client.patch(NODES, metadata["name"], patch=patch)
        except NotFoundError:
            return None

    # Listening for heartbeats

    async def _monitor(self) -> None:
        while True:
            allowed = rates(self._nodes.items(), flags=self._flags)
            for node in self._nodes.items():
                await self._attempt(node, allowed)
            await self._clock.sleep(self._pause(allowed))

    def _pause(self, allowed: Mapping[str, float]) -> float:
        """Return how long until the next look: less where a node waits for its taint."""
        now = self._clock.steady()
        due = [
            max(self._next.get(zone, now) - now, SHORTEST_SECONDS)
            for node in self._in_waiting()
            if allowed.get(zone := zone_of(node))
        ]
        return min([self._flags.look_seconds, *due])

    async def _attempt(self, node: JsonObject, allowed: Mapping[str, float]) -> None:
        try:
            await self._look(node)
            await self._drive_away(node, allowed)
        except (ApiError, UnreachableError) as error:
            _log.warning("node not looked after", node=node["metadata"]["name"], error=str(error))

    async def _look(self, node: JsonObject) -> None:
        """Hear a node, and say so if it is silent."""
        name, now = node["metadata"]["name"], self._clock.steady()
        lease = self._leases.get(LEASES_NAMESPACE, name)
        before = self._heard.get(name)
        if before is None:
            self._tell_of(node, "RegisteredNode", "Registered Node {} in Controller")
        heard = self._heard[name] = listen(before, node, lease, now=now)
        conditions = silent_conditions(node, now=self._clock.now())
        if now <= silent_at(heard, node, lease, flags=self._flags) or not conditions:
            return
        await self._write_conditions(node, conditions)
        if readiness(node) == "True":
            self._tell_not_ready(node)
            await self._pods.mark_not_ready(name)

    async def _write_conditions(self, node: JsonObject, conditions: list[JsonObject]) -> None:
        metadata = node["metadata"]
        try:
            written = await self._client.patch(
                NODES,
                metadata["name"],
                patch={
                    "metadata": {
                        "uid": metadata["uid"],
                        "resourceVersion": metadata["resourceVersion"],
                    },
                    "status": {"conditions": conditions},
                },
                patch_type="strategic",
                subresource="status",
            )
        except NotFoundError:
            return
        # What we wrote ourselves is no sign of life.
        heard = self._heard[metadata["name"]]
        seen = listen(None, written, None, now=heard.at)
        self._heard[metadata["name"]] = Heard(heard.at, seen.heartbeat, heard.renewed)

    # Driving pods away

    def _in_waiting(self) -> list[JsonObject]:
        moment = self._moment()
        return [
            node
            for node in self._nodes.items()
            if readiness(node) != "True" and with_no_execute_taint(node, moment=moment) is not None
        ]

    async def _drive_away(self, node: JsonObject, allowed: Mapping[str, float]) -> None:
        """Bring a node's NoExecute taint to its state, as fast as its zone allows."""
        now, zone = self._clock.steady(), zone_of(node)
        # Where nobody at all is heard of, it is more likely us who are cut off.
        if readiness(node) == "True" or not any(allowed.values()):
            await self._write_taints(node, without_no_execute_taints(node))
            return
        taints = with_no_execute_taint(node, moment=self._moment())
        if taints is None:
            return
        if without_no_execute_taints(node) is not None:
            await self._swap(node, taints)
            return
        rate = allowed.get(zone, 0.0)
        if rate and self._next.get(zone, now) <= now:
            self._next[zone] = now + 1 / rate
            await self._write_taints(node, taints)

    async def _swap(self, node: JsonObject, taints: list[JsonObject]) -> None:
        """Let one taint take another's place, at whatever rate nodes are tainted.

        For a moment both are there (measured on 1.37.2), so that no pod may seem free to stay.
        """
        before = node["spec"].get("taints") or []
        both = [*before, *(taint for taint in taints if taint not in before)]
        written = await self._write_taints(node, both)
        if written is not None:
            await self._write_taints(written, taints)

    # Telling

    def _tell_of(self, node: JsonObject, reason: str, what: str) -> None:
        name = node["metadata"]["name"]
        self._record(node, reason, f"Node {name} event: {what.format(name)}")

    def _tell_not_ready(self, node: JsonObject) -> None:
        name = node["metadata"]["name"]
        self._record(node, "NodeNotReady", f"Node {name} status is now: NodeNotReady")

    def _record(self, node: JsonObject, reason: str, message: str) -> None:
        # Events name no version of the node (measured on 1.37.2).
        regarding = {
            "apiVersion": node["apiVersion"],
            "kind": node["kind"],
            "metadata": {field: node["metadata"][field] for field in ("name", "uid")},
        }
        self._recorder.record(regarding, type_="Normal", reason=reason, message=message)

    def _moment(self) -> str:
        return format_time(self._clock.now())
