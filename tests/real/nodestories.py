"""Nodes that fail in one cluster: a zone for each story, its kubelets, and what is to be seen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_micro_time
from kubegang.base.clock import RealClock
from kubegang.client.interface import Client
from kubegang.client.resources import CORE_EVENTS, LEASES, NAMESPACES, NODES, PODS

LEASES_NAMESPACE = "kube-node-lease"
ZONE = "topology.kubernetes.io/zone"
POSTED = "2020-01-01T00:00:"
"""With which the times begin that kubelets post: they differ from all that controllers write."""

WELL = {"Ready": "True", "MemoryPressure": "False", "DiskPressure": "False", "PIDPressure": "False"}


class Zone:
    """One story in one cluster: nodes of a zone, and pods in a namespace of the same name."""

    def __init__(self, client: Client, name: str) -> None:
        self.client = client
        self.name = name
        self._alive: set[str] = set()
        self._reports = 0

    async def begin(self) -> None:
        """Make the namespace."""
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.name}}
        await self.client.create(NAMESPACES, namespace)

    async def lifeless(self, name: str) -> None:
        """Make a node of which nothing is heard."""
        metadata = {"name": f"{self.name}-{name}", "labels": {ZONE: self.name}}
        await self.client.create(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": metadata})

    async def node(self, name: str, **conditions: str) -> None:
        """Make a node that posts conditions, and renews its Lease from then on."""
        await self.lifeless(name)
        self._alive.add(name)
        await self._renew(name)
        await self.report(name, **conditions)

    def silence(self, name: str) -> None:
        """Let a node renew its Lease no more."""
        self._alive.discard(name)

    async def revive(self, name: str) -> None:
        """Let a node be well, and renew its Lease again."""
        self._alive.add(name)
        await self._renew(name)
        await self.report(name, **WELL)

    async def report(self, name: str, **conditions: str) -> None:
        """Post conditions as a kubelet does."""
        self._reports += 1
        moment = f"{POSTED}{self._reports:02}Z"
        times = {"lastHeartbeatTime": moment, "lastTransitionTime": moment}
        posted = [
            {"type": kind, "status": value, "reason": "Kubelet", "message": "said so", **times}
            for kind, value in conditions.items()
        ]
        patch = {"status": {"conditions": posted}}
        await self.client.patch(
            NODES, f"{self.name}-{name}", patch=patch, patch_type="strategic", subresource="status"
        )

    async def change(self, name: str, **spec: Any) -> None:
        """Change a node's spec."""
        await self.client.patch(NODES, f"{self.name}-{name}", patch={"spec": spec})

    async def remove(self, name: str) -> None:
        """Delete a node."""
        self.silence(name)
        await self.client.delete(NODES, f"{self.name}-{name}")

    async def pod(
        self, name: str, node: str, *tolerations: JsonObject, ready: str = "True"
    ) -> None:
        """Make a pod that runs on a node."""
        spec = {
            "containers": [{"name": "c", "image": "i"}],
            "nodeName": f"{self.name}-{node}",
            "tolerations": list(tolerations),
        }
        body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
        await self.client.create(PODS, body, self.name)
        condition = {
            "type": "Ready",
            "status": ready,
            "reason": "Kubelet",
            "message": "said so",
            "lastTransitionTime": f"{POSTED}00Z",
        }
        patch = {"status": {"phase": "Running", "conditions": [condition]}}
        await self.client.patch(
            PODS, name, self.name, patch=patch, patch_type="strategic", subresource="status"
        )

    async def heartbeat(self) -> None:
        """Renew the Lease of each node that is alive."""
        for name in sorted(self._alive):
            await self._renew(name)

    async def _renew(self, name: str) -> None:
        lease = f"{self.name}-{name}"
        spec = {"holderIdentity": lease, "renewTime": format_micro_time(RealClock().now())}
        try:
            await self.client.patch(LEASES, lease, LEASES_NAMESPACE, patch={"spec": spec})
        except NotFoundError:
            body = {
                "apiVersion": "coordination.k8s.io/v1",
                "kind": "Lease",
                "metadata": {"name": lease},
                "spec": spec,
            }
            await self.client.create(LEASES, body, LEASES_NAMESPACE)

    async def see(self) -> JsonObject:
        """Return what is known of nodes and pods, and the events; times only by their origin."""
        nodes = (await self.client.list(NODES, label_selector=f"{ZONE}={self.name}")).items
        pods = (await self.client.list(PODS, self.name)).items
        events = (await self.client.list(CORE_EVENTS)).items
        return {
            "nodes": {one["metadata"]["name"]: _node(one) for one in nodes},
            "pods": {one["metadata"]["name"]: _pod(one) for one in pods},
            "events": sorted(
                _event(one)
                for one in events
                if one["involvedObject"].get("namespace") == self.name
                or one["involvedObject"]["name"].startswith(f"{self.name}-")
            ),
        }


def _node(node: JsonObject) -> JsonObject:
    return {
        "taints": sorted(
            f"{one['key']}={one.get('value', '')}:{one['effect']}"
            f" since {_origin('timeAdded', one.get('timeAdded'), '')}"
            for one in node["spec"].get("taints") or ()
        ),
        "conditions": _conditions(node),
    }


def _pod(pod: JsonObject) -> JsonObject:
    deleting = "deletionTimestamp" in pod["metadata"]
    return {"deleting": deleting, "conditions": _conditions(pod)}


def _conditions(obj: JsonObject) -> list[JsonObject]:
    created = obj["metadata"]["creationTimestamp"]
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return [
        {
            field: _origin(field, value, created) if field.endswith("Time") else value
            for field, value in sorted(one.items())
        }
        for one in sorted(conditions, key=lambda one: str(one["type"]))
    ]


def _origin(field: str, moment: str | None, created: str) -> str | None:
    """Return a time that a kubelet posted, or in words where another comes from."""
    if moment is None or moment.startswith(POSTED):
        return moment
    return "created" if field == "lastHeartbeatTime" and moment == created else "later"


def _event(event: JsonObject) -> str:
    about = ",".join(sorted(event["involvedObject"]))
    source = f"{event['source']['component']} {event.get('reportingComponent')}"
    told = f"{event['type']} {event['reason']} {event['message']}"
    return f"{told} about {about} from {source} times {event['count']}"


Act = Callable[[Zone], Awaitable[None]]


class Step(msgspec.Struct, frozen=True):
    """What happens, and after how many seconds what came of it is compared."""

    act: Act
    seconds: float
