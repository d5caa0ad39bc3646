"""Plays a forest scene on a control plane and tells how it settled."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from kubegang.apimachinery.errors import AlreadyExistsError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import RealClock
from kubegang.client.api import ApiClient
from kubegang.client.interface import Resource
from kubegang.client.resources import (
    COMPOSITEPODGROUPS,
    NAMESPACES,
    NODES,
    PODS,
    PRIORITYCLASSES,
)
from tests.real.forest_scenes import STRONG, WEAK, Scene, SceneGroup, SceneNode, Tree, class_of

GROUPS: Final = Resource("scheduling.k8s.io", "v1alpha3", "podgroups", "PodGroup")
SECOND: Final = 1.05
"""Siblings created so far apart are not of the same age."""

SETTLE_SECONDS: Final = 3.2
"""Long enough for preemption and two attempts after it, with a backoff of a second."""


@dataclass
class Settled:
    """How a scene ended.

    Attributes:
        pods: per pod ``bound``, ``gone``, or what its PodScheduled condition says.
        groups: per PodGroup what its condition says.
        nodes: per bound pod its node.
    """

    pods: dict[str, str] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, str] = field(default_factory=dict)


class Stage:
    """One control plane, one scene at a time."""

    def __init__(self, client: ApiClient) -> None:
        self._client = client
        self._clock = RealClock()

    async def prepare(self) -> None:
        """Make what all scenes use."""
        for priority in (WEAK, STRONG):
            body = {
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "metadata": {"name": class_of(priority)},
                "value": priority,
            }
            try:
                await self._client.create(PRIORITYCLASSES, body)
            except AlreadyExistsError:
                continue
        await self._clock.sleep(1.0)

    async def play(self, scene: Scene, namespace: str) -> Settled:
        """Make the scene, let it settle, look, and remove it."""
        await self._client.create(NAMESPACES, _named("v1", "Namespace", namespace))
        try:
            for node in scene.nodes:
                await self._client.create(NODES, _node(node))
            for group in scene.running_groups:
                await self._create_group(group, namespace)
            for pod in scene.running:
                await self._client.create(PODS, pod.json(), namespace)
            for tree in scene.trees:
                await self._plant(tree, namespace)
                await self._clock.sleep(SETTLE_SECONDS)
            return await self._look(scene, namespace)
        finally:
            await self._clear(scene, namespace)

    async def _plant(self, tree: Tree, namespace: str) -> None:
        for pod in tree.pods:
            await self._client.create(PODS, pod.json(), namespace)
        for number, groups in enumerate(tree.rounds()):
            if number:
                await self._clock.sleep(SECOND)
            for group in groups:
                await self._create_group(group, namespace)
        await self._clock.sleep(0.2)
        await self._create_group(tree.root, namespace)

    async def _create_group(self, group: SceneGroup, namespace: str) -> None:
        resource = COMPOSITEPODGROUPS if group.composite else GROUPS
        await self._client.create(resource, group.json(), namespace)

    async def _look(self, scene: Scene, namespace: str) -> Settled:
        settled = Settled()
        here = {pod["metadata"]["name"]: pod for pod in await self._list(PODS, namespace)}
        names = [pod.name for pod in scene.running]
        names += [pod.name for tree in scene.trees for pod in tree.pods]
        for name in names:
            pod = here.get(name)
            settled.pods[name] = "gone" if pod is None else _state_of(pod, scene)
            if pod is not None and pod["spec"].get("nodeName"):
                settled.nodes[name] = pod["spec"]["nodeName"]
        for group in await self._list(GROUPS, namespace):
            text = _condition(group, "PodGroupInitiallyScheduled", scene)
            settled.groups[group["metadata"]["name"]] = text
        return settled

    async def _list(self, resource: Resource, namespace: str) -> list[JsonObject]:
        listed = await self._client.list(resource, namespace)
        return [dict(item) for item in listed.items]

    async def _clear(self, scene: Scene, namespace: str) -> None:
        for resource in (PODS, GROUPS, COMPOSITEPODGROUPS):
            for obj in await self._list(resource, namespace):
                name = obj["metadata"]["name"]
                try:
                    if obj["metadata"].get("finalizers"):
                        patch = {"metadata": {"finalizers": None}}
                        await self._client.patch(
                            resource, name, namespace, patch=patch, patch_type="merge"
                        )
                    await self._client.delete(resource, name, namespace)
                except NotFoundError:
                    continue
        for node in scene.nodes:
            await self._client.delete(NODES, node.name)
        await self._clock.sleep(0.3)


def _state_of(pod: JsonObject, scene: Scene) -> str:
    if pod["spec"].get("nodeName"):
        return "bound"
    return _condition(pod, "PodScheduled", scene)


def _condition(obj: JsonObject, condition_type: str, scene: Scene) -> str:
    for condition in obj.get("status", {}).get("conditions", []):
        if condition["type"] == condition_type:
            said = f"{condition['status']}/{condition.get('reason', '')}"
            text = "" if scene.by_topology else condition.get("message", "")
            # How far a preemption was when somebody looked is a matter of moments.
            return f"{said} {re.sub('ongoing preemption.*|found a placement.*', '…', text)}"
    return "nothing"


def _named(api_version: str, kind: str, name: str) -> JsonObject:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}}


def _node(node: SceneNode) -> JsonObject:
    amounts = {"cpu": str(node.cpu), "memory": "32Gi", "pods": "110"}
    labels = {"kubernetes.io/hostname": node.name, "rack": node.rack, "zone": node.zone}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": node.name, "labels": labels},
        "status": {"capacity": amounts, "allocatable": amounts},
    }
