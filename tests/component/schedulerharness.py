"""The scheduler against the real API server, both in this process and in virtual time.

Tests speak to the API as users do. The scheduler's own client records what it sends and can
be told to fail; a second scheduler can take over where a first one was killed.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from typing import Any

import msgspec
import pytest
from prometheus_client import CollectorRegistry

from kubegang.api.profile import PluginWeight
from kubegang.apimachinery.objects import JsonObject
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import VirtualClock, run_virtual
from kubegang.client.api import ApiClient
from kubegang.client.asgi import AsgiTransport
from kubegang.client.interface import Request, Resource, Response, UnreachableError
from kubegang.client.resources import (
    EVENTS,
    NODES,
    PODDISRUPTIONBUDGETS,
    PODGROUPS,
    PODS,
    PRIORITYCLASSES,
    pod_groups_in,
)
from kubegang.client.testing import RecordingClient
from kubegang.scheduler.framework.interface import Plugin
from kubegang.scheduler.frameworks import PluginArgs
from kubegang.scheduler.plugins.registry import PLUGINS, PluginFactory
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.scheduler import Scheduler, SchedulerSettings
from tests.component.apiharness import START, Api

FAST = BackoffPolicy(initial_seconds=1, max_seconds=1)
"""podInitialBackoffSeconds and podMaxBackoffSeconds 1."""

NS = "default"

RELEASES = ("1.35", "1.36", "1.37")

WORKLOADS_1_35 = Resource("scheduling.k8s.io", "v1alpha1", "workloads", "Workload")


class LossyTransport:
    """Passes requests on, and loses some of them, or the answers to some."""

    def __init__(self, inner: AsgiTransport) -> None:
        self._inner = inner
        self._lost: list[str] = []
        self._allowed: dict[str, int] = {}

    def let_through(self, path: str, *, times: int) -> None:
        """Let so many more requests to this path through; later ones hang."""
        self._allowed[path] = times

    def lose_answers(self, path: str, *, times: int = 1) -> None:
        """Lose the next answers to requests whose path contains this."""
        self._lost += [path] * times

    async def send(self, request: Request) -> Response:
        for path, left in self._allowed.items():
            if path in request.path:
                if not left:
                    await asyncio.Event().wait()
                self._allowed[path] = left - 1
        response = await self._inner.send(request)
        for path in self._lost:
            if path in request.path:
                self._lost.remove(path)
                raise UnreachableError("the connection was reset")
        return response

    def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        return self._inner.stream(request)

    async def close(self) -> None:
        await self._inner.close()


class Cluster:
    """An API server, a user's client, and as many schedulers as a test starts."""

    def __init__(self, api: Api, *, seed: int = 0, version: str = "1.37", gates: str = "") -> None:
        self.api = api
        self.profile = profile_named(version, feature_gates=gates)
        self._groups = pod_groups_in(self.profile.schedulers[0].pod_group_version)
        self.clock = VirtualClock(START)
        self.user = ApiClient(self._transport("admin"), user_agent="kubectl/test")
        self.client = self.new_client()
        self.registry = CollectorRegistry()
        self._seed = seed
        self._tasks: list[asyncio.Task[None]] = []

    def _transport(self, user: str) -> AsgiTransport:
        return AsgiTransport(self.api.app, user=user, groups=("system:masters",))

    def new_client(self) -> RecordingClient:
        """Return a client for a scheduler; ``lossy`` loses its answers when told."""
        self.lossy = LossyTransport(self._transport("system:kube-scheduler"))
        return RecordingClient(self.lossy, user_agent="kube-scheduler/test")

    def scheduler(
        self,
        *,
        backoff: BackoffPolicy = FAST,
        calls_in_flight: int = 16,
        names: Sequence[str] = ("default-scheduler", "kubegang"),
        client: RecordingClient | None = None,
        plugin_args: Mapping[str, PluginArgs] | None = None,
        plugins: Sequence[Plugin] = (),
    ) -> Scheduler:
        """Return a scheduler that does not run yet, with a metrics registry of its own.

        ``plugins`` are somebody else's; they come before the built-in ones.
        """
        self.registry = CollectorRegistry()
        foreign = {plugin.NAME: _factory_of(plugin) for plugin in plugins}
        profiles = [
            msgspec.structs.replace(
                p, plugins=(*(PluginWeight(name) for name in foreign), *p.plugins)
            )
            for p in self.profile.schedulers
            if p.scheduler_name in names
        ]
        return Scheduler(
            client or self.client,
            profiles,
            clock=self.clock,
            rng=random.Random(self._seed),
            registry=self.registry,
            settings=SchedulerSettings(
                backoff=backoff,
                host="here",
                calls_in_flight=calls_in_flight,
                plugin_args=plugin_args or {},
                plugins={**PLUGINS, **foreign},
            ),
        )

    async def start(self, scheduler: Scheduler | None = None) -> Scheduler:
        """Start a scheduler and wait until it has seen the cluster."""
        scheduler = scheduler or self.scheduler()
        self._tasks.append(asyncio.create_task(scheduler.run()))
        await scheduler.wait_synced()
        return scheduler

    async def kill(self) -> None:
        """End the last scheduler as a kill would: nothing that was begun is finished."""
        task = self._tasks.pop()
        task.cancel()
        await asyncio.wait({task})

    async def close(self) -> None:
        """End all schedulers."""
        while self._tasks:
            await self.kill()

    # --- what users do -------------------------------------------------------------------

    async def add_nodes(self, *names: str, cpu: int = 1) -> None:
        """Create nodes."""
        for name in names:
            await self.user.create(NODES, node(name, cpu=cpu))

    async def add_group(self, name: str, minimum: int | None, **spec: Any) -> None:
        """Create a group: a gang, or a basic one without a minimum.

        In 1.35 it is a Workload with one entry of its own name, and ``spec`` cannot be given.
        """
        if self.profile.schedulers[0].workload_version:
            await self.user.create(WORKLOADS_1_35, workload(name, minimum), NS)
            return
        group = {**pod_group(name, minimum), "apiVersion": self._groups.api_version}
        group["spec"] |= spec
        await self.user.create(self._groups, group, NS)

    async def add_pods(self, *names: str, group: str = "", **spec: Any) -> None:
        """Create pods of one CPU."""
        if group and self.profile.schedulers[0].workload_version:
            spec["workloadRef"] = {"name": group, "podGroup": group}
            group = ""
        for name in names:
            await self.user.create(PODS, pod(name, group=group, **spec), NS)

    async def delete_group(self, name: str) -> None:
        """Delete a group, whoever may still want to protect it."""
        if self.profile.schedulers[0].workload_version:
            await self.user.delete(WORKLOADS_1_35, name, NS)
            return
        await self.user.delete(self._groups, name, NS)
        free: JsonObject = {"metadata": {"finalizers": []}}
        await self.user.patch(self._groups, name, NS, patch=free)

    async def add_priority_class(self, name: str, value: int, **members: Any) -> None:
        """Create a PriorityClass, and wait until admission knows it."""
        obj = {
            "apiVersion": PRIORITYCLASSES.api_version,
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": value,
            **members,
        }
        await self.user.create(PRIORITYCLASSES, obj)
        await self.wait(0.5)

    async def add_budget(self, name: str, **labels: str) -> None:
        """Create a disruption budget that allows nothing."""
        obj = {
            "apiVersion": PODDISRUPTIONBUDGETS.api_version,
            "kind": "PodDisruptionBudget",
            "metadata": {"name": name},
            "spec": {"minAvailable": "100%", "selector": {"matchLabels": labels}},
        }
        await self.user.create(PODDISRUPTIONBUDGETS, obj, NS)

    async def delete_pod(self, name: str) -> None:
        """Delete a pod at once."""
        await self.user.delete(PODS, name, NS, grace_period_seconds=0)

    # --- what users see ------------------------------------------------------------------

    async def pod(self, name: str) -> JsonObject:
        """Return a pod."""
        return await self.user.get(PODS, name, NS)

    async def placements(self) -> dict[str, str]:
        """Return the pods that have a node, and which."""
        pods = (await self.user.list(PODS, NS)).items
        return {
            p["metadata"]["name"]: p["spec"]["nodeName"] for p in pods if p["spec"].get("nodeName")
        }

    async def condition(self, pod_name: str) -> JsonObject:
        """Return a pod's PodScheduled condition without its times, empty without one."""
        return _condition(await self.pod(pod_name), "PodScheduled")

    async def group_condition(self, name: str) -> JsonObject:
        """Return a group's scheduling condition without its times, empty without one."""
        group = await self.user.get(self._groups, name, NS)
        return _condition(group, self.profile.schedulers[0].initially_scheduled_condition)

    async def events(self, reason: str) -> list[JsonObject]:
        """Return the events of a reason."""
        found = (await self.user.list(EVENTS, NS)).items
        return [event for event in found if event["reason"] == reason]

    def metric(self, name: str, **labels: str) -> float | None:
        """Return the value of one of the last scheduler's metrics."""
        return self.registry.get_sample_value(f"scheduler_{name}", labels)

    async def wait(self, seconds: float) -> None:
        """Let virtual time pass."""
        await self.clock.sleep(seconds)

    async def wait_for(self, names: Sequence[str], *, at_most: float) -> float:
        """Wait until all these pods have a node; return how long that took."""
        started = self.clock.now()
        while not set(names) <= (await self.placements()).keys():
            waited = self.clock.now() - started
            assert waited <= at_most, f"{await self.placements()} after {waited}s"
            await self.wait(0.05)
        return self.clock.now() - started


