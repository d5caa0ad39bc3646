"""Keeps the number of a set's pods at what its spec asks for, and reports on them."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import PODS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job.expectations import Expectations
from kubegang.controllers.owners import controller_of
from kubegang.controllers.replicaset.ranking import pods_to_delete
from kubegang.controllers.replicaset.status import new_status
from kubegang.controllers.workloads.availability import (
    has_ended,
    is_active,
    is_going,
    min_ready_seconds,
    next_available,
)
from kubegang.controllers.workloads.claiming import Claims, selector_of
from kubegang.controllers.workloads.objects import (
    Key,
    key_of,
    labels_of,
    replicas_of,
    status_of,
    uid_of,
)
from kubegang.controllers.workloads.podactions import Done, PodActions
from kubegang.controllers.workloads.podnews import PodNews
from kubegang.controllers.workloads.podtemplate import pod_from
from kubegang.controllers.workloads.statuses import PATIENCE_SECONDS, StatusWriter

WORKERS = 5

BY_OWNER = "owner"


class ReplicaSetController:
    """Reconciles sets of one kind, keyed by namespace and name."""

    def __init__(
        self,
        client: Client,
        resource: Resource,
        *,
        sets: Informer[JsonObject],
        pods: Informer[JsonObject],
        recorder: EventRecorder,
        queue: WorkQueue[Key],
        clock: Clock,
        counts_terminating: bool,
    ) -> None:
        """Listen to sets and pods.

        Args:
            client: the API.
            resource: ReplicaSets or ReplicationControllers.
            sets: those.
            pods: all pods.
            recorder: for events about sets.
            queue: the keys of sets that have to be looked at.
            clock: the time.
            counts_terminating: whether ``status.terminatingReplicas`` is kept (the gate
                DeploymentReplicaSetTerminatingReplicas).
        """
        self._sets = sets
        self._pods = pods
        self._queue = queue
        self._clock = clock
        self._counts_terminating = counts_terminating
        self._expectations = Expectations()
        self._actions = PodActions(
            client, expectations=self._expectations, recorder=recorder, clock=clock
        )
        self._claims = Claims(client, owner=resource, owners=sets, owned=PODS, objects=pods)
        self._statuses = StatusWriter(client, resource, clock=clock)
        sets.index(BY_OWNER, _index_by_owner)
        sets.add_handler(on_add=self._seen, on_update=self._changed, on_delete=self._gone)
        PodNews(pods, claims=self._claims, expectations=self._expectations, enqueue=queue.add)

    async def run(self) -> None:
        """Reconcile until cancelled, once both informers have their first listing."""
        await self._sets.synced.wait()
        await self._pods.synced.wait()
        await work(self._queue, self._sync, workers=WORKERS, failed="set not synced, retrying")

    def _seen(self, replica_set: JsonObject) -> None:
        self._queue.add(key_of(replica_set))

    def _changed(self, _old: JsonObject, new: JsonObject) -> None:
        self._seen(new)

    def _gone(self, replica_set: JsonObject) -> None:
        self._expectations.forget(uid_of(replica_set))
        self._statuses.forget(uid_of(replica_set))

    async def _sync(self, key: Key) -> None:
        replica_set = self._sets.get(*key)
        if replica_set is None:
            return
        if self._statuses.is_outdated(replica_set):
            # The news of our own write is on its way and brings the set here again.
            self._queue.add_after(key, PATIENCE_SECONDS)
            return
        up_to_date = self._expectations.satisfied(uid_of(replica_set), now=self._clock.steady())
        pods = await self._claims.claim(replica_set, wanted=is_active)
        done = Done()
        if up_to_date and not is_going(replica_set):
            done = await self._manage(replica_set, pods)
        await self._report(replica_set, pods, done)
        if done.failure is not None:
            raise done.failure
        self._look_again(key, replica_set, pods)

    async def _manage(self, replica_set: JsonObject, pods: list[JsonObject]) -> Done:
        surplus = len(pods) - replicas_of(replica_set)
        if surplus < 0:
            template = replica_set["spec"]["template"]
            new = [pod_from(replica_set, template) for _ in range(-surplus)]
            return await self._actions.create(replica_set, new)
        if surplus == 0:
            return Done()
        related = self._related(replica_set)
        chosen = pods_to_delete(pods, related, count=surplus, now=self._clock.now())
        return await self._actions.delete(replica_set, chosen)

    def _related(self, replica_set: JsonObject) -> list[JsonObject]:
        """Return the pods of all sets with the same owner."""
        owner = controller_of(replica_set)
        if owner is None:
            return self._claims.controlled(replica_set)
        siblings = self._sets.by_index(BY_OWNER, owner["uid"])
        return [pod for sibling in siblings for pod in self._claims.controlled(sibling)]

    async def _report(self, replica_set: JsonObject, pods: list[JsonObject], done: Done) -> None:
        status = new_status(
            replica_set,
            pods,
            terminating=self._terminating(replica_set),
            failure=str(done.failure) if done.failure is not None else "",
            now=self._clock.now(),
        )
        if status != status_of(replica_set):
            await self._statuses.write(replica_set, status)

    def _terminating(self, replica_set: JsonObject) -> int | None:
        if not self._counts_terminating:
            return None
        selector = selector_of(replica_set)
        return sum(
            1
            for pod in self._claims.controlled(replica_set)
            if is_going(pod) and not has_ended(pod) and selector.matches(labels_of(pod))
        )

    def _look_again(self, key: Key, replica_set: JsonObject, pods: list[JsonObject]) -> None:
        """Come back when the next pod will have been ready for long enough."""
        seconds = min_ready_seconds(replica_set)
        if not seconds or not pods:
            return
        wait = next_available(pods, min_ready_seconds=seconds, now=self._clock.now())
        if wait is not None:
            self._queue.add_after(key, wait)


def _index_by_owner(replica_set: JsonObject) -> list[str]:
    owner = controller_of(replica_set)
    return [owner["uid"]] if owner is not None else []
