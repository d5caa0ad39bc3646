"""Everything that may happen to a cluster and its scheduler, as acts with small arguments.

Hypothesis chooses acts and arguments and makes failures small; a seeded walk through the same
acts serves where a fixed course is wanted. Objects are chosen by number: what exists, modulo.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, NamedTuple

from prometheus_client import CollectorRegistry

from kubegang.apimachinery.errors import ConflictError, ForbiddenError, InternalError
from kubegang.apimachinery.objects import JsonObject
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import VirtualClock, VirtualTimeLoop
from kubegang.client.api import ApiClient
from kubegang.client.interface import UnreachableError
from kubegang.scheduler.scheduler import SchedulerSettings
from tests.property.machine.objects import GroupForm, Groups, node, pod
from tests.property.machine.smallapi import FINISHED, Fault, SmallApi
from tests.property.machine.watched import WatchedScheduler

START: Final = 1_795_000_000.0

Choices = Mapping[str, Sequence[Any]]


class Setting(NamedTuple):
    """Who schedules, and how."""

    release: str
    profile: str
    gates: str = ""


FAULTS: Final[Mapping[str, Callable[[str, str], Fault]]] = {
    "500": lambda method, path: Fault(method, path, InternalError("disk full")),
    "409": lambda method, path: Fault(method, path, ConflictError("try again")),
    "403": lambda method, path: Fault(method, path, ForbiddenError("quota")),
    "unreachable": lambda method, path: Fault(method, path, UnreachableError("refused")),
    "answer lost": lambda method, path: Fault(method, path, UnreachableError("reset"), done=True),
    "slow": lambda method, path: Fault(method, path, None, seconds=7.0),
}

CALLS: Final[Mapping[str, tuple[str, str]]] = {
    "bind": ("POST", "/binding"),
    "status": ("PATCH", "/pods/"),
    "group status": ("PATCH", "groups/"),
    "delete": ("DELETE", "/pods/"),
    "ask": ("GET", "/pods/"),
}

NUMBERS: Final = range(12)
NODES: Final = ("n0", "n1", "n2", "n3")
GROUPS: Final = ("g0", "g1", "g2")
COMPOSITES: Final = ("c0", "c1")
RACKS: Final = ("r0", "r1")
STRONG: Final = 100
STRONG_GROUP: Final = GROUPS[1]
"""The group that is more important than others, so that nobody's members differ from it."""
PRIORITIES: Final = (0, 0, STRONG)
KINDS: Final = ("pods", "nodes", "groups", "compositepodgroups")
BOTH: Final = (False, True)

ACTS: Final[Mapping[str, Choices]] = {
    "set_node": {"name": NODES, "cpu": (1, 2, 4), "rack": RACKS, "cordoned": (False, False, True)},
    "lose_node": {"name": NODES},
    "write_group": {
        "name": GROUPS,
        "minimum": (0, 1, 2, 3),
        "topology": BOTH,
        "whole": BOTH,
        "parent": ("", "", *COMPOSITES),
    },
    "delete_group": {"name": GROUPS},
    "write_composite": {
        "name": COMPOSITES,
        "minimum": (0, 1, 2),
        "topology": BOTH,
        "parent": ("", "", *COMPOSITES),
    },
    "delete_composite": {"name": COMPOSITES},
    "create_pods": {
        "count": (1, 1, 2, 3),
        "group": ("", *GROUPS, *GROUPS),
        "cpu": ("500m", "1", "2"),
        "priority": PRIORITIES,
        "grace": (0, 30),
        "gated": (False, False, False, False, True),
    },
    "create_gang": {
        "name": GROUPS,
        "minimum": (0, 1, 2, 3, 4),
        "more": (-1, 0, 0, 1),
        "cpu": ("500m", "500m", "1"),
        "topology": (False, False, True),
        "parent": ("", "", "", "", COMPOSITES[0]),
        "trouble": ("", "", *FAULTS),
    },
    "create_odd_pod": {"group": GROUPS, "oddity": ("entry", "profile", "priority", "replica")},
    "delete_pod": {"number": NUMBERS},
    "end_pod": {"number": NUMBERS},
    "ungate_pod": {"number": NUMBERS},
    "relabel_pod": {"number": NUMBERS},
    "recreate_pod": {"number": NUMBERS, "group": ("", *GROUPS)},
    "finish_pod": {"number": NUMBERS},
    "bind_elsewhere": {"number": NUMBERS, "name": NODES},
    "run_elsewhere": {"name": NODES, "cpu": ("500m", "1")},
    "fail": {"call": ("bind", "bind", *CALLS), "how": tuple(FAULTS)},
    "hold": {"kind": KINDS, "acts": (1, 2, 4)},
    "break_watches": {"kind": KINDS, "expired": BOTH},
    "kill": {},
    "kill_between_bindings": {"after": (0, 1, 2)},
    "wait": {"seconds": (0.01, 0.5, 3.0, 31.0, 310.0)},
}
"""What may happen, and with which arguments."""