Scenario = Callable[[Cluster], Coroutine[Any, Any, None]]


def run_scenario(
    scenario: Scenario,
    *,
    seed: int = 0,
    version: str = "1.37",
    gates: str = "",
    runtime_config: str = "",
) -> None:
    """Play a scenario on a fresh cluster, in virtual time.

    Args:
        scenario: what happens.
        seed: of the scheduler's ties.
        version: the release.
        gates: edits to its feature gates.
        runtime_config: API versions to serve or not.
    """

    async def main() -> None:
        api = await Api.start(version=version, feature_gates=gates, runtime_config=runtime_config)
        cluster = Cluster(api, seed=seed, version=version, gates=gates)
        try:
            await scenario(cluster)
        finally:
            await cluster.close()

    run_virtual(main())


def scheduler_test(scenario: Scenario) -> Callable[[], None]:
    """Make a scenario a test."""

    def test() -> None:
        run_scenario(scenario)

    test.__name__ = scenario.__name__
    test.__doc__ = scenario.__doc__
    return test


def in_every_release(scenario: Scenario) -> Callable[[str], None]:
    """Make a scenario a test of each release."""

    @pytest.mark.parametrize("release", RELEASES)
    def test(release: str) -> None:
        run_scenario(scenario, version=release)

    test.__name__ = scenario.__name__
    test.__doc__ = scenario.__doc__
    return test


