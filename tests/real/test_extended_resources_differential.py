"""Extended resources and tainted devices: the real control plane and ours, step by step."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import RealClock
from kubegang.client.api import ApiClient
from kubegang.client.interface import Resource
from kubegang.client.resources import (
    DEVICECLASSES,
    DEVICETAINTRULES,
    NODES,
    PODS,
    RESOURCECLAIMS,
    RESOURCESLICES,
)
from tests.component.deviceobjects import DRIVER, device_class, published
from tests.component.schedulerharness import NS
from tests.real.peer_plane import real_plane
from tests.real.planes import client_of
from tests.system.upprocess import up

GPU = "example.com/gpu"
OWN = "deviceclass.resource.kubernetes.io/gpu"
LOOK_SECONDS = 0.5
QUIET_LOOKS = 2
PATIENCE_SECONDS = 60.0

pytestmark = [pytest.mark.real, pytest.mark.timeout(900)]


class Step(NamedTuple):
    """Something that a user or an administrator does.

    Attributes:
        places: the pod that has a node afterwards, if one gets it: only then the next begins,
            or two pods would take each other's devices by chance.
    """

    do: Callable[[ApiClient], Coroutine[Any, Any, Any]]
    places: str = ""


@pytest.fixture(scope="module", params=["1.37", pytest.param("1.36", marks=pytest.mark.long)])
def release(request: pytest.FixtureRequest) -> str:
    version: str = request.param
    return version


@pytest.fixture(scope="module")
def planes(release: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    directory = tmp_path_factory.mktemp("extended")
    version = release.removeprefix("1.")
    components = "--components=apiserver,controllers,scheduler"
    own = directory / "own"
    own.mkdir()
    with (
        real_plane(directory / "real", version, ETCD_NOFSYNC="true") as real,
        up(own, "--in-memory", components, f"--kubernetes-version={release}") as started,
    ):
        yield real, started.kubeconfig


async def test_each_step_comes_to_the_same(planes: tuple[Path, Path], release: str) -> None:
    clients = [client_of(path) for path in planes]
    try:
        placed: set[str] = set()
        for number, step in enumerate(steps(release)):
            placed |= {step.places} - {""}
            for client in clients:
                await step.do(client)
            difference = await settle(clients, placed)
            assert not difference, f"step {number}:\n{difference}"
    finally:
        for client in clients:
            await client.close()


def steps(release: str) -> list[Step]:
    """Return what users and administrators do, one after the other."""
    init = [container("i1", 3), container("s", 1, restartPolicy="Always"), container("i2", 2)]
    both = [container("a", 1, besides={"cpu": "1"}), container("b", 1, besides={"memory": "1Mi"})]
    rule = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceTaintRule",
        "metadata": {"name": "r"},
        "spec": {
            "deviceSelector": {"driver": DRIVER},
            "taint": {"key": "broken", "effect": "NoSchedule"},
        },
    }
    first = [
        made(NODES, node("n1")),
        made(RESOURCESLICES, published("n1", *(f"d{i}" for i in range(6)))),
        made(PODS, pod("early", container("c", 1))),
        made(DEVICECLASSES, offering(), places="early"),
        made(PODS, pod("many", *both, initContainers=init), places="many"),
        made(PODS, pod("own", container("c", 1, OWN)), places="own"),
        made(PODS, pod("greedy", container("c", 9))),
        made(NODES, node("n2", gpus=2)),
        made(PODS, pod("plugin", container("c", 2)), places="plugin"),
    ]
    last = pod("last", container("c", 1))
    if release != "1.37":
        return [*first, made(PODS, last, places="last"), ended("early")]
    go = Step(lambda client: client.delete(DEVICETAINTRULES, "r"), places="last")
    return [*first, made(DEVICETAINTRULES, rule), made(PODS, last), go, ended("early")]


def made(resource: Resource, obj: JsonObject, *, places: str = "") -> Step:
    namespace = NS if resource.namespaced else ""
    return Step(lambda client: client.create(resource, obj, namespace), places)


def ended(name: str) -> Step:
    patch = {"status": {"phase": "Succeeded"}}
    return Step(lambda client: client.patch(PODS, name, NS, patch=patch, subresource="status"))


def node(name: str, *, gpus: int = 0) -> JsonObject:
    amounts = {"cpu": "8", "memory": "16Gi", "pods": "110"}
    if gpus:
        amounts[GPU] = str(gpus)
    status = {
        "capacity": amounts,
        "allocatable": amounts,
        "conditions": [{"type": "Ready", "status": "True"}],
    }
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}


def offering() -> JsonObject:
    found = device_class("gpu")
    found["spec"]["extendedResourceName"] = GPU
    return found


def container(name: str, gpus: int, resource: str = GPU, **more: Any) -> JsonObject:
    amounts = {resource: str(gpus)}
    asked = {"requests": {**more.pop("besides", {}), **amounts}, "limits": amounts}
    return {"name": name, "image": "registry.example/app:1", "resources": asked, **more}


def pod(name: str, *containers: JsonObject, **spec: Any) -> JsonObject:
    body = {"containers": list(containers), "tolerations": [{"operator": "Exists"}], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": body}


async def settle(clients: list[ApiClient], placed: set[str]) -> str:
    """Wait until both are alike and stay so; return the difference if that does not come.

    Before that, each pod has to be placed, or to be told why it is not.
    """
    clock = RealClock()
    started, looks = clock.now(), 0
    while True:
        real, own = [await see(client) for client in clients]
        looks = looks + 1 if real == own and await is_decided(clients[0], placed) else 0
        if looks == QUIET_LOOKS:
            return ""
        if clock.now() - started > PATIENCE_SECONDS and not looks:
            return f"- {sorted(real - own)}\n+ {sorted(own - real)}"
        await clock.sleep(LOOK_SECONDS)


async def is_decided(client: ApiClient, placed: set[str]) -> bool:
    pods = [_seen_pod(one) for one in (await client.list(PODS, NS)).items]
    told = all(one["said"] or one["node"] for one in pods)
    return told and placed == {one["name"] for one in pods if one["node"]}


async def see(client: ApiClient) -> set[str]:
    """Return what is comparable of pods and claims."""
    pods, claims = await asyncio.gather(client.list(PODS, NS), client.list(RESOURCECLAIMS, NS))
    return {_text(_seen_pod(one)) for one in pods.items} | {_text(one) for one in claims.items}


def _seen_pod(one: JsonObject) -> JsonObject:
    status = one["status"]
    conditions = [c for c in status.get("conditions", ()) if c["type"] == "PodScheduled"]
    return {
        "name": one["metadata"]["name"],
        "node": one["spec"].get("nodeName"),
        "said": [(c["status"], c.get("reason"), c.get("message")) for c in conditions],
        "claim": status.get("extendedResourceClaimStatus"),
    }


def _text(seen: JsonObject) -> str:
    """Return a text without times and what the server made up."""
    seen.get("metadata", {}).pop("managedFields", None)
    text = msgspec.json.encode(seen, order="deterministic").decode()
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME", text)
    text = re.sub(r'"resourceVersion":"\d+"', "VERSION", text)
    return re.sub(r"(extended-resources-)[a-z0-9]{5}\b", r"\1X", text)
