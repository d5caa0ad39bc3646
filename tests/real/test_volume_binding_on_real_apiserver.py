"""``kubegang scheduler`` beside the real volume controllers: pods get their volumes."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import RealClock
from kubegang.client.api import ApiClient
from kubegang.client.resources import (
    NODES,
    PERSISTENTVOLUMECLAIMS,
    PERSISTENTVOLUMES,
    PODGROUPS,
    PODS,
    STORAGECLASSES,
)
from tests.component.schedulerharness import node, pod, pod_group
from tests.component.volumeobjects import NS, claim, local_volume, storage_class, using
from tests.real.peer_plane import real_plane
from tests.real.planes import client_of
from tests.system.upprocess import PROGRAM

PATIENCE_SECONDS = 60.0
SELECTED = "volume.kubernetes.io/selected-node"

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]


def test_pods_get_volumes_that_are_there_and_volumes_that_are_made(tmp_path: Path) -> None:
    with (
        real_plane(tmp_path / "plane", NO_SCHED="1", ETCD_NOFSYNC="true") as kubeconfig,
        scheduler(kubeconfig),
    ):
        asyncio.run(play(kubeconfig))


@contextlib.contextmanager
def scheduler(kubeconfig: Path) -> Iterator[None]:
    """Run our scheduler in place of the real one inside the block."""
    command = [*PROGRAM, "scheduler", f"--kubeconfig={kubeconfig}"]
    process = subprocess.Popen([*command, "--scheduler-name=default-scheduler"])
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=10)


async def play(kubeconfig: Path) -> None:
    client = client_of(kubeconfig)
    try:
        for name in ("n1", "n2"):
            made = node(name, cpu=8)
            made["metadata"]["labels"] = {"disk": name}
            await client.create(NODES, made)
        await client.create(STORAGECLASSES, storage_class("local"))
        await client.create(STORAGECLASSES, storage_class("made", "d.io"))
        await volumes_that_are_there(client)
        await a_volume_that_is_made(client)
    finally:
        await client.close()


async def volumes_that_are_there(client: ApiClient) -> None:
    """A gang of two, whose claims find one local volume on each node."""
    for name, place in (("v1", "n1"), ("v2", "n2")):
        await client.create(PERSISTENTVOLUMES, local_volume(name, place, storage_class="local"))
    await client.create(PODGROUPS, pod_group("g", 2), NS)
    for name in ("c1", "c2"):
        await client.create(PERSISTENTVOLUMECLAIMS, claim(name, storage_class="local"), NS)
    for name, wanted in (("p1", "c1"), ("p2", "c2")):
        await client.create(PODS, pod(name, group="g", volumes=using(wanted)), NS)
    for name, wanted in (("p1", "c1"), ("p2", "c2")):
        bound = await until(client, name, node_of)
        seen = await client.get(PERSISTENTVOLUMECLAIMS, wanted, NS)
        volume = await client.get(PERSISTENTVOLUMES, seen["spec"]["volumeName"])
        assert {"v1": "n1", "v2": "n2"}[volume["metadata"]["name"]] == bound
        assert (seen["status"]["phase"], volume["status"]["phase"]) == ("Bound", "Bound")


async def a_volume_that_is_made(client: ApiClient) -> None:
    """A pod whose volume a driver makes on the node that the claim names."""
    await client.create(PERSISTENTVOLUMECLAIMS, claim("c3", storage_class="made"), NS)
    await client.create(PODS, pod("p3", volumes=using("c3")), NS)

    async def selected(client: ApiClient, name: str) -> str:
        seen = await client.get(PERSISTENTVOLUMECLAIMS, "c3", NS)
        return str(seen["metadata"].get("annotations", {}).get(SELECTED, ""))

    place = await until(client, "p3", selected)
    asked = await client.get(PERSISTENTVOLUMECLAIMS, "c3", NS)
    made = local_volume("v3", place, storage_class="made")
    made["metadata"]["annotations"] = {"pv.kubernetes.io/provisioned-by": "d.io"}
    made["spec"]["claimRef"] = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": NS,
        "name": "c3",
        "uid": asked["metadata"]["uid"],
    }
    await client.create(PERSISTENTVOLUMES, made)
    assert await until(client, "p3", node_of) == place


async def node_of(client: ApiClient, name: str) -> str:
    """Return the node that a pod is bound to, or an empty text."""
    seen: JsonObject = await client.get(PODS, name, NS)
    return str(seen["spec"].get("nodeName", ""))


async def until(
    client: ApiClient, name: str, ask: Callable[[ApiClient, str], Awaitable[str]]
) -> str:
    """Return an answer as soon as there is one."""
    clock = RealClock()
    started = clock.now()
    while clock.now() - started < PATIENCE_SECONDS:
        answer = await ask(client, name)
        if answer:
            return answer
        await clock.sleep(0.2)
    raise AssertionError(f"nothing came of {name}")
