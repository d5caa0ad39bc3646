"""What can be seen of a scenario through the API, without names that differ from run to run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import Client
from kubegang.client.resources import COMPOSITEPODGROUPS, EVENTS, PODS, RESOURCECLAIMS
from tests.differential.objects import Release
from tests.differential.scenario import Picture, PodState

_UID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Observer:
    """Looks at one scenario's namespace; remembers the names behind uids."""

    def __init__(self, client: Client, release: Release, namespace: str) -> None:
        self._client = client
        self._release = release
        self._namespace = namespace
        self._made: set[str] = set()
        self._names: dict[str, str] = {}

    def expect(self, pod: str) -> None:
        """Note that a pod is made: when it is missing, somebody took it."""
        self._made.add(pod)

    def forget(self, pod: str) -> None:
        """Note that the scenario itself takes a pod away."""
        self._made.discard(pod)

    async def picture(self) -> Picture:
        """Return what there is to see now."""
        pods = (await self._client.list(PODS, self._namespace)).items
        states = {name: PodState(gone=True) for name in self._made}
        self._learn("pod", pods)
        for pod in pods:
            states[pod["metadata"]["name"]] = self._pod(pod)
        groups: list[JsonObject] = []
        if self._release.has_pod_groups:
            groups = (await self._client.list(self._release.groups, self._namespace)).items
        self._learn("group", groups)
        if self._release.has_trees:
            trees = (await self._client.list(COMPOSITEPODGROUPS, self._namespace)).items
            self._learn("composite", trees)
            groups = [*groups, *trees]
        claims = (await self._client.list(RESOURCECLAIMS, self._namespace)).items
        found = {g["metadata"]["name"]: self._conditions(g) for g in groups}
        return Picture(
            pods=dict(sorted(states.items())),
            groups={name: text for name, text in sorted(found.items()) if text},
            claims={c["metadata"]["name"]: text for c in claims if (text := _allocation(c))},
        )

    async def events(self) -> tuple[str, ...]:
        """Return every event text once."""
        items = (await self._client.list(EVENTS, self._namespace)).items
        return tuple(sorted({self._event(item) for item in items}))

    def _pod(self, pod: JsonObject) -> PodState:
        status = pod.get("status", {})
        conditions = {c["type"]: c for c in status.get("conditions") or ()}
        scheduled = conditions.get("PodScheduled", {})
        disrupted = conditions.get("DisruptionTarget")
        return PodState(
            node=pod["spec"].get("nodeName", ""),
            ending="deletionTimestamp" in pod["metadata"],
            nominated=status.get("nominatedNodeName", ""),
            scheduled="" if scheduled.get("status", "True") == "True" else self._why(scheduled),
            disrupted=self._why(disrupted) if disrupted else "",
        )

    def _conditions(self, group: JsonObject) -> str:
        conditions = group.get("status", {}).get("conditions") or ()
        return "; ".join(f"{c['type']}={c['status']} {self._why(c)}".strip() for c in conditions)

    def _why(self, condition: JsonObject) -> str:
        text = f"{condition.get('reason', '')}: {condition.get('message', '')}"
        return self._alike(text).removesuffix(": ")

    def _event(self, event: JsonObject) -> str:
        about = event.get("regarding", {})
        reason, action = event.get("reason", ""), event.get("action", "")
        note = self._alike(event.get("note", ""))
        return f"{about.get('kind')}/{about.get('name')} {event['type']} {reason} {action}: {note}"

    def _learn(self, word: str, items: Iterable[JsonObject]) -> None:
        for item in items:
            self._names[item["metadata"]["uid"]] = f"<{word} {item['metadata']['name']}>"

    def _alike(self, text: str) -> str:
        """Return a text without uids and the name of the namespace."""
        without_uids = _UID.sub(lambda match: self._names.get(match[0], "<someone>"), text)
        return without_uids.replace(f"{self._namespace}/", "NS/")


def _allocation(claim: JsonObject) -> str:
    """Return a claim's devices and for whom they are reserved."""
    status = claim.get("status", {})
    results = status.get("allocation", {}).get("devices", {}).get("results") or ()
    devices = sorted(f"{one['request']}={one['pool']}/{one['device']}" for one in results)
    reserved = sorted(f"{one['resource']}/{one['name']}" for one in status.get("reservedFor") or ())
    return f"{' '.join(devices)} for {' '.join(reserved)}" if devices or reserved else ""
