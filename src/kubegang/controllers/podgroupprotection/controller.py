"""Lets a terminating PodGroup go once none of its pods is still alive.

The API server puts a finalizer on every PodGroup; this controller takes it off when the
group is being deleted and no pod that names it is outside Succeeded and Failed. Pods that
are pending or being deleted hold the group too (measured on 1.36 and 1.37).
"""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import PODGROUPS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.finalizers import is_held, take_off

FINALIZER = "scheduling.k8s.io/podgroup-protection"
BY_GROUP = "pod-group"
WORKERS = 5

Key = tuple[str, str]


def group_of(pod: JsonObject) -> str:
    """Return the name of the PodGroup that a pod names, or an empty string."""
    return str((pod["spec"].get("schedulingGroup") or {}).get("podGroupName") or "")


def index_by_group(pod: JsonObject) -> list[str]:
    """Return the index keys of a pod: its group's namespace and name."""
    name = group_of(pod)
    return [f"{pod['metadata']['namespace']}/{name}"] if name else []


def may_go(group: JsonObject, pods: Iterable[JsonObject]) -> bool:
    """Return whether the finalizer of a group is to be taken off."""
    return is_held(group, FINALIZER) and all(
        (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed") for pod in pods
    )


class PodGroupProtection:
    """Reconciles PodGroups, keyed by namespace and name."""

    def __init__(
        self,
        client: Client,
        *,
        pods: Informer[JsonObject],
        pod_groups: Informer[JsonObject],
        queue: WorkQueue[Key],
        resource: Resource = PODGROUPS,
    ) -> None:
        """Set up.

        Args:
            client: where to write.
            pods: all pods.
            pod_groups: all groups.
            queue: the groups to look at.
            resource: in which API version groups are written.
        """
        self._client = client
        self._resource = resource
        self._pods = pods
        self._groups = pod_groups
        self._queue = queue
        pods.index(BY_GROUP, index_by_group)
        pods.add_handler(
            on_add=self._pod_changed,
            on_update=lambda _old, new: self._pod_changed(new),
            on_delete=self._pod_changed,
        )
        pod_groups.add_handler(
            on_add=self._group_changed,
            on_update=lambda _old, new: self._group_changed(new),
            on_delete=lambda _group: None,
        )

    async def run(self) -> None:
        """Reconcile until cancelled."""
        await self._pods.synced.wait()
        await self._groups.synced.wait()
        await work(
            self._queue, self._reconcile, workers=WORKERS, failed="pod group not released, retrying"
        )

    def _pod_changed(self, pod: JsonObject) -> None:
        name = group_of(pod)
        if name:
            self._queue.add((pod["metadata"]["namespace"], name))

    def _group_changed(self, group: JsonObject) -> None:
        if group["metadata"].get("deletionTimestamp"):
            self._queue.add((group["metadata"]["namespace"], group["metadata"]["name"]))

    async def _reconcile(self, key: Key) -> None:
        namespace, name = key
        group = self._groups.get(namespace, name)
        if group is None:
            return
        if may_go(group, self._pods.by_index(BY_GROUP, f"{namespace}/{name}")):
            await take_off(self._client, self._resource, group, finalizer=FINALIZER)
