"""What the page changes in a cluster: with the rights of its own client, and of nobody else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kubegang.apimachinery.errors import ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import NODES
from kubegang.web.acts import AskedCordon, AskedDeletion, Deletion, GangName, Target

_OF_JOBS: Final = ("Workload", "PodGroup", "Pod")
"""What the controller of Jobs makes for one, and the garbage collector deletes after it."""


class ClusterActs:
    """Cordons nodes and deletes gangs."""

    def __init__(self, client: Client, resources: Iterable[Resource]) -> None:
        """Act on a cluster.

        Args:
            client: its API.
            resources: those that it has, and lets the client read.
        """
        self._client = client
        self._resources = {one.kind: one for one in resources}

    async def cordon(self, asked: AskedCordon) -> None:
        """Set ``spec.unschedulable``, or take it away as ``kubectl uncordon`` does."""
        patch = {"spec": {"unschedulable": True if asked.unschedulable else None}}
        await self._client.patch(NODES, asked.node, patch=patch)

    async def deletion(self, gang: GangName) -> Deletion:
        """Return what would be deleted: a Job, or a PodGroup with its pods."""
        root = await self._client.get(self._resource(gang.kind), gang.name, gang.namespace)
        deleted, follows = [root], list[JsonObject]()
        if gang.kind == "Job":
            for kind in _OF_JOBS:
                follows += [one for one in await self._all(kind, gang) if _owns(root, one)]
        else:
            deleted += [pod for pod in await self._all("Pod", gang) if _group(pod) == gang.name]
        return Deletion(
            deleted=tuple(map(_target, deleted)),
            follows=tuple(map(_target, follows)),
            notes=tuple(dict.fromkeys(note for obj in deleted for note in _notes(obj))),
        )

    async def delete(self, asked: AskedDeletion) -> None:
        """Delete what was shown, as ``kubectl delete`` does: what it owns is collected later.

        Raises:
            ConflictError: it consists of other objects by now.
        """
        targets = (await self.deletion(asked.gang)).deleted
        if {target.uid for target in targets} != set(asked.uids):
            raise ConflictError("the gang has changed since it was shown: look again")
        for target in targets:
            await self._delete(target)

    async def _delete(self, target: Target) -> None:
        try:
            await self._client.delete(
                self._resource(target.kind),
                target.name,
                target.namespace,
                propagation_policy="Background",
                precondition_uid=target.uid,
            )
        except NotFoundError:
            # It was there a moment ago: somebody was faster, and what was asked for is done.
            return

    async def _all(self, kind: str, gang: GangName) -> list[JsonObject]:
        resource = self._resources.get(kind)
        return (await self._client.list(resource, gang.namespace)).items if resource else []

    def _resource(self, kind: str) -> Resource:
        if kind not in self._resources:
            raise NotFoundError(f"this cluster has no {kind}s, or does not let them be read")
        return self._resources[kind]


def _target(obj: JsonObject) -> Target:
    meta = obj["metadata"]
    return Target(obj["kind"], meta["namespace"], meta["name"], meta["uid"])


def _owns(owner: JsonObject, obj: JsonObject) -> bool:
    references = obj["metadata"].get("ownerReferences") or ()
    return any(one["uid"] == owner["metadata"]["uid"] for one in references)


def _group(pod: JsonObject) -> str:
    return str((pod["spec"].get("schedulingGroup") or {}).get("podGroupName") or "")


def _notes(obj: JsonObject) -> Iterator[str]:
    """Tell who controls an object, since that may make it anew."""
    for one in obj["metadata"].get("ownerReferences") or ():
        if one.get("controller"):
            yield f"{one['kind']} {one['name']} may make such a {obj['kind']} again"
