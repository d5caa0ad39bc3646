"""Random pods that care about their neighbours: the real choice must be among ours.

One pod after the other is created on the real control plane, and decided about by our core on
a picture of the same cluster. Where the real scheduler binds, the node must be one that we
score highest; where it refuses, the whole message must be ours, byte for byte.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from kubegang.apimachinery.errors import InvalidError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import RealClock
from kubegang.client.api import ApiClient
from kubegang.client.resources import NAMESPACES, NODES, PODS, SERVICES
from kubegang.scheduler.framework.workloads import NamespaceInfo, ServiceInfo
from kubegang.testing.builders import PodBuilder
from kubegang.testing.deciding import DecidingCore
from tests.property.podterms_scenes import NAMESPACES as LABELLED
from tests.property.podterms_scenes import Neighbourhood, neighbourhoods
from tests.real.ourscores import our_scores
from tests.real.peer_plane import real_plane
from tests.real.planes import client_of

COUNT = "KUBEGANG_AROUND_CASES"
"""In the environment: how many clusters to try."""

SETTLE_SECONDS = 0.25
"""Until the real scheduler has seen what was made."""

PATIENCE_SECONDS = 10.0

pytestmark = [pytest.mark.real, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    directory = tmp_path_factory.mktemp("around") / "plane"
    with real_plane(directory, ETCD_NOFSYNC="true") as path:
        yield path


@settings(
    max_examples=int(os.environ.get(COUNT, "25")),
    derandomize=True,
    deadline=None,
    database=None,
    # A smaller case would have to be played as well, which takes longer than reading it.
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(scene=neighbourhoods())
def test_the_real_choice_is_among_ours(kubeconfig: Path, scene: Neighbourhood) -> None:
    asyncio.run(play(kubeconfig, scene))


async def play(kubeconfig: Path, scene: Neighbourhood) -> None:
    """Make the cluster, compare each pod, and remove everything."""
    client = client_of(kubeconfig)
    stage = Stage(client, scene)
    try:
        await stage.make()
        for pod in scene.waiting:
            await stage.compare(pod)
    finally:
        await stage.clear()
        await client.close()


class Stage:
    """One cluster, on the real plane and in our core."""

    def __init__(self, client: ApiClient, scene: Neighbourhood) -> None:
        self._client = client
        self._scene = scene
        self._core = DecidingCore(scene.nodes)
        self._clock = RealClock()
        self._pods: list[tuple[str, str]] = []

    async def make(self) -> None:
        """Make namespaces, nodes, Services, and the pods that run."""
        for name, labels in LABELLED.items():
            known = {**labels, "kubernetes.io/metadata.name": name}
            self._core.builder.set_namespace(NamespaceInfo(name, known))
            await self._make_namespace(name, labels)
        for node in self._scene.nodes:
            await self._client.create(NODES, node.json())
        for index, (namespace, labels) in enumerate(self._scene.services):
            self._core.builder.set_service(ServiceInfo(namespace, f"s{index}", labels))
            await self._client.create(SERVICES, service(f"s{index}", labels), namespace)
        for pod, node_name in self._scene.running:
            if await self._create(pod.on(node_name)):
                self._core.add(pod.on(node_name))
                if pod.metadata.deletion_timestamp:
                    await self._delete(pod, seconds=3600)
        await self._clock.sleep(SETTLE_SECONDS)

    async def compare(self, pod: PodBuilder) -> None:
        """Let both decide about a pod; one that fits nowhere is taken away again."""
        if not await self._create(pod):
            return
        self._core.add(pod)
        name, info = pod.metadata.name, pod.info()
        scores = our_scores(self._core, info)
        decision = self._core.decide_pod(name)
        del self._core.waiting[name]
        node, message = await self._decided(pod)
        if node:
            assert scores.get(node) == max(scores.values(), default=-1), (name, node, scores)
            self._core.add(pod.on(node))
        else:
            assert message == decision.diagnosis.upstream_message, name
            await self._delete(pod, seconds=0)
            await self._clock.sleep(SETTLE_SECONDS)

    async def clear(self) -> None:
        """Remove what was made; namespaces stay."""
        for namespace, name in self._pods:
            await self._remove(name, namespace)
        for index, (namespace, _) in enumerate(self._scene.services):
            await self._client.delete(SERVICES, f"s{index}", namespace)
        for node in self._scene.nodes:
            await self._client.delete(NODES, node.metadata.name)

    async def _make_namespace(self, name: str, labels: dict[str, str]) -> None:
        try:
            await self._client.patch(NAMESPACES, name, patch={"metadata": {"labels": labels}})
        except NotFoundError:
            metadata = {"name": name, "labels": labels}
            obj = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
            await self._client.create(NAMESPACES, obj)

    async def _create(self, pod: PodBuilder) -> bool:
        """Create a pod, unless the API refuses what was drawn: constraints given twice."""
        body = pod.json()
        body["metadata"].pop("deletionTimestamp", None)
        try:
            await self._client.create(PODS, body, pod.metadata.namespace)
        except InvalidError:
            return False
        self._pods.append((pod.metadata.namespace, pod.metadata.name))
        return True

    async def _decided(self, pod: PodBuilder) -> tuple[str, str]:
        """Return the node that a pod was bound to, or why to none."""
        started = self._clock.now()
        while self._clock.now() - started < PATIENCE_SECONDS:
            seen = await self._client.get(PODS, pod.metadata.name, pod.metadata.namespace)
            conditions = seen["status"].get("conditions", [])
            said = [c for c in conditions if c["type"] == "PodScheduled"]
            if seen["spec"].get("nodeName") or said:
                return seen["spec"].get("nodeName", ""), said[0].get("message", "") if said else ""
            await self._clock.sleep(0.01)
        raise AssertionError(f"nothing was decided about {pod.metadata.name}")

    async def _delete(self, pod: PodBuilder, *, seconds: int) -> None:
        await self._client.delete(
            PODS, pod.metadata.name, pod.metadata.namespace, grace_period_seconds=seconds
        )

    async def _remove(self, name: str, namespace: str) -> None:
        try:
            await self._client.delete(PODS, name, namespace, grace_period_seconds=0)
        except NotFoundError:
            return


def service(name: str, labels: dict[str, str]) -> JsonObject:
    """Return a Service that selects pods with these labels."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"selector": labels, "ports": [{"port": 80}]},
    }
