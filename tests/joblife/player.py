"""Plays a case on a cluster: the user, the scheduler and the kubelets in one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from kubegang.apimachinery.errors import AlreadyExistsError, ApiError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import Clock
from kubegang.client.interface import Client
from kubegang.client.resources import JOBS, NAMESPACES, NODES, PODS, PRIORITYCLASSES
from kubegang.controllers.owners import controller_of
from tests.joblife.jobs import PRIORITY_CLASSES
from tests.joblife.kubelet import status_after
from tests.joblife.releases import resources
from tests.joblife.steps import (
    Case,
    CreateOther,
    DeleteJob,
    MovePods,
    PatchJob,
    Step,
    SubmitAgain,
    TouchGroup,
)
from tests.joblife.view import View, look

NODE = "n1"
CONTROLLER_UID = "batch.kubernetes.io/controller-uid"


async def prepare(client: Client) -> None:
    """Make what all cases share: priority classes and the node that pods are bound to."""
    with contextlib.suppress(AlreadyExistsError):
        await client.create(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}})
    for kind in PRIORITY_CLASSES:
        obj = {"apiVersion": PRIORITYCLASSES.api_version, "kind": "PriorityClass", **kind}
        with contextlib.suppress(AlreadyExistsError):
            await client.create(PRIORITYCLASSES, obj)


class Player:
    """Plays one case in one cluster, step by step.

    Attributes:
        refused: what the API said no to; part of what is compared.
    """

    def __init__(
        self, client: Client, case: Case, namespace: str, *, clock: Clock, release: str = "1.37"
    ) -> None:
        self.refused: list[str] = []
        self._client = client
        self._case = case
        self._namespace = namespace
        self._clock = clock
        self._release = release
        self._resources = resources(release)
        self._owner_uid = ""

    async def begin(self) -> None:
        """Make the namespace, what the Job refers to, and the Job."""
        namespace = {"metadata": {"name": self._namespace}, "apiVersion": "v1", "kind": "Namespace"}
        await self._client.create(NAMESPACES, namespace)
        for obj in self._case.others:
            made = await self._create(obj)
            self._owner_uid = self._owner_uid or made["metadata"]["uid"]
        await self._submit()

    async def do(self, step: Step, view: View) -> None:
        """Do one step, judging by what was seen last."""
        name, namespace = self._case.job["metadata"]["name"], self._namespace
        match step:
            case PatchJob(patch=patch):
                await self._ask(lambda: self._client.patch(JOBS, name, namespace, patch=patch))
            case DeleteJob(policy=policy):
                await self._ask(
                    lambda: self._client.delete(JOBS, name, namespace, propagation_policy=policy)
                )
            case SubmitAgain():
                await self._submit()
            case CreateOther(obj=obj):
                await self._ask(lambda: self._create(obj))
            case TouchGroup():
                await self._touch(step, view)
            case MovePods():
                await self._move_all(_chosen(view, step), step)

    async def see(self) -> View:
        """Look at the namespace."""
        return await look(self._client, self._namespace, release=self._release)

    async def end(self) -> None:
        """Remove what keeps the namespace from going."""
        for pod in (await self._client.list(PODS, self._namespace)).items:
            name = pod["metadata"]["name"]
            patch = {"metadata": {"finalizers": None}}
            try:
                await self._client.patch(PODS, name, self._namespace, patch=patch)
                await self._client.delete(PODS, name, self._namespace, grace_period_seconds=0)
            except NotFoundError:
                continue
        await self._client.delete(NAMESPACES, self._namespace)
        for step in self._case.steps:
            if isinstance(step, CreateOther):
                resource = self._resources[step.obj["kind"]]
                with contextlib.suppress(NotFoundError):
                    await self._client.delete(resource, step.obj["metadata"]["name"])

    async def _submit(self) -> None:
        job = self._case.job
        metadata = dict(job["metadata"])
        if "ownerReferences" in metadata:
            metadata["ownerReferences"] = [
                {**reference, "uid": self._owner_uid} for reference in metadata["ownerReferences"]
            ]
        whole = {**job, "metadata": metadata}
        await self._ask(lambda: self._client.create(JOBS, whole, self._namespace))

    async def _create(self, obj: JsonObject) -> JsonObject:
        resource = self._resources.get(obj["kind"])
        if resource is None:
            # A release that does not know the kind fares without it.
            return {"metadata": {"uid": ""}}
        namespace = self._namespace if resource.namespaced else ""
        whole = {**obj, "apiVersion": resource.api_version}
        return await self._client.create(resource, whole, namespace)

    async def _touch(self, step: TouchGroup, view: View) -> None:
        found = [obj for obj in view.of_kind(step.kind) if controller_of(obj) is not None]
        if not found:
            return
        resource, name = self._resources[step.kind], found[0]["metadata"]["name"]
        patch = step.patch
        if patch is None:
            await self._ask(lambda: self._client.delete(resource, name, self._namespace))
        else:
            await self._ask(
                lambda: self._client.patch(resource, name, self._namespace, patch=patch)
            )

    async def _ask(self, call: Callable[[], Awaitable[object]]) -> None:
        try:
            await call()
        except ApiError as error:
            self.refused.append(f"{error.code} {error.reason}: {error.message}")

    async def _move_all(self, pods: list[JsonObject], step: MovePods) -> None:
        # One moment for all: which of them was ready first decides about whom a Job gives up.
        moment = format_time(self._clock.now())
        await asyncio.gather(*(self._move(pod, step, moment) for pod in pods))

    async def _move(self, pod: JsonObject, step: MovePods, moment: str) -> None:
        name = pod["metadata"]["name"]
        if step.what == "delete":
            await self._client.delete(PODS, name, self._namespace)
            return
        if step.what in ("unlabel", "relabel"):
            await self._label(pod, step)
            return
        if step.what == "run" and not await self._bind(pod):
            return
        status = status_after(pod, step, moment=moment)
        await self._client.patch(
            PODS,
            name,
            self._namespace,
            patch={"status": status},
            patch_type="strategic",
            subresource="status",
        )
        if step.what == "end-deletion":
            await self._client.delete(PODS, name, self._namespace, grace_period_seconds=0)

    async def _label(self, pod: JsonObject, step: MovePods) -> None:
        """Take a pod out of its Job, or offer it to the Job again."""
        value = None
        if step.what == "relabel":
            name = self._case.job["metadata"]["name"]
            try:
                job = await self._client.get(JOBS, name, self._namespace)
            except NotFoundError:
                return
            value = job["metadata"]["uid"]
        patch = {"metadata": {"labels": {CONTROLLER_UID: value}}}
        await self._client.patch(PODS, pod["metadata"]["name"], self._namespace, patch=patch)

    async def _bind(self, pod: JsonObject) -> bool:
        """Give a pod its node; return whether it has one now."""
        if pod["spec"].get("nodeName"):
            return True
        name = pod["metadata"]["name"]
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": name},
            "target": {"apiVersion": "v1", "kind": "Node", "name": NODE},
        }
        refused = len(self.refused)
        await self._ask(
            lambda: self._client.create(
                PODS, binding, self._namespace, subresource="binding", name=name
            )
        )
        return len(self.refused) == refused


def _chosen(view: View, step: MovePods) -> list[JsonObject]:
    pods = [pod for pod in view.sorted_pods if _fits(pod, step)]
    return pods[-step.count :] if step.from_the_end else pods[: step.count]


def _fits(pod: JsonObject, step: MovePods) -> bool:
    phase = pod["status"]["phase"]
    deleted = bool(pod["metadata"].get("deletionTimestamp"))
    match step.what:
        case "unlabel":
            return CONTROLLER_UID in _labels(pod)
        case "relabel":
            return CONTROLLER_UID not in _labels(pod)
        case "run":
            return phase == "Pending" and not deleted
        case "end-deletion":
            return deleted
        case "delete":
            return not deleted
        case _:
            return phase in ("Pending", "Running") and not deleted


def _labels(pod: JsonObject) -> dict[str, str]:
    labels: dict[str, str] = pod["metadata"].get("labels") or {}
    return labels
