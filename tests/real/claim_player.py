"""Plays a scene with device claims on a control plane and tells how it settled."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import RealClock
from kubegang.client.api import ApiClient
from kubegang.client.interface import Resource
from kubegang.client.resources import (
    DEVICECLASSES,
    NAMESPACES,
    NODES,
    PODS,
    PRIORITYCLASSES,
    RESOURCECLAIMS,
    RESOURCECLAIMTEMPLATES,
    RESOURCESLICES,
)
from tests.real.claim_scenes import Group, Scene

RESOURCES: Final = {
    resource.kind: resource
    for resource in (
        DEVICECLASSES,
        NODES,
        PODS,
        PRIORITYCLASSES,
        RESOURCECLAIMS,
        RESOURCECLAIMTEMPLATES,
        RESOURCESLICES,
    )
}

QUIET_SECONDS: Final = 2.5
"""So long nothing may change, with a backoff of a second."""

STEP_SECONDS: Final = 0.8
"""So long one unit has the scheduler for itself."""

BACKED_OFF_SECONDS: Final = 1.5
"""After so long who was woken has been tried."""

PATIENCE_SECONDS: Final = 40.0

Outcome = dict[str, str]
"""What became of each pod, claim and group, as one line each."""


class Stage:
    """One control plane, one scene at a time."""

    def __init__(self, client: ApiClient, groups: Resource | None) -> None:
        self._client = client
        self._groups = groups
        self._clock = RealClock()

    async def play(self, scene: Scene, namespace: str) -> list[Outcome]:
        """Make a scene, and return how it settled, at first and in the end."""
        await self._client.create(NAMESPACES, _named("v1", "Namespace", namespace))
        made = [obj for obj in (*scene.first, *scene.late) if _is_global(obj)]
        try:
            for obj in (*scene.first, *scene.claims):
                await self._make(obj, namespace)
            await self._clock.sleep(STEP_SECONDS)
            for unit in scene.units:
                await self._make_unit(unit, namespace)
                await self._clock.sleep(STEP_SECONDS)
            first = await self._settled(namespace, scene.tag)
            for obj in scene.late:
                await self._make(obj, namespace)
            await self._clock.sleep(BACKED_OFF_SECONDS)
            for name in scene.freed:
                await self._delete(PODS, name, namespace)
            return [first, await self._settled(namespace, scene.tag)]
        finally:
            await self._clear(made, namespace)

    async def _make_unit(self, unit: JsonObject | Group, namespace: str) -> None:
        if not isinstance(unit, Group):
            await self._make(unit, namespace)
            return
        assert self._groups is not None
        policy: JsonObject = {"basic": {}}
        if unit.minimum is not None:
            policy = {"gang": {"minCount": unit.minimum}}
        spec: JsonObject = {"schedulingPolicy": policy, "resourceClaims": unit.claims}
        if unit.topology:
            spec["schedulingConstraints"] = {"topology": [{"key": unit.topology}]}
        group = _named(self._groups.api_version, "PodGroup", unit.name, spec=spec)
        await self._client.create(self._groups, group, namespace)
        for pod in unit.pods:
            await self._make(pod, namespace)

    async def _make(self, obj: JsonObject, namespace: str) -> None:
        where = "" if _is_global(obj) else namespace
        await self._client.create(RESOURCES[obj["kind"]], obj, where)

    async def _settled(self, namespace: str, tag: str) -> Outcome:
        """Return the outcome once it does not change any more."""
        started = since = self._clock.now()
        seen: Outcome = {}
        while True:
            outcome = await self._outcome(namespace)
            now = {name: text.replace(tag, "s") for name, text in outcome.items()}
            moment = self._clock.now()
            if now != seen:
                seen, since = now, moment
            if moment - since >= QUIET_SECONDS or moment - started > PATIENCE_SECONDS:
                return seen
            await self._clock.sleep(0.3)

    async def _outcome(self, namespace: str) -> Outcome:
        pods = (await self._client.list(PODS, namespace)).items
        outcome = {f"pod {pod['metadata']['name']}": _of_pod(pod) for pod in pods}
        for claim in (await self._client.list(RESOURCECLAIMS, namespace)).items:
            outcome[f"claim {_name_of(claim)}"] = _of_claim(claim)
        if self._groups is not None:
            for group in (await self._client.list(self._groups, namespace)).items:
                outcome[f"group {group['metadata']['name']}"] = _of_group(group)
        return outcome

    async def _clear(self, made: list[JsonObject], namespace: str) -> None:
        for pod in (await self._client.list(PODS, namespace)).items:
            await self._delete(PODS, pod["metadata"]["name"], namespace)
        await self._delete(NAMESPACES, namespace)
        for obj in reversed(made):
            await self._delete(RESOURCES[obj["kind"]], obj["metadata"]["name"])
        await self._clock.sleep(STEP_SECONDS)

    async def _delete(self, resource: Resource, name: str, namespace: str = "") -> None:
        try:
            await self._client.delete(resource, name, namespace)
        except NotFoundError:
            return


def _of_pod(pod: JsonObject) -> str:
    node = pod["spec"].get("nodeName")
    if node:
        return f"on {node}"
    return _condition(pod, "PodScheduled")


def _of_claim(claim: JsonObject) -> str:
    status = claim.get("status", {})
    allocation = status.get("allocation")
    users = sorted(f"{u['resource']}/{u['name']}" for u in status.get("reservedFor", ()))
    if allocation is None:
        return f"not allocated, for {users}"
    results = [
        (r["request"], r["driver"], r["pool"], r["device"])
        for r in allocation["devices"]["results"]
    ]
    selector = msgspec.json.encode(allocation.get("nodeSelector")).decode()
    return f"{results} at {selector}, for {users}, kept by {claim['metadata'].get('finalizers')}"


def _of_group(group: JsonObject) -> str:
    conditions = ("PodGroupInitiallyScheduled", "PodGroupScheduled")
    return " ".join(_condition(group, kind) for kind in conditions).strip()


def _condition(obj: JsonObject, kind: str) -> str:
    for condition in obj.get("status", {}).get("conditions", ()):
        if condition["type"] == kind:
            parts = (condition["status"], condition.get("reason"), condition.get("message", ""))
            return " ".join(str(part) for part in parts)
    return ""


def _name_of(claim: JsonObject) -> str:
    """Return a claim's name; of one that was made, what it was made for."""
    meta = claim["metadata"]
    made_for = [owner["name"] for owner in meta.get("ownerReferences", ())]
    entry = meta.get("annotations", {}).get("resource.kubernetes.io/pod-claim-name", "")
    return f"{entry} of {made_for[0]}" if made_for else str(meta["name"])


def _is_global(obj: JsonObject) -> bool:
    return not RESOURCES[obj["kind"]].namespaced


def _named(version: str, kind: str, name: str, **parts: Any) -> JsonObject:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **parts}
