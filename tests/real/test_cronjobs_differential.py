"""CronJobs that run every minute, on the real controllers and on ours, side by side."""

from __future__ import annotations

import asyncio
import difflib
import uuid
from collections.abc import Iterator, Sequence

import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import RealClock
from kubegang.client.interface import Client
from kubegang.client.resources import CRONJOBS, JOBS, NAMESPACES, PODS
from tests.joblife.kubelet import status_after
from tests.joblife.steps import MovePods
from tests.joblife.view import look
from tests.joblife.words import as_text
from tests.real.cronjob_scenes import SCENES, Act, Scene, cron_job
from tests.real.planes import Planes, Setup, both_planes, client_of

MINUTE = 60.0
BEGIN_SECONDS = 5.0
"""So long after the beginning of a minute the scenes begin."""

LOOK_AT = (35, 95, 155, 215)
"""Seconds into a scene at which both sides are compared: after what happens in a minute."""

PATIENCE_SECONDS = 20.0
"""The next minute must not begin meanwhile."""

NAME = "often"

pytestmark = [pytest.mark.real, pytest.mark.long, pytest.mark.timeout(900)]


@pytest.fixture(scope="module", params=["1.37", "1.36"])
def setup(request: pytest.FixtureRequest) -> Setup:
    return Setup(release=request.param)


@pytest.fixture(scope="module")
def planes(setup: Setup, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planes]:
    with both_planes(tmp_path_factory.mktemp("planes"), setup) as started:
        yield started


async def test_cron_jobs_fare_the_same_with_both_controllers(planes: Planes, setup: Setup) -> None:
    clients = [client_of(path) for path in planes]
    clock = RealClock()
    await clock.sleep(MINUTE - clock.now() % MINUTE + BEGIN_SECONDS)
    beginning = clock.now() // MINUTE * MINUTE
    try:
        differences = await asyncio.gather(
            *(_Staging(scene, clients, setup.release, beginning).play() for scene in SCENES)
        )
    finally:
        for client in clients:
            await client.close()

    told = [difference for difference in differences if difference]
    assert not told, f"{len(told)} scenes differ\n" + "\n\n".join(told)


class _Staging:
    """One scene on both clusters, each in a namespace of the same name."""

    def __init__(
        self, scene: Scene, clients: Sequence[Client], release: str, beginning: float
    ) -> None:
        self._scene = scene
        self._clients = clients
        self._release = release
        self._beginning = beginning
        self._clock = RealClock()
        self._namespace = f"{scene.name}-{uuid.uuid4().hex[:6]}"

    async def play(self) -> str:
        """Return the first difference, or an empty text."""
        await asyncio.gather(*(self._begin(client) for client in self._clients))
        moments: list[tuple[int, Act | None]] = [(at, None) for at in LOOK_AT]
        moments += [(act.at, act) for act in self._scene.acts]
        for at, act in sorted(moments, key=lambda moment: moment[0]):
            await self._clock.sleep(max(0.0, self._beginning + at - self._clock.now()))
            if act is not None:
                await asyncio.gather(*(self._do(act, client) for client in self._clients))
            elif difference := await self._difference():
                return f"{self._scene.name} after {at} s, real - and ours +:\n{difference}"
        return ""

    async def _begin(self, client: Client) -> None:
        metadata = {"name": self._namespace}
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
        await client.create(NAMESPACES, namespace)
        await client.create(CRONJOBS, self._scene.cron_job, self._namespace)

    async def _difference(self) -> str:
        """Compare both sides; whoever is late gets some time."""
        until = self._clock.now() + PATIENCE_SECONDS
        while True:
            real, own = [await self._see(client) for client in self._clients]
            told = "\n".join(difflib.unified_diff(real, own, "real", "ours", lineterm="", n=4))
            if not told or self._clock.now() > until:
                return told
            await self._clock.sleep(1)

    async def _see(self, client: Client) -> list[str]:
        view = await look(client, self._namespace, release=self._release, more=(CRONJOBS,))
        view.objects["Event"] = [
            told
            for told in view.objects["Event"]
            if not any(f" | {reason} | " in told for reason in self._scene.by_chance)
        ]
        return as_text(view.objects).splitlines()

    async def _do(self, act: Act, client: Client) -> None:
        match act.what:
            case "change":
                patch = {"spec": act.patch}
                await client.patch(CRONJOBS, NAME, self._namespace, patch=patch)
            case "delete":
                await client.delete(CRONJOBS, NAME, self._namespace, propagation_policy=act.policy)
            case "delete-jobs":
                for job in (await client.list(JOBS, self._namespace)).items:
                    name = job["metadata"]["name"]
                    await client.delete(
                        JOBS, name, self._namespace, propagation_policy="Background"
                    )
            case "stranger":
                await self._make_stranger(client)
            case "run" | "succeed" | "fail":
                await self._move(client, MovePods(act.what, 99))

    async def _make_stranger(self, client: Client) -> None:
        """Make a Job that says it belongs to the CronJob."""
        owner = await client.get(CRONJOBS, NAME, self._namespace)
        reference = {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "name": NAME,
            "uid": owner["metadata"]["uid"],
            "controller": True,
        }
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "stranger", "ownerReferences": [reference]},
            "spec": cron_job()["spec"]["jobTemplate"]["spec"],
        }
        await client.create(JOBS, job, self._namespace)

    async def _move(self, client: Client, step: MovePods) -> None:
        for pod in (await client.list(PODS, self._namespace)).items:
            if pod["status"]["phase"] in ("Pending", "Running") and _is_kept(pod):
                status = status_after(pod, step, moment=format_time(self._clock.now()))
                await client.patch(
                    PODS,
                    pod["metadata"]["name"],
                    self._namespace,
                    patch={"status": status},
                    patch_type="strategic",
                    subresource="status",
                )


def _is_kept(pod: JsonObject) -> bool:
    return not pod["metadata"].get("deletionTimestamp")
