"""Keeps the status of PodDisruptionBudgets, and takes back marks of evictions that never came.

Keys are ``("budget", namespace, name)`` and ``("pod", namespace, name)``.
"""

from __future__ import annotations

from typing import Literal

from kubegang.apimachinery.conditions import find_condition, is_true
from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.labels import label_selector_of
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time, parse_time
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import PODDISRUPTIONBUDGETS, PODS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.disruption.counting import (
    Disrupted,
    Expectation,
    disrupted_pods,
    expectation_of,
    failed_status,
    healthy_count,
    needs_scale,
    status_of,
)
from kubegang.controllers.disruption.owners import NoScaleError, PodOwners
from kubegang.controllers.disruption.selectortext import go_selector
from kubegang.controllers.events import EventRecorder

WORKERS = 5
BY_NAMESPACE = "namespace"

STALE_SECONDS = 120.0
"""A pod that is to be disrupted and is not deleted after so long is no longer to be."""

MARK = "DisruptionTarget"

Key = tuple[Literal["budget", "pod"], str, str]


def index_by_namespace(obj: JsonObject) -> list[str]:
    """Return the index key of an object: its namespace."""
    return [obj["metadata"]["namespace"]]


class DisruptionController:
    """Reconciles budgets and pods that are marked for disruption."""

    def __init__(
        self,
        client: Client,
        *,
        budgets: Informer[JsonObject],
        pods: Informer[JsonObject],
        owners: PodOwners,
        recorder: EventRecorder,
        queue: WorkQueue[Key],
        clock: Clock,
    ) -> None:
        self._client = client
        self._budgets = budgets
        self._pods = pods
        self._owners = owners
        self._recorder = recorder
        self._queue = queue
        self._clock = clock
        pods.index(BY_NAMESPACE, index_by_namespace)
        budgets.index(BY_NAMESPACE, index_by_namespace)
        budgets.add_handler(on_add=self._add, on_update=lambda _old, new: self._add(new))
        pods.add_handler(
            on_add=self._pod_changed, on_update=self._pod_updated, on_delete=self._pod_changed
        )
        for informer in owners.all():
            informer.add_handler(on_update=self._owner_updated)

    async def run(self) -> None:
        """Reconcile until cancelled, once all informers have their first listing."""
        for informer in (self._budgets, self._pods, *self._owners.all()):
            await informer.synced.wait()
        await work(
            self._queue, self._reconcile, workers=WORKERS, failed="budget not updated, retrying"
        )

    # Being told

    def _add(self, budget: JsonObject) -> None:
        metadata = budget["metadata"]
        self._queue.add(("budget", metadata["namespace"], metadata["name"]))

    def _pod_updated(self, old: JsonObject, new: JsonObject) -> None:
        if (old["metadata"].get("labels") or {}) != (new["metadata"].get("labels") or {}):
            # The budgets that it leaves count one less.
            self._add_budgets_of(old)
        self._pod_changed(new)

    def _pod_changed(self, pod: JsonObject) -> None:
        self._add_budgets_of(pod)
        due = stale_at(pod)
        if due is not None:
            metadata = pod["metadata"]
            key: Key = ("pod", metadata["namespace"], metadata["name"])
            self._queue.add_after(key, due - self._clock.now())

    def _add_budgets_of(self, pod: JsonObject) -> None:
        labels = pod["metadata"].get("labels") or {}
        found = []
        for budget in self._budgets.by_index(BY_NAMESPACE, pod["metadata"]["namespace"]):
            if label_selector_of(budget["spec"].get("selector")).matches(labels):
                found.append(budget)
                self._add(budget)
        if len(found) > 1:
            self._tell_of_many(pod, sorted(found, key=lambda one: str(one["metadata"]["name"])))

    def _tell_of_many(self, pod: JsonObject, budgets: list[JsonObject]) -> None:
        metadata = pod["metadata"]
        self._recorder.record(
            pod,
            type_="Warning",
            reason="MultiplePodDisruptionBudgets",
            message=f'Pod "{metadata["namespace"]}"/"{metadata["name"]}" matches multiple '
            f'PodDisruptionBudgets.  Chose "{budgets[0]["metadata"]["name"]}" arbitrarily.',
        )

    def _owner_updated(self, old: JsonObject, new: JsonObject) -> None:
        if old["spec"].get("replicas") != new["spec"].get("replicas"):
            for budget in self._budgets.by_index(BY_NAMESPACE, new["metadata"]["namespace"]):
                if needs_scale(budget):
                    self._add(budget)

    # Acting

    async def _reconcile(self, key: Key) -> None:
        what, namespace, name = key
        if what == "pod":
            await self._unmark(namespace, name)
            return
        budget = self._budgets.get(namespace, name)
        if budget is None:
            return
        try:
            await self._sync(budget)
        except NoScaleError as error:
            await self._write(budget, failed_status(budget, str(error), now=self._clock.now()))
            self._queue.add_rate_limited(key)

    async def _sync(self, budget: JsonObject) -> None:
        now = self._clock.now()
        pods = self._pods_of(budget)
        expectation = self._expectation(budget, pods)
        disrupted = disrupted_pods(budget, pods, now=now)
        self._tell_of_overdue(budget, disrupted)
        status = status_of(
            budget, expectation, disrupted, healthy=healthy_count(pods, disrupted), now=now
        )
        if status is not None:
            await self._write(budget, status)
        if disrupted.next_look is not None:
            metadata = budget["metadata"]
            key: Key = ("budget", metadata["namespace"], metadata["name"])
            self._queue.add_after(key, disrupted.next_look - now)

    def _pods_of(self, budget: JsonObject) -> list[JsonObject]:
        selector = label_selector_of(budget["spec"].get("selector"))
        pods = [
            pod
            for pod in self._pods.by_index(BY_NAMESPACE, budget["metadata"]["namespace"])
            if selector.matches(pod["metadata"].get("labels") or {})
        ]
        if not pods:
            self._record(budget, type_="Normal", reason="NoPods", message="No matching pods found")
        return pods

    def _expectation(self, budget: JsonObject, pods: list[JsonObject]) -> Expectation:
        if not needs_scale(budget):
            return expectation_of(budget, present=len(pods), scale=0)
        try:
            scale, unmanaged = self._owners.scale(pods)
        except NoScaleError as error:
            message = f"Failed to calculate the number of expected pods: {error}"
            self._record(
                budget, type_="Warning", reason="CalculateExpectedPodCountFailed", message=message
            )
            raise
        if unmanaged:
            self._tell_of_unmanaged(budget)
        return expectation_of(budget, present=len(pods), scale=scale)

    def _tell_of_unmanaged(self, budget: JsonObject) -> None:
        selector = go_selector(budget["spec"].get("selector"))
        self._record(
            budget,
            type_="Warning",
            reason="UnmanagedPods",
            message=f"Pods selected by this PodDisruptionBudget (selector: {selector}) were found "
            "to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, "
            "which may result in undefined behavior. To account for these pods please set "
            '".spec.minAvailable" field of the PDB to an integer value.',
        )

    def _tell_of_overdue(self, budget: JsonObject, disrupted: Disrupted) -> None:
        metadata = budget["metadata"]
        for pod in disrupted.overdue:
            self._record(
                pod,
                type_="Warning",
                reason="NotDeleted",
                message=f"Pod was expected by PDB {metadata['namespace']}/{metadata['name']} to be "
                "deleted but it wasn't",
            )

    def _record(self, obj: JsonObject, *, type_: str, reason: str, message: str) -> None:
        self._recorder.record(obj, type_=type_, reason=reason, message=message)

    async def _write(self, budget: JsonObject, status: JsonObject) -> None:
        """Write a status, unless somebody changed the budget meanwhile: its news comes here."""
        try:
            await self._client.update(
                PODDISRUPTIONBUDGETS, {**budget, "status": status}, subresource="status"
            )
        except NotFoundError:
            return

    async def _unmark(self, namespace: str, name: str) -> None:
        """Say that a pod is not to be disrupted after all, if it is still there."""
        pod = self._pods.get(namespace, name)
        due = stale_at(pod) if pod is not None else None
        if pod is None or due is None:
            return
        if due > self._clock.now():
            self._queue.add_after(("pod", namespace, name), due - self._clock.now())
            return
        condition = {
            "type": MARK,
            "status": "False",
            "lastTransitionTime": format_time(self._clock.now()),
            "observedGeneration": pod["metadata"].get("generation") or None,
            "reason": None,
            "message": None,
        }
        try:
            await self._client.patch(
                PODS,
                name,
                namespace,
                patch={
                    "metadata": {"uid": pod["metadata"]["uid"]},
                    "status": {"conditions": [condition]},
                },
                patch_type="strategic",
                subresource="status",
            )
        except NotFoundError:
            return


def stale_at(pod: JsonObject) -> float | None:
    """Return when a pod's mark is to be taken back, ``None`` if it has none or is going."""
    conditions = (pod.get("status") or {}).get("conditions") or []
    if pod["metadata"].get("deletionTimestamp") or not is_true(conditions, MARK):
        return None
    condition = find_condition(conditions, MARK)
    since = condition.get("lastTransitionTime") if condition is not None else None
    return parse_time(since) + STALE_SECONDS if since else None