OFTEN: Final = ("create_gang", "create_pods", "fail", "wait", "set_node")
"""What must happen often, so that something can go wrong."""


class World:
    """A cluster, its users, and a scheduler that is watched.

    Attributes:
        disturbed: nodes that others than the scheduler put pods on, or that shrank.
    """

    def __init__(self, setting: Setting, *, seed: int = 0) -> None:
        self.setting = setting
        self.groups = Groups(setting.release)
        self.loop = VirtualTimeLoop()
        self.clock = VirtualClock(START)
        self.api = SmallApi(self.clock)
        self.disturbed: set[str] = set()
        self.wrong: list[str] = []
        self.story: list[str] = []
        self._forms: dict[str, GroupForm] = {}
        self._held: dict[str, int] = {}
        self._rng = random.Random(seed)
        self._serial = 0
        self._schedulers = profile_named(setting.release, feature_gates=setting.gates).schedulers
        self.run(self._start())

    # --- running -------------------------------------------------------------------------

    def run(self, act: Coroutine[Any, Any, None]) -> None:
        """Run something in virtual time."""
        self.loop.run_until_complete(act)

    def act(self, name: str, /, **arguments: Any) -> None:
        """Let one of ``ACTS`` happen, and a moment pass."""

        async def happen() -> None:
            done = getattr(self, name)(**arguments)
            if done is not None:
                await done
            self._release()
            await self.clock.sleep(0.001)

        self.run(happen())
        self.check()

    def close(self) -> None:
        """End everything."""
        self.run(self._stop())
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()

    def check(self) -> None:
        """Check what must hold at any time."""
        scheduler = self.scheduler
        if self._task.done():
            self._task.result()
        assert not (self.wrong + scheduler.watched.wrong), (self.wrong + scheduler.watched.wrong)[0]
        assert not self.api.bound_again, f"{self.api.bound_again} were bound twice"
        scheduler.cache.validate()
        scheduler.queue.validate()

    async def _start(self) -> None:
        self.registry = CollectorRegistry()
        self.scheduler = WatchedScheduler(
            ApiClient(self.api, user_agent="scheduler/test"),
            self._schedulers,
            clock=self.clock,
            rng=random.Random(self._rng.random()),
            registry=self.registry,
            settings=SchedulerSettings(calls_in_flight=2),
        )
        self.api.bound_lately.clear()
        self._task = asyncio.create_task(self.scheduler.run())
        await self.clock.sleep(0.1)

    async def _stop(self) -> None:
        self.wrong += self.scheduler.watched.wrong
        self.story += self.scheduler.watched.story
        self._task.cancel()
        await asyncio.wait({self._task})

    # --- nodes ---------------------------------------------------------------------------

    def set_node(self, name: str, cpu: int, rack: str, cordoned: bool) -> None:
        """Let a node come, or change it."""
        if self.api.get("nodes", name, "") is not None:
            self.disturbed.add(name)
        self.api.write("nodes", node(name, cpu=cpu, rack=rack, cordoned=cordoned))

    def lose_node(self, name: str) -> None:
        """Let a node vanish; its pods stay for now."""
        self.disturbed.add(name)
        self.api.remove("nodes", name, "")

    # --- groups --------------------------------------------------------------------------

    def write_group(
        self, name: str, minimum: int, topology: bool, whole: bool, parent: str
    ) -> None:
        """Create a group or change it."""
        priority = STRONG if name == STRONG_GROUP else 0
        parent = parent if self.groups.composites and not priority else ""
        form = GroupForm(name, minimum, priority, topology, whole, parent)
        old = self._forms.get(name)
        if old is not None and old.parent != parent:
            # What a group belongs to cannot be changed, only replaced.
            self.delete_group(name)
        self._forms[name] = form
        self._write(self.groups.plural, self.groups.of(form))

    def delete_group(self, name: str) -> None:
        """Delete a group; its pods stay."""
        self.api.remove(self.groups.plural, name)

    def write_composite(self, name: str, minimum: int, topology: bool, parent: str) -> None:
        """Create a group of groups or change it; it may come to lead into a circle."""
        if not self.groups.composites:
            return
        self.delete_composite(name)
        form = GroupForm(name, minimum, 0, topology, parent=parent)
        self.api.write("compositepodgroups", self.groups.composite(form))

    def delete_composite(self, name: str) -> None:
        """Delete a group of groups; those below it stay."""
        self.api.remove("compositepodgroups", name)

    # --- pods ----------------------------------------------------------------------------

    def create_pods(
        self, count: int, group: str, *, cpu: str, priority: int, grace: int, gated: bool
    ) -> None:
        """Create pods, by themselves or as members, with their group's priority."""
        for _ in range(count):
            new = self._new_pod(cpu, group=group, priority=priority, grace=grace)
            if gated:
                new["spec"]["schedulingGates"] = [{"name": "example.com/gate"}]
            self.api.write("pods", new)

    def create_gang(
        self,
        name: str,
        minimum: int,
        *,
        more: int,
        cpu: str,
        topology: bool,
        parent: str,
        trouble: str,
    ) -> None:
        """Create a group and about as many pods as it needs, and perhaps trouble for them."""
        if trouble:
            self.fail("bind", trouble)
        self.write_group(name, minimum, topology, whole=False, parent=parent)
        self.create_pods(minimum + more, name, cpu=cpu, priority=0, grace=0, gated=False)

    def create_odd_pod(self, group: str, oddity: str) -> None:
        """Create a pod with something unusual about it."""
        if oddity == "entry":
            # A group, or an entry of a Workload, that nobody ever creates.
            self.api.write("pods", self._new_pod("500m", group=f"{group}/nothing"))
        elif oddity == "replica":
            self.api.write("pods", self._new_pod("500m", group=group, replica="r1"))
        elif oddity == "profile":
            new = self._new_pod("500m")
            names = [profile.scheduler_name for profile in self._schedulers]
            new["spec"]["schedulerName"] = next(n for n in names if n != self.setting.profile)
            self.api.write("pods", new)
        else:
            new = self._new_pod("500m", group=group)
            new["spec"]["priority"] = 50
            self.api.write("pods", new)

    def delete_pod(self, number: int) -> None:
        """Delete a pod as users do."""
        if found := self._pod(number):
            self.api.delete_pod(found["metadata"]["name"])

    def end_pod(self, number: int) -> None:
        """Let a pod that is being deleted be gone."""
        if found := self._pod(number, lambda p: bool(p["metadata"].get("deletionTimestamp"))):
            self.api.remove("pods", found["metadata"]["name"])

    def ungate_pod(self, number: int) -> None:
        """Remove a pod's scheduling gates."""
        if found := self._pod(number, lambda p: bool(p["spec"].get("schedulingGates"))):
            self.api.write("pods", {**found, "spec": {**found["spec"], "schedulingGates": []}})

    def relabel_pod(self, number: int) -> None:
        """Change a pod's labels."""
        if found := self._pod(number):
            self._serial += 1
            meta = {**found["metadata"], "labels": {"serial": str(self._serial)}}
            self.api.write("pods", {**found, "metadata": meta})

    def recreate_pod(self, number: int, group: str) -> None:
        """Replace a pod by one of the same name that may belong to another group."""
        if found := self._pod(number):
            name = found["metadata"]["name"]
            self.api.remove("pods", name)
            self.api.write("pods", self._new_pod("500m", group=group, name=name))

    def finish_pod(self, number: int) -> None:
        """Let a pod that runs succeed."""
        if found := self._pod(number, lambda p: bool(p["spec"].get("nodeName"))):
            self.api.write("pods", {**found, "status": {**found["status"], "phase": "Succeeded"}})

    def bind_elsewhere(self, number: int, name: str) -> None:
        """Let another scheduler bind a pod of ours."""
        found = self._pod(number, lambda p: not p["spec"].get("nodeName"))
        if found and not found["metadata"].get("deletionTimestamp"):
            self.disturbed.add(name)
            self.api.bind(found["metadata"]["name"], name)

    def run_elsewhere(self, name: str, cpu: str) -> None:
        """Let another scheduler's pod run on a node."""
        self.disturbed.add(name)
        new = self._new_pod(cpu)
        new["spec"] |= {"schedulerName": "somebody", "nodeName": name}
        self.api.write("pods", new)

    # --- faults --------------------------------------------------------------------------

    def fail(self, call: str, how: str) -> None:
        """Let the next call of a kind go wrong."""
        self.api.fail(FAULTS[how](*CALLS[call]))

    def hold(self, kind: str, acts: int) -> None:
        """Let the scheduler see nothing new of a kind while so many more acts happen."""
        plural = self._plural(kind)
        self._held[plural] = acts + 1
        self.api.hold(plural, held=True)

    def _release(self) -> None:
        """Let the scheduler see what it has missed long enough."""
        for plural in list(self._held):
            self._held[plural] -= 1
            if not self._held[plural]:
                del self._held[plural]
                self.api.hold(plural, held=False)

    def break_watches(self, kind: str, expired: bool) -> None:
        """Break the watch of a kind; after an expired one everything is listed again."""
        self.api.break_watches(self._plural(kind), expired=expired)

    async def kill(self) -> None:
        """Kill the scheduler, and start another one in its place."""
        await self._stop()
        self.api.bindings_left = None
        await self._start()

    async def kill_between_bindings(self, after: int) -> None:
        """Kill the scheduler after so many more bindings, and start another one."""
        self.api.bindings_left = after
        await self.clock.sleep(0.5)
        await self.kill()

    def wait(self, seconds: float) -> Coroutine[Any, Any, None]:
        """Let time pass."""
        return self.clock.sleep(seconds)

    # --- steps ---------------------------------------------------------------------------

    def _plural(self, kind: str) -> str:
        return self.groups.plural if kind == "groups" else kind

    def _write(self, plural: str, obj: JsonObject) -> None:
        old = self.api.get(plural, obj["metadata"]["name"])
        self.api.write(plural, obj | ({"status": old["status"]} if old and "status" in old else {}))

    def _new_pod(
        self,
        cpu: str,
        *,
        group: str = "",
        priority: int = 0,
        grace: int = 0,
        name: str = "",
        replica: str = "",
    ) -> JsonObject:
        self._serial += 1
        if group:
            priority = STRONG if group == STRONG_GROUP else 0
        new = pod(
            name or f"p{self._serial}",
            cpu=cpu,
            priority=priority,
            scheduler=self.setting.profile,
            grace=grace,
        )
        if group:
            self.groups.join(new, group, replica=replica)
        return new

    def _pod(
        self, number: int, wanted: Callable[[JsonObject], bool] = lambda _: True
    ) -> JsonObject | None:
        """Return the pod of a number among those that are not finished and are wanted."""
        found = [p for p in self.pods() if wanted(p)]
        return found[number % len(found)] if found else None

    def pods(self) -> list[JsonObject]:
        """Return the pods that are not finished."""
        return [p for p in self.api.objects("pods") if p["status"].get("phase") not in FINISHED]
