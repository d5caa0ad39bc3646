"""Deletes pods whose devices have NoExecute taints that their claims do not tolerate.

Which pods have to go is decided as news come, by ``Standing``; workers delete those whose time
has come, and report what rules do. Claims are not released here: their controller does that
when the pods are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import PODS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.devicetainteviction.marking import disruption_target
from kubegang.controllers.devicetainteviction.rulestatus import PERIOD_SECONDS, RuleStatus
from kubegang.controllers.devicetainteviction.settings import DeviceTaintSettings
from kubegang.controllers.devicetainteviction.standing import Standing
from kubegang.controllers.devicetainteviction.taints import Eviction
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.remembered import Remembered
from kubegang.controllers.resourceclaim.references import (
    BY_GROUP,
    index_by_group,
    is_group_entry,
    is_pod_entry,
    reservations,
)

WORKERS = 8
REMEMBERED = 500
"""So many pods that went are remembered (source: kube-controller-manager 1.36)."""


class Item(NamedTuple):
    """A pod that may have to go, or a rule of which to report."""

    what: Literal["pod", "rule"]
    namespace: str
    name: str
    uid: str


class DeviceTaintEviction:
    """Follows pods, claims, slices and rules; ``_due`` has the pods that are to go."""

    def __init__(
        self,
        client: Client,
        *,
        pods: Informer[JsonObject],
        claims: Informer[JsonObject],
        slices: Informer[JsonObject],
        rules: Informer[JsonObject] | None,
        status: RuleStatus | None,
        standing: Standing,
        recorder: EventRecorder,
        queue: WorkQueue[Item],
        clock: Clock,
        settings: DeviceTaintSettings,
    ) -> None:
        self._client = client
        self._pods = pods
        self._followed = [pods, claims, slices, *([] if rules is None else [rules])]
        self._status = status
        self._standing = standing
        self._recorder = recorder
        self._queue = queue
        self._clock = clock
        self._settings = settings
        self._due: dict[Item, Eviction] = {}
        self._gone: Remembered[str] = Remembered(REMEMBERED)
        pods.index(BY_GROUP, index_by_group)
        pods.add_handler(self._look_at, self._pod_updated, self._pod_gone)
        claims.add_handler(self._claim_set, self._claim_updated, self._claim_gone)
        slices.add_handler(
            lambda new: self._slice_changed(None, new),
            self._slice_changed,
            lambda old: self._slice_changed(old, None),
        )
        if rules is not None:
            rules.add_handler(self._rule_added, self._rule_updated, self._rule_gone)

    async def run(self) -> None:
        """Reconcile until cancelled, once every informer has its first listing."""
        for informer in self._followed:
            await informer.synced.wait()
        await work(
            self._queue,
            self._reconcile,
            workers=WORKERS,
            failed="pod with tainted device not evicted, or rule not reported, retrying",
        )

    # --- following -----------------------------------------------------------------------

    def _pod_updated(self, old: JsonObject, new: JsonObject) -> None:
        if old["metadata"]["uid"] != new["metadata"]["uid"]:
            self._pod_gone(old)
        elif _decisive(old) == _decisive(new):
            return
        self._look_at(new)

    def _pod_gone(self, pod: JsonObject) -> None:
        self._due.pop(_item("pod", pod), None)

    def _claim_set(self, claim: JsonObject) -> None:
        self._standing.set_claim(claim)
        self._look_at_users([claim])

    def _claim_updated(self, old: JsonObject, new: JsonObject) -> None:
        self._standing.set_claim(new)
        same = reservations(old) == reservations(new)
        self._look_at_users([new] if same else [old, new])

    def _claim_gone(self, claim: JsonObject) -> None:
        self._standing.drop_claim(claim)
        self._look_at_users([claim])

    def _slice_changed(self, old: JsonObject | None, new: JsonObject | None) -> None:
        self._look_at_users(self._standing.set_slice(old, new))

    def _rule_added(self, rule: JsonObject) -> None:
        self._queue.add(_item("rule", rule))
        self._look_at_users(self._standing.set_rule(None, rule))

    def _rule_updated(self, old: JsonObject, new: JsonObject) -> None:
        if old["metadata"]["uid"] != new["metadata"]["uid"]:
            self._rule_gone(old)
            self._rule_added(new)
        elif old["spec"] != new["spec"]:
            self._queue.add(_item("rule", new))
            self._look_at_users(self._standing.set_rule(old, new))

    def _rule_gone(self, rule: JsonObject) -> None:
        if self._status is not None:
            self._status.forget(rule)
        self._look_at_users(self._standing.set_rule(rule, None))

    def _look_at_users(self, claims: Iterable[JsonObject]) -> None:
        for claim in claims:
            for pod in self._users(claim):
                self._look_at(pod)

    def _users(self, claim: JsonObject) -> Iterator[JsonObject]:
        """Yield the pods for which, or for whose group, a claim is reserved."""
        namespace = claim["metadata"]["namespace"]
        for entry in reservations(claim):
            if is_pod_entry(entry):
                pod = self._pods.get(namespace, entry["name"])
                if pod is not None and pod["metadata"]["uid"] == entry["uid"]:
                    yield pod
                elif not self._settings.rules.looks_beyond_missing_pods:
                    return
            elif is_group_entry(entry) and self._settings.group_claims:
                yield from self._pods.by_index(BY_GROUP, f"{namespace}/{entry['name']}")

    def _look_at(self, pod: JsonObject) -> None:
        """Plan when a pod goes, or that it stays."""
        item = _item("pod", pod)
        eviction = self._standing.pod_eviction(pod)
        if eviction is None:
            if self._due.pop(item, None) is not None:
                self._tell(item, "Cancelling deletion")
            return
        self._due[item] = eviction
        self._queue.add_after(item, eviction.at - self._clock.now())
        self._report_later(eviction)

    def _report_later(self, eviction: Eviction) -> None:
        for reason in eviction.reasons:
            if reason.rule_uid:
                item = Item("rule", "", reason.rule_name, reason.rule_uid)
                self._queue.add_after(item, PERIOD_SECONDS)

    # --- acting --------------------------------------------------------------------------

    async def _reconcile(self, item: Item) -> None:
        if item.what == "pod":
            again = await self._evict_if_due(item)
        elif self._status is not None:
            again = await self._status.report(item.name, item.uid)
        else:
            again = 0.0
        if again > 0:
            self._queue.add_after(item, again)

    async def _evict_if_due(self, item: Item) -> float:
        """Evict a pod if it is time; return after how many seconds it will be."""
        eviction = self._due.get(item)
        if eviction is None or item.uid in self._gone:
            return 0.0
        remaining = eviction.at - self._clock.now()
        if remaining > 0:
            return remaining
        went = await self._evict(item)
        self._due.pop(item, None)
        if self._settings.rules.remembers_evicted:
            self._gone.add(item.uid)
        if went and self._status is not None:
            self._status.count(eviction)
            self._report_later(eviction)
        return 0.0

    async def _evict(self, item: Item) -> bool:
        """Mark and delete a pod; return whether it was there, perhaps going already."""
        try:
            pod = await self._client.get(PODS, item.name, item.namespace)
            if pod["metadata"]["uid"] != item.uid:
                return False
            if pod["metadata"].get("deletionTimestamp") is not None:
                return True
            self._tell(item, "Marking for deletion")
            if (mark := disruption_target(pod, now=self._clock.now())) is not None:
                await self._client.patch(
                    PODS,
                    item.name,
                    item.namespace,
                    patch={"metadata": {"uid": item.uid}, "status": {"conditions": [mark]}},
                    patch_type="strategic",
                    subresource="status",
                )
            await self._client.delete(PODS, item.name, item.namespace, precondition_uid=item.uid)
        except NotFoundError:
            return False
        return True

    def _tell(self, item: Item, message: str) -> None:
        # Events say nothing of the pod's version (measured on 1.37.2).
        metadata = {"namespace": item.namespace, "name": item.name, "uid": item.uid}
        regarding = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}
        self._recorder.record(
            regarding, type_="Normal", reason="DeviceTaintManagerEviction", message=message
        )


def _item(what: Literal["pod", "rule"], obj: JsonObject) -> Item:
    metadata = obj["metadata"]
    return Item(what, metadata.get("namespace") or "", metadata["name"], metadata["uid"])


def _decisive(pod: JsonObject) -> tuple[object, ...]:
    """Return what may change whether a pod has to go."""
    status = pod.get("status") or {}
    return (
        pod["spec"].get("nodeName"),
        status.get("resourceClaimStatuses"),
        status.get("extendedResourceClaimStatus"),
    )
