"""Deployments and their like as users write them, and what kubelets do to their pods."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.client.interface import Resource
from kubegang.client.resources import (
    CONTROLLERREVISIONS,
    CORE_EVENTS,
    DAEMONSETS,
    DEPLOYMENTS,
    NODES,
    PERSISTENTVOLUMECLAIMS,
    PODS,
    REPLICASETS,
    REPLICATIONCONTROLLERS,
    STATEFULSETS,
)
from tests.component.controllersharness import ControlledCluster, controllers_test

NS = "default"

CHOSEN = frozenset(
    {
        "daemonset-controller",
        "deployment-controller",
        "garbage-collector-controller",
        "replicaset-controller",
        "persistentvolumeclaim-protection-controller",
        "replicationcontroller-controller",
        "statefulset-controller",
    }
)
LABELS = {"app": "web"}
KINDS: Mapping[str, Resource] = {
    resource.kind: resource
    for resource in (
        CONTROLLERREVISIONS,
        DAEMONSETS,
        DEPLOYMENTS,
        NODES,
        PERSISTENTVOLUMECLAIMS,
        PODS,
        REPLICASETS,
        REPLICATIONCONTROLLERS,
        STATEFULSETS,
    )
}


def template(image: str = "registry.example/app:1", **spec: Any) -> JsonObject:
    """Return a pod template."""
    containers = [{"name": "c", "image": image}]
    return {"metadata": {"labels": dict(LABELS)}, "spec": {"containers": containers, **spec}}


def workload(kind: str, name: str = "web", **spec: Any) -> JsonObject:
    """Return a Deployment, or another kind of the group apps."""
    settings = {"selector": {"matchLabels": dict(LABELS)}, "template": template(), **spec}
    if kind == "StatefulSet":
        settings.setdefault("serviceName", "web")
    metadata: JsonObject = {"name": name}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": settings}


class Operators:
    """What users and kubelets do in the default namespace, and what they see there."""

    def __init__(self, cluster: ControlledCluster) -> None:
        self.cluster = cluster
        self.api = cluster.user

    async def create(self, obj: JsonObject) -> JsonObject:
        resource = KINDS[obj["kind"]]
        made = await self.api.create(resource, obj, NS if resource.namespaced else "")
        await self.wait(2)
        return made

    async def change(self, kind: str, name: str = "web", **spec: Any) -> None:
        """Change members of a spec."""
        await self.api.patch(KINDS[kind], name, NS, patch={"spec": spec})
        await self.wait(2)

    async def set_image(self, kind: str, image: str, name: str = "web") -> None:
        containers = [{"name": "c", "image": image}]
        await self.change(kind, name, template={"spec": {"containers": containers}})

    async def get(self, kind: str, name: str = "web") -> JsonObject:
        return await self.api.get(KINDS[kind], name, NS)

    async def status(self, kind: str, name: str = "web") -> JsonObject:
        status: JsonObject = (await self.get(kind, name))["status"]
        return status

    async def condition(self, kind: str, condition: str, name: str = "web") -> tuple[str, str]:
        """Return status and reason of a condition."""
        found = (await self.status(kind, name)).get("conditions") or ()
        entry: JsonObject = next((one for one in found if one["type"] == condition), {})
        return entry.get("status", ""), entry.get("reason", "")

    async def all(self, kind: str) -> list[JsonObject]:
        """Return all objects of a kind, the oldest first."""
        items = (await self.api.list(KINDS[kind], NS)).items
        return sorted(items, key=lambda obj: int(obj["metadata"]["resourceVersion"]))

    async def names(self, kind: str) -> list[str]:
        return sorted(obj["metadata"]["name"] for obj in await self.all(kind))

    async def sizes(self) -> dict[str, int]:
        """Return the sizes of the ReplicaSets by the tag of their template's image."""
        found = await self.all("ReplicaSet")
        return {
            _tag(replica_set["spec"]["template"]["spec"]): replica_set["spec"]["replicas"]
            for replica_set in found
        }

    async def pods(self) -> list[JsonObject]:
        """Return pods that are not being deleted."""
        return [
            pod for pod in await self.all("Pod") if not pod["metadata"].get("deletionTimestamp")
        ]

    async def images(self) -> list[str]:
        """Return the tags of the images of all pods."""
        return sorted(_tag(pod["spec"]) for pod in await self.pods())

    async def events(self, reason: str) -> list[str]:
        found = (await self.api.list(CORE_EVENTS)).items
        return [event["message"] for event in found if event["reason"] == reason]

    async def make_node(self, name: str, **fields: Any) -> None:
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, **fields}
        await self.create(node)

    async def bind(self, pod: JsonObject, node: str) -> None:
        """Put a pod on a node."""
        name = pod["metadata"]["name"]
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": name},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        }
        await self.api.create(PODS, binding, NS, subresource="binding", name=name)

    async def start(self, pod: JsonObject, *, ready: bool = True) -> None:
        """Have a pod run."""
        moment = format_time(self.cluster.clock.now())
        condition = {
            "type": "Ready",
            "status": "True" if ready else "False",
            "lastTransitionTime": moment,
        }
        status = {"phase": "Running", "conditions": [condition]}
        await self.api.patch(
            PODS, pod["metadata"]["name"], NS, patch={"status": status}, subresource="status"
        )

    async def start_all(self) -> int:
        """Have all pods run that do not yet; return how many those were."""
        waiting = [pod for pod in await self.pods() if pod["status"]["phase"] == "Pending"]
        for pod in waiting:
            await self.start(pod)
        await self.wait(2)
        return len(waiting)

    async def settle(self) -> None:
        """Have pods run until there are no new ones."""
        while await self.start_all():
            pass

    async def wait(self, seconds: float) -> None:
        await self.cluster.wait(seconds)


Scenario = Callable[[Operators], Coroutine[Any, Any, None]]


def played(scenario: Scenario) -> Callable[[], None]:
    """Make a scenario with the controllers of workloads a test."""

    async def on_cluster(cluster: ControlledCluster) -> None:
        await cluster.start(chosen=CHOSEN)
        await scenario(Operators(cluster))

    on_cluster.__name__, on_cluster.__doc__ = scenario.__name__, scenario.__doc__
    return controllers_test(on_cluster)


def _tag(spec: JsonObject) -> str:
    return str(spec["containers"][0]["image"]).rpartition(":")[2]
