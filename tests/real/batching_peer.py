"""Plays streams of pods to the real scheduler and to ours; both say how batching went."""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import ssl
import urllib.request
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry

from kubegang.apimachinery.errors import AlreadyExistsError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import RealClock
from kubegang.client.api import ApiClient
from kubegang.client.interface import Resource
from kubegang.client.resources import NODES, PODGROUPS, PODS, PRIORITYCLASSES
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.scheduler.scheduler import Scheduler, SchedulerSettings
from kubegang.testing.deciding import default_profile
from tests.real.batchingscenes import PLACES, Scene, node, pod_group, priority_class
from tests.real.scheduler_peer import real_scheduler

NAMESPACE: Final = "default"
GROUP_VERSIONS: Final = {"37": "v1beta1", "36": "v1alpha2"}
GATES: Final = {
    "35": "GenericWorkload=true,GangScheduling=true",
    "36": "GenericWorkload=true,GangScheduling=true",
    "37": "GenericWorkload=true",
}
PATIENCE_SECONDS: Final = 30.0
SETTLE_SECONDS: Final = 0.7
"""Until leftovers of gangs were tried once more."""

LONG_SECONDS: Final = 60
SPREADING: Final = {"PodTopologySpread": {"defaultingType": "List"}}
"""Without it no pod has a signature."""

CONFIGURATION: Final = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {{kubeconfig: "{kubeconfig}", qps: 5000, burst: 10000}}
leaderElection: {{leaderElect: false}}
podInitialBackoffSeconds: 60
podMaxBackoffSeconds: 60
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: PodTopologySpread
    args: {{defaultingType: List}}
"""

Counters = Mapping[str, float]
_COUNTED: Final = re.compile(
    r"^scheduler_(batch_(?:attempts|cache_flushed|rescore_attempts)_total)\{(.*)\} (\S+)$",
    re.MULTILINE,
)
_LABEL: Final = re.compile(r'(?:result|reason)="(\w+)"')


def counters_in(exposition: str) -> Counters:
    """Return what batching counted, by metric and label."""
    found: dict[str, float] = {}
    for name, labels, value in _COUNTED.findall(exposition):
        label = _LABEL.search(labels)
        found[f"{name} {label.group(1) if label else ''}".strip()] = float(value)
    return found


class Stage:
    """One scene on a real API server, to be played by one scheduler after the other."""

    def __init__(self, client: ApiClient, *, version: str, kubeconfig: Path) -> None:
        self._client = client
        self._version = version
        self._kubeconfig = kubeconfig
        self._clock = RealClock()
        self._groups = Resource(
            PODGROUPS.group, GROUP_VERSIONS.get(version, ""), PODGROUPS.plural, PODGROUPS.kind
        )

    @contextlib.asynccontextmanager
    async def scene(self, scene: Scene) -> AsyncIterator[None]:
        """Have the scene's objects there inside the block."""
        for place in range(PLACES):
            with contextlib.suppress(AlreadyExistsError):
                await self._client.create(PRIORITYCLASSES, priority_class(place))
        for index in range(scene.nodes):
            await self._client.create(NODES, node(f"n{index:02}"))
        for name, minimum in scene.groups.items():
            place = next(i for i, p in enumerate(scene.pods) if _group_of(p) == name)
            group = pod_group(name, minimum, version=self._groups.version, place=place)
            await self._client.create(self._groups, group, NAMESPACE)
        for pod in scene.pods:
            await self._client.create(PODS, pod, NAMESPACE)
        for name, target in scene.nominated.items():
            patch = {"status": {"nominatedNodeName": target}}
            await self._client.patch(PODS, name, NAMESPACE, patch=patch, subresource="status")
        try:
            yield
        finally:
            await self._clear(scene)

    async def _clear(self, scene: Scene) -> None:
        for pod in scene.pods:
            name = pod["metadata"]["name"]
            await self._client.delete(PODS, name, NAMESPACE, grace_period_seconds=0)
        for name in scene.groups:
            with contextlib.suppress(NotFoundError):
                patch = {"metadata": {"finalizers": None}}
                await self._client.patch(self._groups, name, NAMESPACE, patch=patch)
                await self._client.delete(self._groups, name, NAMESPACE)
        for index in range(scene.nodes):
            await self._client.delete(NODES, f"n{index:02}")

    async def bound(self) -> frozenset[str]:
        """Return the pods that got a node, once something was decided about each."""
        started = self._clock.now()
        while self._clock.now() - started < PATIENCE_SECONDS:
            pods = (await self._client.list(PODS, NAMESPACE)).items
            if all(map(_is_decided, pods)):
                await self._clock.sleep(SETTLE_SECONDS)
                return frozenset(p["metadata"]["name"] for p in pods if p["spec"].get("nodeName"))
            await self._clock.sleep(0.1)
        raise AssertionError("nothing was decided about some pods")

    async def play_real(self, directory: Path) -> tuple[Counters, frozenset[str]]:
        """Let the real scheduler decide."""
        with real_scheduler(
            directory,
            self._version,
            configuration=CONFIGURATION.format(kubeconfig=self._kubeconfig),
            verbosity=5,
            gates=GATES[self._version],
        ) as running:
            bound = await self.bound()
            said = await asyncio.to_thread(_metrics, running.port)
        return counters_in(said), bound

    async def play_ours(self, seed: int) -> tuple[Counters, frozenset[str]]:
        """Let ours decide."""
        registry = CollectorRegistry()
        scheduler = Scheduler(
            self._client,
            [default_profile(version=f"1.{self._version}")],
            clock=self._clock,
            rng=random.Random(seed),
            registry=registry,
            settings=SchedulerSettings(
                backoff=BackoffPolicy(LONG_SECONDS, LONG_SECONDS),
                plugin_args={"default-scheduler": SPREADING},
            ),
        )
        running = asyncio.create_task(scheduler.run())
        try:
            bound = await self.bound()
        finally:
            scheduler.stop()
            await running
        return counters_in(_exposition(registry)), bound


def _exposition(registry: CollectorRegistry) -> str:
    """Return the batching counters of a registry, written as the real one writes them."""
    lines = []
    for family in registry.collect():
        for sample in family.samples:
            labels = ",".join(f'{key}="{value}"' for key, value in sample.labels.items())
            lines.append(f"{sample.name}{{{labels}}} {sample.value}")
    return "\n".join(lines)


def _group_of(pod: JsonObject) -> str:
    return str(pod["spec"].get("schedulingGroup", {}).get("podGroupName", ""))


def _is_decided(pod: JsonObject) -> bool:
    if pod["spec"].get("nodeName"):
        return True
    conditions = pod["status"].get("conditions", [])
    return any(condition["type"] == "PodScheduled" for condition in conditions)


def _metrics(port: int) -> str:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with urllib.request.urlopen(f"https://127.0.0.1:{port}/metrics", context=context) as answer:
        text: str = answer.read().decode()
        return text
