"""Plays a case on a cluster: the user, the scheduler and the kubelets in one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from kubegang.apimachinery.errors import AlreadyExistsError, ApiError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import Clock
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import (
    CONFIGMAPS,
    JOBS,
    NAMESPACES,
    NODES,
    PODS,
    PRIORITYCLASSES,
    WORKLOADS,
)
from tests.joblife.cases import PRIORITY_CLASSES, Case, DeleteJob, MovePods, PatchJob, Step
from tests.joblife.view import View, look

NODE = "n1"
CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
_RESOURCES: dict[str, Resource] = {"ConfigMap": CONFIGMAPS, "Workload": WORKLOADS, "Job": JOBS}


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

    def __init__(self, client: Client, case: Case, namespace: str, *, clock: Clock) -> None:
        self.refused: list[str] = []
        self._client = client
        self._case = case
        self._namespace = namespace
        self._clock = clock

    async def begin(self) -> None:
        """Make the namespace, what the Job refers to, and the Job."""
        client, namespace = self._client, self._namespace
        await client.create(
            NAMESPACES,
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
        )
        owner_uid = ""
        for obj in self._case.others:
            made = await client.create(_RESOURCES[obj["kind"]], obj, namespace)
            owner_uid = owner_uid or made["metadata"]["uid"]
        job = self._case.job
        for reference in job["metadata"].get("ownerReferences", []):
            metadata = {**job["metadata"], "ownerReferences": [{**reference, "uid": owner_uid}]}
            job = {**job, "metadata": metadata}
        await self._ask(lambda: client.create(JOBS, job, namespace))

    async def do(self, step: Step, view: View) -> None:
        """Do one step, judging by what was seen last."""
        name = self._case.job["metadata"]["name"]
        match step:
            case PatchJob(patch=patch):
                await self._ask(
                    lambda: self._client.patch(JOBS, name, self._namespace, patch=patch)
                )
            case DeleteJob(policy=policy):
                await self._ask(
                    lambda: self._client.delete(
                        JOBS, name, self._namespace, propagation_policy=policy
                    )
                )
            case MovePods():
                chosen = _chosen(view, step)
                await asyncio.gather(*(self._move(pod, step) for pod in chosen))

    async def see(self) -> View:
        """Look at the namespace."""
        return await look(self._client, self._namespace)

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

    async def _ask(self, call: Callable[[], object]) -> None:
        try:
            await call()  # type: ignore[misc]
        except ApiError as error:
            self.refused.append(f"{error.code} {error.reason}: {error.message}")

    async def _move(self, pod: JsonObject, step: MovePods) -> None:
        name = pod["metadata"]["name"]
        if step.what == "delete":
            await self._client.delete(PODS, name, self._namespace)
            return
        if step.what in ("unlabel", "relabel"):
            await self._label(pod, step)
            return
        if step.what == "run":
            await self._bind(pod)
        status = status_after(pod, step, moment=format_time(self._clock.now()))
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

    async def _bind(self, pod: JsonObject) -> None:
        if pod["spec"].get("nodeName"):
            return
        name = pod["metadata"]["name"]
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": name},
            "target": {"apiVersion": "v1", "kind": "Node", "name": NODE},
        }
        await self._client.create(PODS, binding, self._namespace, subresource="binding", name=name)


def _chosen(view: View, step: MovePods) -> list[JsonObject]:
    pods = [pod for pod in view.sorted_pods if _fits(pod, step)]
    return pods[-step.count :] if step.from_the_end else pods[: step.count]


def _fits(pod: JsonObject, step: MovePods) -> bool:
    phase = pod["status"]["phase"]
    deleted = bool(pod["metadata"].get("deletionTimestamp"))
    match step.what:
        case "unlabel":
            return CONTROLLER_UID in pod["metadata"]["labels"]
        case "relabel":
            return CONTROLLER_UID not in pod["metadata"]["labels"]
        case "run":
            return phase == "Pending" and not deleted
        case "end-deletion":
            return deleted
        case "delete":
            return not deleted
        case _:
            return phase in ("Pending", "Running") and not deleted


def status_after(pod: JsonObject, step: MovePods, *, moment: str) -> JsonObject:
    """Return what a kubelet would report."""
    match step.what:
        case "run" | "restart":
            restarts = 2 if step.what == "restart" else 0
            return {
                "phase": "Running",
                "startTime": moment,
                "conditions": [_condition("Ready", "True", moment)],
                "containerStatuses": [_container({"running": {"startedAt": moment}}, restarts)],
            }
        case "succeed":
            return _ended("Succeeded", 0, moment)
        case "fail":
            return _ended("Failed", step.exit_code, moment)
        case "disrupt":
            status = _ended("Failed", 137, moment)
            status["conditions"].append(_condition("DisruptionTarget", "True", moment))
            return status
        case _:
            finished = pod["status"]["phase"] in ("Succeeded", "Failed")
            return {} if finished else _ended("Failed", 143, moment)


def _ended(phase: str, exit_code: int, moment: str) -> JsonObject:
    terminated = {"exitCode": exit_code, "finishedAt": moment, "startedAt": moment}
    return {
        "phase": phase,
        "conditions": [_condition("Ready", "False", moment)],
        "containerStatuses": [_container({"terminated": terminated}, 0)],
    }


def _container(state: JsonObject, restarts: int) -> JsonObject:
    return {
        "name": "c",
        "image": "registry.example/app:1",
        "imageID": "",
        "ready": "running" in state,
        "restartCount": restarts,
        "state": state,
    }


def _condition(kind: str, status: str, moment: str) -> JsonObject:
    return {"type": kind, "status": status, "lastTransitionTime": moment}
