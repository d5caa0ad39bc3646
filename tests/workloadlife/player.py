"""Plays a story on a cluster, as its users and its kubelets."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

from kubegang.apimachinery.errors import ApiError, ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import Clock
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import (
    DAEMONSETS,
    DEPLOYMENTS,
    NAMESPACES,
    NODES,
    PODS,
    REPLICASETS,
    STATEFULSETS,
)
from tests.workloadlife.stories import BAD, Step, Story
from tests.workloadlife.view import View, as_text, is_ready, look, node_of

SHARED_NODE = "shared"
NAME = "web"
FIRST_NODES = 3

RESOURCES: Mapping[str, Resource] = {
    resource.kind: resource for resource in (DEPLOYMENTS, REPLICASETS, STATEFULSETS, DAEMONSETS)
}


async def prepare(client: Client) -> None:
    """Make what all stories share."""
    await _make_node(client, SHARED_NODE, {})


async def _make_node(client: Client, name: str, labels: dict[str, str]) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}
    try:
        await client.create(NODES, node)
    except ApiError as error:
        if error.reason != "AlreadyExists":
            raise


class Player:
    """One story on one cluster.

    Attributes:
        refused: what the API server did not allow.
    """

    def __init__(self, client: Client, story: Story, namespace: str, *, clock: Clock) -> None:
        self.refused: list[str] = []
        self._client = client
        self._story = story
        self._namespace = namespace
        self._clock = clock
        self._resource = RESOURCES[story.kind]
        self._labels = {"story": str(story.seed)}
        self._nodes: list[str] = []
        self._made = 0

    async def begin(self) -> None:
        """Make the namespace, the nodes and the object."""
        metadata = {"name": self._namespace}
        await self._client.create(
            NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
        )
        if self._story.kind == "DaemonSet":
            for _ in range(FIRST_NODES):
                await self._add_node()
        await self._client.create(self._resource, self._story.object, self._namespace)

    async def end(self) -> None:
        """Leave nothing that others would see."""
        await self._client.delete(NAMESPACES, self._namespace)
        for pod in (await self._client.list(PODS, self._namespace)).items:
            await self._remove(pod)
        for node in self._nodes:
            await self._quietly(NODES, node, "")

    async def see(self) -> View:
        """Look at the namespace."""
        return await look(self._client, self._namespace)

    async def do(self, step: Step, view: View) -> None:
        """Take a step; refusals are noted, not raised."""
        try:
            await getattr(self, f"_{step.what}")(step, view)
        except ApiError as error:
            self.refused.append(f"{step.what}: {str(error).replace(self._namespace, 'NS')}")

    # Kubelets

    async def _run(self, step: Step, view: View) -> None:
        waiting = [pod for pod in view.pods if pod["status"]["phase"] == "Pending"]
        chosen = [pod for pod in waiting if not _is_going(pod)][: step.number + 1]
        await asyncio.gather(*(self._bind(pod) for pod in chosen))
        await asyncio.gather(
            *(self._report(pod, phase="Running", ready=_works(pod)) for pod in chosen)
        )

    async def _break(self, step: Step, view: View) -> None:
        ready = [pod for pod in view.pods if is_ready(pod)]
        if ready:
            pod = ready[step.number % len(ready)]
            await self._report(pod, phase="Running", ready=False)

    async def _heal(self, _step: Step, view: View) -> None:
        broken = [
            pod
            for pod in view.pods
            if pod["status"]["phase"] == "Running" and not is_ready(pod) and _works(pod)
        ]
        await asyncio.gather(*(self._report(pod, phase="Running", ready=True) for pod in broken))

    async def _fail(self, step: Step, view: View) -> None:
        running = [pod for pod in view.pods if pod["status"]["phase"] == "Running"]
        if running:
            pod = running[step.number % len(running)]
            await self._report(pod, phase="Failed", ready=False)

    async def _finish(self, _step: Step, view: View) -> None:
        await asyncio.gather(*(self._remove(pod) for pod in view.pods if _is_going(pod)))

    # Users

    async def _delete_pod(self, step: Step, view: View) -> None:
        if view.pods:
            pod = view.pods[step.number % len(view.pods)]
            await self._client.delete(PODS, pod["metadata"]["name"], self._namespace)

    async def _relabel_pod(self, step: Step, view: View) -> None:
        if view.pods:
            pod = view.pods[step.number % len(view.pods)]
            label = "other" if pod["metadata"]["labels"].get("app") == NAME else NAME
            change = {"metadata": {"labels": {"app": label}}}
            await self._client.patch(PODS, pod["metadata"]["name"], self._namespace, patch=change)

    async def _cost(self, step: Step, view: View) -> None:
        for place, pod in enumerate(view.pods[: step.number]):
            cost = {"controller.kubernetes.io/pod-deletion-cost": str(place % 2)}
            change = {"metadata": {"annotations": cost}}
            await self._client.patch(PODS, pod["metadata"]["name"], self._namespace, patch=change)

    async def _scale(self, step: Step, _view: View) -> None:
        await self._client.patch(
            self._resource,
            NAME,
            self._namespace,
            patch={"spec": {"replicas": step.number}},
            subresource="scale",
        )

    async def _image(self, step: Step, _view: View) -> None:
        containers = [{"name": "c", "image": step.text}]
        await self._change({"template": {"spec": {"containers": containers}}})

    async def _restart(self, step: Step, _view: View) -> None:
        mark = {"kubectl.kubernetes.io/restartedAt": str(step.number)}
        await self._change({"template": {"metadata": {"annotations": mark}}})

    async def _annotate(self, step: Step, _view: View) -> None:
        change = {"metadata": {"annotations": {"kubernetes.io/change-cause": str(step.number)}}}
        await self._patch(change)

    async def _pause(self, _step: Step, _view: View) -> None:
        await self._change({"paused": True})

    async def _resume(self, _step: Step, _view: View) -> None:
        await self._change({"paused": None})

    async def _history(self, step: Step, _view: View) -> None:
        await self._change({"revisionHistoryLimit": int(step.text)})

    async def _strategy(self, step: Step, _view: View) -> None:
        if step.text == "Recreate":
            await self._change({"strategy": {"type": "Recreate", "rollingUpdate": None}})
            return
        surge, unavailable = (
            int(part) if part.isdigit() else part for part in step.text.split("/")
        )
        rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
        await self._change({"strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}})

    async def _partition(self, step: Step, _view: View) -> None:
        await self._change({"updateStrategy": {"rollingUpdate": {"partition": step.number % 4}}})

    async def _retention(self, step: Step, _view: View) -> None:
        scaled, deleted = step.text.split("/")
        policy = {"whenScaled": scaled, "whenDeleted": deleted}
        await self._change({"persistentVolumeClaimRetentionPolicy": policy})

    async def _orphan(self, _step: Step, _view: View) -> None:
        """Delete the object without what it owns, and make it again."""
        obj = await self._client.get(self._resource, NAME, self._namespace)
        await self._client.delete(
            self._resource, NAME, self._namespace, propagation_policy="Orphan"
        )
        while await self._is_there(obj["metadata"]["uid"]):
            await self._clock.sleep(0.2)
        again = {k: v for k, v in obj.items() if k != "status"}
        again["metadata"] = {"name": NAME}
        await self._client.create(self._resource, again, self._namespace)

    # Nodes

    async def _add_node(self, _step: Step | None = None, _view: View | None = None) -> None:
        name = f"node-{self._story.seed}-{self._made}"
        self._made += 1
        self._nodes.append(name)
        await _make_node(self._client, name, self._labels)

    async def _taint(self, step: Step, view: View) -> None:
        taint = {"key": "tested", "effect": step.text}
        await self._change_node(step, view, {"spec": {"taints": [taint]}})

    async def _untaint(self, step: Step, view: View) -> None:
        await self._change_node(step, view, {"spec": {"taints": None}})

    async def _label_node(self, step: Step, view: View) -> None:
        label = str(self._story.seed) if step.number % 2 else "none"
        await self._change_node(step, view, {"metadata": {"labels": {"story": label}}})

    async def _change_node(self, step: Step, view: View, change: JsonObject) -> None:
        await self._client.patch(NODES, await self._node(step, view), patch=change)

    async def _node(self, step: Step, view: View) -> str:
        """Return a node by what it is like, not by its name."""
        found = {node["metadata"]["name"]: node for node in (await self._client.list(NODES)).items}
        looks = [
            (view.of_node(name), node_text(found[name]), name)
            for name in self._nodes
            if name in found
        ]
        return sorted(looks)[step.number % len(looks)][-1]

    # Through the API

    async def _change(self, spec: dict[str, Any]) -> None:
        await self._patch({"spec": spec})

    async def _patch(self, change: JsonObject) -> None:
        await self._client.patch(
            self._resource, NAME, self._namespace, patch=change, patch_type="strategic"
        )

    async def _is_there(self, uid: str) -> bool:
        try:
            found = await self._client.get(self._resource, NAME, self._namespace)
        except NotFoundError:
            return False
        return bool(found["metadata"]["uid"] == uid)

    async def _bind(self, pod: JsonObject) -> None:
        if pod["spec"].get("nodeName"):
            return
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": pod["metadata"]["name"]},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node_of(pod) or SHARED_NODE},
        }
        name = pod["metadata"]["name"]
        with contextlib.suppress(NotFoundError, ConflictError):
            # Controllers act meanwhile: a pod may be gone before its turn comes.
            await self._client.create(
                PODS, binding, self._namespace, subresource="binding", name=name
            )

    async def _report(self, pod: JsonObject, *, phase: str, ready: bool) -> None:
        condition = {
            "type": "Ready",
            "status": "True" if ready else "False",
            "lastTransitionTime": format_time(self._clock.now()),
        }
        with contextlib.suppress(NotFoundError):
            await self._client.patch(
                PODS,
                pod["metadata"]["name"],
                self._namespace,
                patch={"status": {"phase": phase, "conditions": [condition]}},
                patch_type="strategic",
                subresource="status",
            )

    async def _remove(self, pod: JsonObject) -> None:
        await self._quietly(PODS, pod["metadata"]["name"], self._namespace)

    async def _quietly(self, resource: Resource, name: str, namespace: str) -> None:
        try:
            await self._client.delete(resource, name, namespace, grace_period_seconds=0)
        except NotFoundError:
            return


def _works(pod: JsonObject) -> bool:
    return bool(pod["spec"]["containers"][0]["image"] != BAD)


def _is_going(pod: JsonObject) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def node_text(node: JsonObject) -> str:
    """Return what distinguishes a node from the others of its story."""
    labels = {k: v for k, v in node["metadata"]["labels"].items() if k == "story"}
    return as_text([labels, node["spec"].get("taints") or []])
