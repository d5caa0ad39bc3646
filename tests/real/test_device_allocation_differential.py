"""Random claims: the real scheduler must allocate the devices that ours does.

Classes, slices and claims are created on the real control plane, and read back, so that both
see what its API server made of them. Where a pod with the claims is bound, the whole
allocations must be ours; where it is refused, the reason must be.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec
import pytest

from kubegang.api.meta import decode
from kubegang.api.resource.types import DeviceClass, ResourceClaim, ResourceSlice
from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import RealClock
from kubegang.client.api import ApiClient
from kubegang.client.interface import Resource
from kubegang.client.resources import (
    DEVICECLASSES,
    NAMESPACES,
    NODES,
    PODS,
    RESOURCECLAIMS,
    RESOURCESLICES,
)
from kubegang.scheduler.framework.devices import Allocated
from kubegang.scheduler.plugins.dynamicresources.allocator import allocate
from kubegang.scheduler.plugins.dynamicresources.pools import PublishedDevices
from kubegang.scheduler.plugins.dynamicresources.requests import (
    AllocationError,
    AllocationRules,
    DeviceFeatures,
)
from kubegang.testing.builders import make_node
from tests.property.devicescenes import NODE, Scene, device_scene
from tests.real.peer_plane import real_plane
from tests.real.planes import client_of

COUNT = "KUBEGANG_DEVICE_CASES"
"""In the environment: how many scenes to try."""

SETTLE_SECONDS = 0.4
"""Until the real scheduler has seen what was made."""

PATIENCE_SECONDS = 10.0
NOT_HERE = "cannot allocate all claims"

pytestmark = [pytest.mark.real, pytest.mark.timeout(3600)]


RULES = {
    "37": AllocationRules(),
    "36": AllocationRules(
        config_for_all_names_none=False,
        runtime_errors_name_the_device=False,
        limit_names_the_request=False,
    ),
}


class Release(NamedTuple):
    """A real control plane, and how its scheduler allocates."""

    kubeconfig: Path
    rules: AllocationRules


@pytest.fixture(scope="module", params=RULES)
def release(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Release]:
    version: str = request.param
    directory = tmp_path_factory.mktemp("devices") / "plane"
    with real_plane(directory, version, ETCD_NOFSYNC="true") as path:
        asyncio.run(prepare(path))
        yield Release(path, RULES[version])


@pytest.mark.parametrize("seed", range(int(os.environ.get(COUNT, "25"))))
def test_the_same_devices_are_allocated(release: Release, seed: int) -> None:
    asyncio.run(play(release, device_scene(Random(seed))))


async def prepare(kubeconfig: Path) -> None:
    """Make the node, and allow admin access in the namespace."""
    client = client_of(kubeconfig)
    try:
        await client.create(NODES, make_node(NODE).label("zone", "a").json())
        labels = {"resource.kubernetes.io/admin-access": "true"}
        await client.patch(NAMESPACES, "default", patch={"metadata": {"labels": labels}})
    finally:
        await client.close()


async def play(release: Release, scene: Scene) -> None:
    """Make the scene, compare, and remove everything."""
    client = client_of(release.kubeconfig)
    clock = RealClock()
    try:
        for kind, objects in ((DEVICECLASSES, scene.classes), (RESOURCESLICES, scene.slices)):
            for obj in objects:
                await client.create(kind, typed(kind, obj))
        for obj in scene.claims:
            await client.create(RESOURCECLAIMS, typed(RESOURCECLAIMS, obj), "default")
        await clock.sleep(SETTLE_SECONDS)
        ours = await our_answer(client, release.rules)
        theirs, message = await real_answer(client, clock, scene)
        if isinstance(ours, str):
            assert ours in message
        elif ours is None:
            assert NOT_HERE in message
        else:
            assert theirs == ours, message
    finally:
        await clear(client, scene)
        await client.close()


def typed(kind: Resource, obj: JsonObject) -> JsonObject:
    return {"apiVersion": kind.api_version, "kind": kind.kind, **obj}


async def our_answer(client: ApiClient, rules: AllocationRules) -> list[JsonObject] | str | None:
    """Return our allocations, or why there are none."""
    classes = [decode(o, DeviceClass) for o in await listed(client, DEVICECLASSES)]
    try:
        found = allocate(
            [decode(o, ResourceClaim) for o in await listed(client, RESOURCECLAIMS, "default")],
            node=make_node(NODE).label("zone", "a").info(),
            published=PublishedDevices(
                decode(o, ResourceSlice) for o in await listed(client, RESOURCESLICES)
            ),
            classes={one.metadata.name: one for one in classes},
            allocated=Allocated(),
            features=DeviceFeatures(),
            rules=rules,
            new_share_id=lambda: "",
        )
    except AllocationError as error:
        return str(error)
    if found is None:
        return None
    allocations: list[JsonObject] = msgspec.json.decode(msgspec.json.encode(found))
    return allocations


async def real_answer(
    client: ApiClient, clock: RealClock, scene: Scene
) -> tuple[list[JsonObject] | None, str]:
    """Let the real scheduler place a pod with all claims."""
    names = [claim["metadata"]["name"] for claim in scene.claims]
    claims = [{"name": name, "resourceClaimName": name} for name in names]
    spec = {"containers": [{"name": "c", "image": "i"}], "resourceClaims": claims}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}
    await client.create(PODS, pod, "default")
    started = clock.now()
    while clock.now() - started < PATIENCE_SECONDS:
        seen = await client.get(PODS, "p", "default")
        if seen["spec"].get("nodeName"):
            objects = await listed(client, RESOURCECLAIMS, "default")
            return [comparable(o["status"]["allocation"]) for o in objects], ""
        said = [c for c in seen["status"].get("conditions", []) if c["type"] == "PodScheduled"]
        if said:
            return None, said[0].get("message", "")
        await clock.sleep(0.05)
    raise AssertionError("nothing was decided")


def comparable(allocation: JsonObject) -> JsonObject:
    """Leave out what is drawn by chance or by the clock."""
    allocation.pop("allocationTimestamp", None)
    for result in allocation["devices"].get("results", []):
        result.pop("shareID", None)
    return allocation


async def listed(client: ApiClient, kind: Resource, namespace: str = "") -> list[JsonObject]:
    objects = (await client.list(kind, namespace)).items
    return sorted(objects, key=lambda o: str(o["metadata"]["name"]))


async def clear(client: ApiClient, scene: Scene) -> None:
    """Remove the scene; the controllers would free the claims, but in their own time."""
    await remove(client, PODS, "p", "default", grace_period_seconds=0)
    for claim in await listed(client, RESOURCECLAIMS, "default"):
        name = claim["metadata"]["name"]
        # Without a resourceVersion: the claim controller works on the same claims.
        freed = {"status": {"allocation": None, "reservedFor": None}}
        await client.patch(RESOURCECLAIMS, name, "default", patch=freed, subresource="status")
        loose = {"metadata": {"finalizers": None}}
        await client.patch(RESOURCECLAIMS, name, "default", patch=loose)
        await remove(client, RESOURCECLAIMS, name, "default")
    for kind, objects in ((RESOURCESLICES, scene.slices), (DEVICECLASSES, scene.classes)):
        for obj in objects:
            await remove(client, kind, obj["metadata"]["name"])


async def remove(
    client: ApiClient,
    kind: Resource,
    name: str,
    namespace: str = "",
    *,
    grace_period_seconds: int | None = None,
) -> None:
    try:
        await client.delete(kind, name, namespace, grace_period_seconds=grace_period_seconds)
    except NotFoundError:
        return