def _factory_of(plugin: Plugin) -> PluginFactory:
    return lambda _: plugin


def node(name: str, *, cpu: int) -> JsonObject:
    """Return a node."""
    amounts = {"cpu": str(cpu), "memory": "32Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"allocatable": amounts, "capacity": amounts},
    }


def pod_group(name: str, minimum: int | None) -> JsonObject:
    """Return a PodGroup."""
    policy: JsonObject = {"basic": {}} if minimum is None else {"gang": {"minCount": minimum}}
    return {
        "apiVersion": PODGROUPS.api_version,
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": {"schedulingPolicy": policy},
    }


def workload(name: str, minimum: int | None) -> JsonObject:
    """Return a Workload of 1.35 with one group of the same name."""
    policy: JsonObject = {"basic": {}} if minimum is None else {"gang": {"minCount": minimum}}
    return {
        "apiVersion": WORKLOADS_1_35.api_version,
        "kind": WORKLOADS_1_35.kind,
        "metadata": {"name": name},
        "spec": {"podGroups": [{"name": name, "policy": policy}]},
    }


def pod(
    name: str, *, group: str = "", cpu: str = "1", finalizers: Sequence[str] = (), **spec: Any
) -> JsonObject:
    """Return a pod."""
    container = {
        "name": "c",
        "image": "registry.example/app:1",
        "resources": {"requests": {"cpu": cpu}},
    }
    if group:
        spec["schedulingGroup"] = {"podGroupName": group}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "finalizers": list(finalizers)},
        "spec": {"containers": [container], **spec},
    }


def _condition(obj: JsonObject, kind: str) -> JsonObject:
    for condition in obj.get("status", {}).get("conditions") or ():
        if condition["type"] == kind:
            return {
                name: value
                for name, value in condition.items()
                if name not in {"lastProbeTime", "lastTransitionTime", "type"}
            }
    return {}
