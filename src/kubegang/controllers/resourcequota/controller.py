"""Counts what a namespace uses and writes it into the status of its quotas.

The API server raises the count when something is created; this controller counts anew when a
quota is made or changed, and when something that counted has gone or counts for less.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.quotas.amounts import ZERO, Amounts, added, only, to_wire
from kubegang.api.quotas.scopes import has_scopes, pod_in_scopes
from kubegang.api.quotas.usage import PODS, matching_names, usage_of
from kubegang.apimachinery.objects import GroupResource, JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue

RESOURCEQUOTAS = Resource("", "v1", "resourcequotas", "ResourceQuota")
BY_NAMESPACE = "namespace"
WORKERS = 5

Key = tuple[str, str]
_FINISHED = ("Succeeded", "Failed")


class QuotaCounter:
    """Reconciles quotas, keyed by namespace and name."""

    def __init__(
        self,
        client: Client,
        *,
        quotas: Informer[JsonObject],
        counted: Mapping[GroupResource, Informer[JsonObject]],
        queue: WorkQueue[Key],
        clock: Clock,
    ) -> None:
        """Set up.

        Args:
            client: writes the status of quotas.
            quotas: all quotas.
            counted: what quotas may count; of most resources metadata is enough.
            queue: the quotas to count.
            clock: pods that should have been gone count no more.
        """
        self._client = client
        self._quotas = quotas
        self._counted = counted
        self._queue = queue
        self._clock = clock
        quotas.add_handler(
            on_add=self._quota_changed,
            on_update=self._quota_updated,
            on_delete=lambda _quota: None,
        )
        for resource, informer in counted.items():
            self._follow(resource, informer)

    async def run(self) -> None:
        """Reconcile until cancelled."""
        await self._quotas.synced.wait()
        for informer in self._counted.values():
            await informer.synced.wait()
        await work(self._queue, self._reconcile, workers=WORKERS, failed="not counted, retrying")

    def _follow(self, resource: GroupResource, informer: Informer[JsonObject]) -> None:
        def updated(old: JsonObject, new: JsonObject) -> None:
            if _counts_less(resource, old, new):
                self._changed(resource, new)

        informer.index(BY_NAMESPACE, _namespaces)
        informer.add_handler(
            on_add=lambda _obj: None,
            on_update=updated,
            on_delete=lambda obj: self._changed(resource, obj),
        )

    def _quota_changed(self, quota: JsonObject) -> None:
        self._queue.add((quota["metadata"]["namespace"], quota["metadata"]["name"]))

    def _quota_updated(self, old: JsonObject, new: JsonObject) -> None:
        if old.get("spec") != new.get("spec"):
            self._quota_changed(new)

    def _changed(self, resource: GroupResource, obj: JsonObject) -> None:
        """Count those quotas of a namespace that count objects of a resource."""
        namespace = obj["metadata"]["namespace"]
        for quota in self._quotas.items():
            if quota["metadata"]["namespace"] != namespace:
                continue
            if matching_names(resource, (quota.get("spec") or {}).get("hard") or {}):
                self._quota_changed(quota)

    async def _reconcile(self, key: Key) -> None:
        quota = self._quotas.get(*key)
        if quota is None:
            return
        status = self._status(quota)
        if status != (quota.get("status") or {}):
            counted = {**quota, "status": status}
            await self._client.update(RESOURCEQUOTAS, counted, subresource="status")

    def _status(self, quota: JsonObject) -> JsonObject:
        hard: dict[str, str] = (quota.get("spec") or {}).get("hard") or {}
        used: Amounts = dict.fromkeys(hard, ZERO)
        for resource, informer in self._counted.items():
            names = matching_names(resource, hard)
            if names:
                used |= self._count(quota, resource, informer, names)
        return {"hard": dict(hard), "used": to_wire(only(used, hard))}

    def _count(
        self,
        quota: JsonObject,
        resource: GroupResource,
        informer: Informer[JsonObject],
        names: list[str],
    ) -> Amounts:
        if resource != PODS and has_scopes(quota):
            return {}
        now = self._clock.now()
        zero = dict.fromkeys(names, ZERO)
        objects = informer.by_index(BY_NAMESPACE, quota["metadata"]["namespace"])
        usages = [
            usage_of(resource, obj, now=now)
            for obj in objects
            if resource != PODS or pod_in_scopes(quota, obj, best_effort=_is_best_effort(obj))
        ]
        return only(added((zero, *usages)), names)


def _namespaces(obj: JsonObject) -> list[str]:
    return [obj["metadata"]["namespace"]]


def _is_best_effort(pod: JsonObject) -> bool:
    return bool((pod.get("status") or {}).get("qosClass") == "BestEffort")


def _counts_less(resource: GroupResource, old: JsonObject, new: JsonObject) -> bool:
    """Return whether a change may set something free, or the server did not count it."""
    if resource == PODS:
        phase, before = ((one.get("status") or {}).get("phase") for one in (new, old))
        return phase in _FINISHED and before not in _FINISHED
    return bool(not resource.group and old.get("spec") != new.get("spec"))
