"""Random pods with volumes: the real choice must be among ours, the real refusal ours.

One pod after the other is created on the real control plane, whose controllers bind claims,
and decided about by our core on what the API shows at that moment. Where the real scheduler
chooses a node, it must be one that we score highest; where it refuses, the whole message must
be ours, byte for byte.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kubegang.api.core.types import Node, Pod
from kubegang.api.core.volumeannotations import SELECTED_NODE
from kubegang.api.core.volumes import PersistentVolume, PersistentVolumeClaim
from kubegang.api.meta import decode
from kubegang.api.storage.types import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    StorageClass,
    VolumeAttachment,
)
from kubegang.apimachinery.errors import InvalidError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import RealClock
from kubegang.client.api import ApiClient
from kubegang.client.interface import Resource
from kubegang.client.resources import (
    CSIDRIVERS,
    CSINODES,
    CSISTORAGECAPACITIES,
    NODES,
    PERSISTENTVOLUMECLAIMS,
    PERSISTENTVOLUMES,
    PODS,
    STORAGECLASSES,
    VOLUMEATTACHMENTS,
)
from kubegang.scheduler.framework.nodeconversion import node_info
from kubegang.scheduler.framework.podconversion import pod_info
from kubegang.scheduler.framework.storage import StorageObject
from kubegang.scheduler.framework.storageconversion import (
    attachment_info,
    capacity_info,
    claim_info,
    csi_driver_info,
    csi_node_info,
    storage_class_info,
    volume_info,
)
from kubegang.testing.deciding import DecidingCore, default_profile
from tests.real.ourscores import our_scores
from tests.real.peer_plane import real_plane
from tests.real.planes import client_of
from tests.real.volume_scenes import Painter, Scene

COUNT = "KUBEGANG_VOLUME_CASES"
"""In the environment: how many clusters to try, per release."""

FIRST = "KUBEGANG_VOLUME_FIRST"
"""In the environment: the first seed."""

SETTLE_SECONDS = 0.3
"""Until controllers and scheduler have seen what was made."""

PATIENCE_SECONDS = 45.0

BINDING_SECONDS = 20.0
"""The volume controller looks again at unbound claims every 15 seconds."""

VIEWS: tuple[tuple[Resource, Callable[[JsonObject], StorageObject]], ...] = (
    (STORAGECLASSES, lambda obj: storage_class_info(decode(obj, StorageClass))),
    (CSIDRIVERS, lambda obj: csi_driver_info(decode(obj, CSIDriver))),
    (CSINODES, lambda obj: csi_node_info(decode(obj, CSINode))),
    (CSISTORAGECAPACITIES, lambda obj: capacity_info(decode(obj, CSIStorageCapacity))),
    (PERSISTENTVOLUMES, lambda obj: volume_info(decode(obj, PersistentVolume))),
    (PERSISTENTVOLUMECLAIMS, lambda obj: claim_info(decode(obj, PersistentVolumeClaim))),
    (VOLUMEATTACHMENTS, lambda obj: attachment_info(decode(obj, VolumeAttachment))),
)

RESOURCES = {resource.kind: resource for resource, _ in VIEWS} | {"Node": NODES, "Pod": PODS}

pytestmark = [pytest.mark.real, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module", params=["1.37", "1.36", "1.35"])
def plane(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    version: str = request.param
    directory = tmp_path_factory.mktemp("volumes") / "plane"
    environment = {"ETCD_NOFSYNC": "true", "BACKOFF_INIT": "60", "BACKOFF_MAX": "60"}
    with real_plane(directory, version.replace("1.", ""), **environment) as path:
        yield version, path


def test_the_real_choice_is_among_ours(plane: tuple[str, Path]) -> None:
    version, kubeconfig = plane
    first = int(os.environ.get(FIRST, "0"))
    decided: list[str] = []
    for seed in range(first, first + int(os.environ.get(COUNT, "8"))):
        decided += asyncio.run(play(kubeconfig, seed, version=version))
    assert any(decided), f"of {len(decided)} pods on {version} none found a node"


async def play(kubeconfig: Path, seed: int, *, version: str) -> list[str]:
    """Make a cluster, compare each pod, remove everything; return where the pods went."""
    painter = Painter(seed, version=version)
    drivers, scene = painter.drivers(), painter.scene()
    client = client_of(kubeconfig)
    stage = Stage(client, version=version)
    try:
        await stage.make(scene, drivers)
        return [await stage.compare(pod) for pod in scene.waiting]
    finally:
        await stage.clear()
        await client.close()


class Stage:
    """One cluster, on the real plane; and our core as of any moment."""

    def __init__(self, client: ApiClient, *, version: str) -> None:
        self._client = client
        self._version = version
        self._clock = RealClock()
        self._made: list[JsonObject] = []

    async def make(self, scene: Scene, drivers: list[JsonObject]) -> None:
        """Make everything that is there before the pods."""
        await self._make_all((*drivers, *scene.first, *scene.volumes))
        await self._until(self._volumes_are_known)
        await self._make_all(scene.claims)
        await self._clock.sleep(3 * SETTLE_SECONDS)
        await self._until(self._is_quiet)
        await self._make_all(scene.running)
        await self._clock.sleep(SETTLE_SECONDS)

    async def compare(self, pod: JsonObject) -> str:
        """Let both decide about a pod, and return its node, if it got one."""
        name = pod["metadata"]["name"]
        core = await self._core()
        made = await self._make(pod)
        if made is None:
            return ""
        info = pod_info(decode(made, Pod))
        core.waiting[name] = info
        scores = our_scores(core, info)
        decision = core.decide_pod(name)
        node, message = await self._decided(name)
        if node:
            assert scores.get(node) == max(scores.values(), default=-1), (name, node, scores)
            await self._finish(pod)
        else:
            assert message == decision.diagnosis.upstream_message, name
            await self._delete(PODS, name, "default")
        await self._clock.sleep(SETTLE_SECONDS)
        return node

    async def clear(self) -> None:
        """Remove what was made, last things first."""
        for obj in reversed(self._made):
            metadata = obj["metadata"]
            await self._delete(
                RESOURCES[obj["kind"]], metadata["name"], metadata.get("namespace", "")
            )
        await self._until(self._is_empty)

    # --- steps ---------------------------------------------------------------------------

    async def _core(self) -> DecidingCore:
        """Return our core with the cluster as the API shows it."""
        core = DecidingCore(profile=default_profile(version=self._version))
        for node in await self._list(NODES):
            core.builder.set_node(node_info(decode(node, Node)))
        for resource, view in VIEWS:
            for obj in await self._list(resource):
                core.builder.set_storage(view(obj))
        for pod in await self._list(PODS):
            info = pod_info(decode(pod, Pod))
            if info.node_name:
                core.builder.set_pod(info)
        return core

    async def _decided(self, name: str) -> tuple[str, str]:
        """Return the node that was chosen for a pod, or why none was."""
        started = self._clock.now()
        while self._clock.now() - started < PATIENCE_SECONDS:
            seen = await self._client.get(PODS, name, "default")
            conditions = seen["status"].get("conditions", [])
            said = [c for c in conditions if c["type"] == "PodScheduled"]
            node = seen["spec"].get("nodeName") or seen["status"].get("nominatedNodeName")
            if node:
                return node, ""
            if said:
                return "", said[0].get("message", "")
            await self._clock.sleep(0.02)
        raise AssertionError(f"nothing was decided about {name}")

    async def _finish(self, pod: JsonObject) -> None:
        """Let a pod be bound; one that waits for a volume that nobody makes is taken away.

        So is one that waits in vain for a volume that its user promised: the scheduler does not
        look at such a volume's access modes, the controller does.
        """
        name = pod["metadata"]["name"]
        started = self._clock.now()
        while self._clock.now() - started < BINDING_SECONDS:
            seen = await self._client.get(PODS, name, "default")
            if seen["spec"].get("nodeName"):
                return
            claims = await self._list(PERSISTENTVOLUMECLAIMS)
            waiting = [claim for claim in claims if _waits_for_a_volume(claim)]
            if waiting:
                await self._delete(PODS, name, "default")
                await self._clock.sleep(SETTLE_SECONDS)
                for claim in waiting:
                    await self._client.patch(
                        PERSISTENTVOLUMECLAIMS,
                        claim["metadata"]["name"],
                        "default",
                        patch={"metadata": {"annotations": {SELECTED_NODE: None}}},
                        patch_type="merge",
                    )
                return
            await self._clock.sleep(0.05)
        await self._delete(PODS, name, "default")

    async def _make_all(self, objects: Any) -> None:
        for obj in objects:
            await self._make(obj)

    async def _make(self, obj: JsonObject) -> JsonObject | None:
        """Create an object, unless the API refuses what was drawn."""
        resource, namespace = RESOURCES[obj["kind"]], obj["metadata"].get("namespace", "")
        try:
            made = await self._client.create(resource, obj, namespace)
        except InvalidError:
            return None
        self._made.append(obj)
        return made

    async def _list(self, resource: Resource) -> list[JsonObject]:
        listed = await self._client.list(resource)
        return list(listed.items)

    async def _delete(self, resource: Resource, name: str, namespace: str) -> None:
        try:
            grace = 0 if resource is PODS else None
            await self._client.delete(resource, name, namespace, grace_period_seconds=grace)
        except NotFoundError:
            return

    async def _until(self, is_true: Callable[[], Any]) -> None:
        started = self._clock.now()
        while not await is_true():
            assert self._clock.now() - started < PATIENCE_SECONDS, is_true.__name__
            await self._clock.sleep(0.1)

    async def _volumes_are_known(self) -> bool:
        volumes = await self._list(PERSISTENTVOLUMES)
        return all(v.get("status", {}).get("phase", "Pending") != "Pending" for v in volumes)

    async def _is_quiet(self) -> bool:
        """Whether no controller changes anything for a while."""
        before = [await self._list(r) for r in (PERSISTENTVOLUMES, PERSISTENTVOLUMECLAIMS)]
        await self._clock.sleep(2 * SETTLE_SECONDS)
        after = [await self._list(r) for r in (PERSISTENTVOLUMES, PERSISTENTVOLUMECLAIMS)]
        return before == after

    async def _is_empty(self) -> bool:
        for resource in (PODS, PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES, NODES):
            if await self._list(resource):
                return False
        return True


def _waits_for_a_volume(claim: JsonObject) -> bool:
    annotations = claim["metadata"].get("annotations", {})
    return SELECTED_NODE in annotations and not claim["spec"].get("volumeName")
