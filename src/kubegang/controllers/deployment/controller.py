"""Looks at Deployments whenever they or their ReplicaSets change."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import DEPLOYMENTS, REPLICASETS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.deployment.replicasets import sets_of
from kubegang.controllers.deployment.rollout import Rollout
from kubegang.controllers.deployment.strategy import is_rolling
from kubegang.controllers.deployment.writer import DeploymentWriter
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.hashing.templatehash import TemplateHasher
from kubegang.controllers.owners import controller_of
from kubegang.controllers.workloads.claiming import (
    BY_CONTROLLER,
    Claims,
    index_by_controller,
    selector_of,
)
from kubegang.controllers.workloads.objects import Key, key_of, labels_of, uid_of
from kubegang.controllers.workloads.statuses import PATIENCE_SECONDS

WORKERS = 5


class DeploymentController:
    """Reconciles Deployments, keyed by namespace and name."""

    def __init__(
        self,
        client: Client,
        *,
        deployments: Informer[JsonObject],
        replica_sets: Informer[JsonObject],
        pods: Informer[JsonObject],
        recorder: EventRecorder,
        queue: WorkQueue[Key],
        hasher: TemplateHasher,
        clock: Clock,
        counts_terminating: bool,
        waits_for_selected: bool,
    ) -> None:
        """Listen to Deployments, ReplicaSets and pods.

        Args:
            client: the API.
            deployments: all Deployments.
            replica_sets: all ReplicaSets.
            pods: all pods: Recreate waits until the old ones are gone.
            recorder: for events about Deployments.
            queue: the keys of Deployments that have to be looked at.
            hasher: hashes templates as the release does.
            clock: the time.
            counts_terminating: whether ``status.terminatingReplicas`` is kept (the gate
                DeploymentReplicaSetTerminatingReplicas).
            waits_for_selected: whether Recreate waits only for those old pods that the
                Deployment still selects.
        """
        self._waits_for_selected = waits_for_selected
        self._deployments = deployments
        self._replica_sets = replica_sets
        self._pods = pods
        self._queue = queue
        self._hasher = hasher
        self._clock = clock
        self._counts_terminating = counts_terminating
        self._writer = DeploymentWriter(client, recorder=recorder, clock=clock)
        self._claims = Claims(
            client,
            owner=DEPLOYMENTS,
            owners=deployments,
            owned=REPLICASETS,
            objects=replica_sets,
        )
        self._listen()

    async def run(self) -> None:
        """Reconcile until cancelled, once every informer has its first listing."""
        for informer in (self._deployments, self._replica_sets, self._pods):
            await informer.synced.wait()
        await work(
            self._queue, self._sync, workers=WORKERS, failed="deployment not synced, retrying"
        )

    # Being told

    def _listen(self) -> None:
        self._pods.index(BY_CONTROLLER, index_by_controller)
        self._deployments.add_handler(
            on_add=lambda deployment: self._queue.add(key_of(deployment)),
            on_update=lambda _old, new: self._queue.add(key_of(new)),
            on_delete=lambda deployment: self._writer.statuses.forget(uid_of(deployment)),
        )
        self._replica_sets.add_handler(
            on_add=self._set_changed, on_update=self._set_updated, on_delete=self._set_gone
        )
        self._pods.add_handler(on_delete=self._pod_gone)

    def _set_changed(self, replica_set: JsonObject) -> None:
        for key in self._claims.owners_of(replica_set):
            self._queue.add(key)

    def _set_updated(self, old: JsonObject, new: JsonObject) -> None:
        lost = controller_of(old) != controller_of(new)
        if lost:
            self._set_changed(old)
        if lost or controller_of(new) is not None or labels_of(old) != labels_of(new):
            self._set_changed(new)

    def _set_gone(self, replica_set: JsonObject) -> None:
        if controller_of(replica_set) is not None:
            self._set_changed(replica_set)

    def _pod_gone(self, pod: JsonObject) -> None:
        """Recreate goes on when the last old pod is gone."""
        owner = controller_of(pod)
        if owner is None or owner["kind"] != "ReplicaSet":
            return
        replica_set = self._replica_sets.get(pod["metadata"]["namespace"], owner["name"])
        if replica_set is None or uid_of(replica_set) != owner["uid"]:
            return
        for key in self._claims.owners_of(replica_set):
            deployment = self._deployments.get(*key)
            if deployment is not None and not is_rolling(deployment):
                self._queue.add(key)

    # Working

    async def _sync(self, key: Key) -> None:
        deployment = self._deployments.get(*key)
        if deployment is None:
            return
        if self._writer.statuses.is_outdated(deployment):
            # The news of our own write is on its way and brings the Deployment here again.
            self._queue.add_after(key, PATIENCE_SECONDS)
            return
        found = await self._claims.claim(deployment)
        pods = [] if is_rolling(deployment) else self._pods_of(deployment, found)
        rollout = Rollout(
            deployment,
            sets_of(deployment, found),
            pods=pods,
            writer=self._writer,
            hasher=self._hasher,
            counts_terminating=self._counts_terminating,
            now=self._clock.now(),
        )
        due = await rollout.run()
        if due is not None:
            # A second more, as times are written without fractions.
            self._queue.add_after(key, max(0.0, due - self._clock.now()) + 1)

    def _pods_of(self, deployment: JsonObject, replica_sets: list[JsonObject]) -> list[JsonObject]:
        pods = [
            pod
            for entry in replica_sets
            for pod in self._pods.by_index(BY_CONTROLLER, uid_of(entry))
        ]
        if not self._waits_for_selected:
            return pods
        selector = selector_of(deployment)
        return [pod for pod in pods if selector.matches(labels_of(pod))]
