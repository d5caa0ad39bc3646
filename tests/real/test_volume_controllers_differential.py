"""Random claims and volumes under the real volume controllers and ours: they must end alike."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec
import pytest

from kubegang.apimachinery.errors import ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import RealClock
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES, STORAGECLASSES
from tests.real.planes import Planes, both_planes, client_of

COUNT = "KUBEGANG_VOLUME_CONTROLLER_CASES"
"""In the environment: how many cases."""

FIRST = "KUBEGANG_VOLUME_CONTROLLER_FIRST"
"""In the environment: the first seed."""

AT_ONCE = 5
LOOK_SECONDS = 0.3
PATIENCE_SECONDS = 60.0
"""The real controller looks again at what waits only every 15 seconds."""

NS = "default"
SELECTED = "volume.kubernetes.io/selected-node"
CLASSES = {
    "now": ("kubernetes.io/no-provisioner", "Immediate"),
    "later": ("kubernetes.io/no-provisioner", "WaitForFirstConsumer"),
    "made": ("d.io", "Immediate"),
    "made-later": ("d.io", "WaitForFirstConsumer"),
}
MODES = (["ReadWriteOnce"], ["ReadWriteMany"], ["ReadWriteOnce", "ReadOnlyMany"])

pytestmark = [pytest.mark.real, pytest.mark.timeout(3600)]


class Step(msgspec.Struct, frozen=True):
    """Something that a user, a scheduler or a driver does.

    Attributes:
        what: ``promise``: a volume is told that it is the claim's, as the scheduler does;
            ``select``: a claim is told where its volume is to be made.
        body: what is created.
        volume: the volume's name, if one is meant besides.
    """

    what: Literal["create", "delete", "promise", "select"]
    kind: Literal["PersistentVolume", "PersistentVolumeClaim"]
    name: str
    body: JsonObject = {}
    volume: str = ""


def make_story(seed: int) -> list[Step]:
    """Return what happens in one case; names carry its number."""
    chance = random.Random(seed)
    volumes = [_volume(chance, f"s{seed}-v{i}", seed, i) for i in range(chance.randint(1, 4))]
    claims = [_claim(chance, f"s{seed}-c{i}", volumes) for i in range(chance.randint(1, 3))]
    made = [*volumes, *claims]
    chance.shuffle(made)
    steps = [Step("create", obj["kind"], obj["metadata"]["name"], obj) for obj in made]
    names = [obj["metadata"]["name"] for obj in volumes]
    for _ in range(chance.randint(1, 4)):
        victim = chance.choice(made)
        what: Any = chance.choice(("delete", "delete", "promise", "select"))
        kind, name = victim["kind"], victim["metadata"]["name"]
        if what in ("promise", "select"):
            kind, name = "PersistentVolumeClaim", chance.choice(claims)["metadata"]["name"]
        steps.append(Step(what, kind, name, volume=chance.choice(names)))
    return steps


@pytest.fixture(scope="module")
def planes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planes]:
    directory = tmp_path_factory.mktemp("volume-controllers")
    with both_planes(directory) as started:
        yield started


def test_claims_and_volumes_end_alike(planes: Planes) -> None:
    first, count = int(os.environ.get(FIRST, "0")), int(os.environ.get(COUNT, "10"))
    asyncio.run(play_all(planes, range(first, first + count)))


async def play_all(planes: Planes, seeds: Sequence[int]) -> None:
    clients = [client_of(path) for path in planes]
    places = asyncio.Semaphore(AT_ONCE)
    try:
        for client in clients:
            for name, (provisioner, mode) in CLASSES.items():
                await client.create(STORAGECLASSES, _class(name, provisioner, mode))

        async def play_one(seed: int) -> None:
            async with places:
                await play(clients, seed)

        async with asyncio.TaskGroup() as tasks:
            for seed in seeds:
                tasks.create_task(play_one(seed))
    finally:
        for client in clients:
            await client.close()


async def play(clients: Sequence[Client], seed: int) -> None:
    """Play a story on both planes; after each step they must become alike."""
    story = make_story(seed)
    for number, step in enumerate(story):
        for client in clients:
            await carry_out(client, step)
        if step.what != "create" or number + 1 == len(story) or story[number + 1].what != "create":
            real, own = await settled(clients, seed)
            differing = {k: (real.get(k), own.get(k)) for k in real.keys() | own.keys()}
            differing = {k: (r, o) for k, (r, o) in differing.items() if r != o}
            assert not differing, (
                f"seed {seed}, step {number}, {step.what} {step.name}: {differing}"
            )


async def settled(clients: Sequence[Client], seed: int) -> tuple[JsonObject, JsonObject]:
    """Return both states when they are alike and stay so, or when patience is at its end."""
    clock = RealClock()
    started = clock.now()
    alike = 0
    while True:
        real, own = [await state_of(client, f"s{seed}-") for client in clients]
        alike = alike + 1 if real == own else 0
        if alike == 3 or clock.now() - started > PATIENCE_SECONDS:
            return real, own
        await clock.sleep(LOOK_SECONDS)


async def state_of(client: Client, prefix: str) -> JsonObject:
    """Return what is comparable of the claims and volumes of a case."""
    state: JsonObject = {}
    for resource in (PERSISTENTVOLUMES, PERSISTENTVOLUMECLAIMS):
        for obj in (await client.list(resource)).items:
            name = obj["metadata"]["name"]
            if name.startswith(prefix):
                state[f"{resource.kind} {name}"] = comparable(obj)
    return state


def comparable(obj: JsonObject) -> JsonObject:
    """Return an object without what differs from server to server."""
    reference = obj["spec"].get("claimRef")
    status = {k: v for k, v in obj["status"].items() if k != "lastPhaseTransitionTime"}
    if "conditions" in status:
        status["conditions"] = [
            {k: v for k, v in condition.items() if k != "lastTransitionTime"}
            for condition in status["conditions"]
        ]
    return {
        "annotations": obj["metadata"].get("annotations", {}),
        "finalizers": sorted(obj["metadata"].get("finalizers", ())),
        "terminating": "deletionTimestamp" in obj["metadata"],
        "claim": None if reference is None else (reference["name"], "uid" in reference),
        "volume": obj["spec"].get("volumeName"),
        "status": status,
    }


async def carry_out(client: Client, step: Step) -> None:
    """Do one step; what was deleted before cannot be told anything."""
    resource, namespace = _place(step.kind)
    try:
        if step.what == "create":
            await client.create(resource, step.body, namespace)
        elif step.what == "delete":
            await client.delete(resource, step.name, namespace)
        elif step.what == "select":
            patch: JsonObject = {"metadata": {"annotations": {SELECTED: "n1"}}}
            await client.patch(resource, step.name, namespace, patch=patch)
        else:
            await promise(client, step)
    except NotFoundError:
        return


async def promise(client: Client, step: Step) -> None:
    """Promise a free volume to a claim that has none, as the scheduler does."""
    claim = await client.get(PERSISTENTVOLUMECLAIMS, step.name, NS)
    volume = await client.get(PERSISTENTVOLUMES, step.volume)
    if claim["spec"].get("volumeName") or volume["spec"].get("claimRef"):
        return
    reference = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": NS,
        "name": step.name,
        "uid": claim["metadata"]["uid"],
    }
    patch = {
        "metadata": {
            "annotations": {"pv.kubernetes.io/bound-by-controller": "yes"},
            "resourceVersion": volume["metadata"]["resourceVersion"],
        },
        "spec": {"claimRef": reference},
    }
    try:
        await client.patch(PERSISTENTVOLUMES, step.volume, patch=patch, patch_type="merge")
    except ConflictError:
        return


def _place(kind: str) -> tuple[Resource, str]:
    if kind == "PersistentVolume":
        return PERSISTENTVOLUMES, ""
    return PERSISTENTVOLUMECLAIMS, NS


def _class(name: str, provisioner: str, mode: str) -> JsonObject:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": mode,
    }


def _volume(chance: random.Random, name: str, seed: int, number: int) -> JsonObject:
    # No two volumes are of one size: which of two equals is taken, nobody knows.
    spec: JsonObject = {
        "capacity": {"storage": f"{number + 1}Gi"},
        "accessModes": chance.choice(MODES),
        "persistentVolumeReclaimPolicy": chance.choice(("Retain", "Retain", "Delete")),
        "storageClassName": chance.choice((*_own_classes(seed), "later", "")),
        **chance.choice(
            (
                {"csi": {"driver": "d.io", "volumeHandle": name}},
                {"nfs": {"server": "h", "path": "/p"}},
            )
        ),
    }
    if chance.random() < 0.15:
        spec["volumeMode"] = "Block"
    if chance.random() < 0.25:
        spec["claimRef"] = {"namespace": NS, "name": f"s{seed}-c{chance.randrange(3)}"}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "labels": {"case": f"s{seed}"}},
        "spec": spec,
    }


def _claim(chance: random.Random, name: str, volumes: Sequence[JsonObject]) -> JsonObject:
    case = name.partition("-")[0]
    spec: JsonObject = {
        "accessModes": chance.choice(MODES[:2]),
        "storageClassName": chance.choice((*CLASSES, "now", "missing", "")),
        "resources": {"requests": {"storage": chance.choice(("1Gi", "2Gi"))}},
        # Cases that run side by side must not take each other's volumes.
        "selector": {"matchLabels": {"case": case}},
    }
    if chance.random() < 0.3:
        volume = chance.choice(volumes)
        spec["volumeName"] = volume["metadata"]["name"]
        if chance.random() < 0.7:
            spec["storageClassName"] = volume["spec"]["storageClassName"]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name},
        "spec": spec,
    }


def _own_classes(seed: int) -> tuple[str, ...]:
    return ("now", "now", "made") if seed % 2 else ("now", "later", "made-later")
