"""Jobs and pods as users write them, and what kubelets do to pods."""

from __future__ import annotations

from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.client.resources import (
    CONFIGMAPS,
    CORE_EVENTS,
    JOBS,
    NODES,
    PODGROUPS,
    PODS,
    WORKLOADS,
)
from tests.component.controllersharness import ControlledCluster

NS = "default"
CONTAINER = {"name": "c", "image": "registry.example/app:1"}


def job(name: str = "train", **spec: Any) -> JsonObject:
    """Return a Job of one pod."""
    template = {"spec": {"restartPolicy": "Never", "containers": [CONTAINER]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": template, **spec},
    }


def config_map(name: str, *owners: JsonObject, blocks: bool = True) -> JsonObject:
    """Return a ConfigMap that other objects own."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": name,
            "ownerReferences": [
                {
                    "apiVersion": owner["apiVersion"],
                    "kind": owner["kind"],
                    "name": owner["metadata"]["name"],
                    "uid": owner["metadata"]["uid"],
                    "blockOwnerDeletion": blocks,
                }
                for owner in owners
            ],
        },
    }


def bare_pod(name: str, *, node: str = "", **metadata: Any) -> JsonObject:
    """Return a pod that no controller made."""
    spec: JsonObject = {"containers": [CONTAINER]}
    if node:
        spec["nodeName"] = node
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **metadata},
        "spec": spec,
    }


class Users:
    """What users and kubelets do in the default namespace, and what they see there."""

    def __init__(self, cluster: ControlledCluster) -> None:
        self.cluster = cluster
        self.api = cluster.user

    async def submit(self, obj: JsonObject) -> JsonObject:
        """Create a Job, a ConfigMap or a pod."""
        resource = {"Job": JOBS, "ConfigMap": CONFIGMAPS, "Pod": PODS}[obj["kind"]]
        return await self.api.create(resource, obj, NS)

    async def job(self, name: str = "train") -> JsonObject:
        return await self.api.get(JOBS, name, NS)

    async def status(self, name: str = "train") -> JsonObject:
        status: JsonObject = (await self.job(name)).get("status") or {}
        return status

    async def conditions(self, name: str = "train") -> list[str]:
        """Return the conditions of a Job that are True."""
        conditions = (await self.status(name)).get("conditions") or ()
        return [c["type"] for c in conditions if c["status"] == "True"]

    async def pods(self) -> list[JsonObject]:
        return (await self.api.list(PODS, NS)).items

    async def active(self) -> list[JsonObject]:
        """Return pods that have not ended and are not being deleted."""
        return [
            pod
            for pod in await self.pods()
            if pod["status"]["phase"] in ("Pending", "Running")
            and not pod["metadata"].get("deletionTimestamp")
        ]

    async def groups(self) -> list[JsonObject]:
        return (await self.api.list(PODGROUPS, NS)).items

    async def workloads(self) -> list[JsonObject]:
        return (await self.api.list(WORKLOADS, NS)).items

    async def config_maps(self) -> list[str]:
        """Return the names of those that users made: each namespace has one of its own."""
        names = [c["metadata"]["name"] for c in (await self.api.list(CONFIGMAPS, NS)).items]
        return [name for name in names if name != "kube-root-ca.crt"]

    async def events(self, reason: str) -> list[JsonObject]:
        found = (await self.api.list(CORE_EVENTS)).items
        return [event for event in found if event["reason"] == reason]

    async def end(self, pod: JsonObject, phase: str, *, code: int = 0) -> None:
        """Have a pod end now."""
        moment = format_time(self.cluster.clock.now())
        terminated = {"exitCode": code, "startedAt": moment, "finishedAt": moment}
        container = {
            "name": "c",
            "image": CONTAINER["image"],
            "imageID": "",
            "ready": False,
            "restartCount": 0,
            "state": {"terminated": terminated},
        }
        await self.api.patch(
            PODS,
            pod["metadata"]["name"],
            NS,
            patch={"status": {"phase": phase, "containerStatuses": [container]}},
            subresource="status",
        )

    async def make_node(self, name: str) -> None:
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
        await self.api.create(NODES, node)

    async def wait(self, seconds: float) -> None:
        await self.cluster.wait(seconds)
