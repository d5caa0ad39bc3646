"""Looks at StatefulSets whenever they or their pods change."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import CONTROLLERREVISIONS, PODS, STATEFULSETS
from kubegang.client.workers import FAILURES, work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job.expectations import Expectations
from kubegang.controllers.revisions.writer import RevisionWriter
from kubegang.controllers.statefulset.history import History, Revisions
from kubegang.controllers.statefulset.identity import is_member
from kubegang.controllers.statefulset.podcontrol import StatefulPods
from kubegang.controllers.statefulset.status import has_news, new_status
from kubegang.controllers.statefulset.update import Update
from kubegang.controllers.workloads.availability import min_ready_seconds, next_available
from kubegang.controllers.workloads.claiming import Claims
from kubegang.controllers.workloads.objects import Key, key_of, uid_of
from kubegang.controllers.workloads.podnews import PodNews
from kubegang.controllers.workloads.statuses import PATIENCE_SECONDS, StatusWriter

WORKERS = 5


class StatefulSetController:
    """Reconciles StatefulSets, keyed by namespace and name."""

    def __init__(
        self,
        client: Client,
        *,
        sets: Informer[JsonObject],
        pods: Informer[JsonObject],
        revisions: Informer[JsonObject],
        claims: Informer[JsonObject],
        recorder: EventRecorder,
        queue: WorkQueue[Key],
        clock: Clock,
        allows_several: bool,
    ) -> None:
        """Listen to sets and pods.

        Args:
            client: the API.
            sets: all StatefulSets.
            pods: all pods.
            revisions: all ControllerRevisions.
            claims: all PersistentVolumeClaims.
            recorder: for events about sets.
            queue: the keys of sets that have to be looked at.
            clock: the time.
            allows_several: whether ``rollingUpdate.maxUnavailable`` counts (the gate
                MaxUnavailableStatefulSet).
        """
        self._sets = sets
        self._informers = (sets, pods, revisions, claims)
        self._queue = queue
        self._clock = clock
        self._allows_several = allows_several
        self._expectations = Expectations()
        self._actions = StatefulPods(
            client,
            claims=claims,
            expectations=self._expectations,
            recorder=recorder,
            clock=clock,
        )
        self._pod_claims = Claims(client, owner=STATEFULSETS, owners=sets, owned=PODS, objects=pods)
        self._revision_claims = Claims(
            client, owner=STATEFULSETS, owners=sets, owned=CONTROLLERREVISIONS, objects=revisions
        )
        self._history = History(RevisionWriter(client))
        self._statuses = StatusWriter(client, STATEFULSETS, clock=clock)
        sets.add_handler(
            on_add=lambda stateful_set: queue.add(key_of(stateful_set)),
            on_update=lambda _old, new: queue.add(key_of(new)),
            on_delete=self._gone,
        )
        PodNews(pods, claims=self._pod_claims, expectations=self._expectations, enqueue=queue.add)

    async def run(self) -> None:
        """Reconcile until cancelled, once every informer has its first listing."""
        for informer in self._informers:
            await informer.synced.wait()
        await work(
            self._queue, self._sync, workers=WORKERS, failed="stateful set not synced, retrying"
        )

    def _gone(self, stateful_set: JsonObject) -> None:
        self._expectations.forget(uid_of(stateful_set))
        self._statuses.forget(uid_of(stateful_set))

    async def _sync(self, key: Key) -> None:
        stateful_set = self._sets.get(*key)
        if stateful_set is None:
            return
        if self._statuses.is_outdated(stateful_set) or not self._expectations.satisfied(
            uid_of(stateful_set), now=self._clock.steady()
        ):
            # The news of what was written is on its way and brings the set here again.
            self._queue.add_after(key, PATIENCE_SECONDS)
            return
        revisions = await self._revision_claims.claim(stateful_set)
        pods = await self._pod_claims.claim(
            stateful_set, wanted=lambda pod: is_member(stateful_set, pod)
        )
        in_use = await self._history.settle(stateful_set, revisions)
        await self._update(stateful_set, pods, in_use)
        await self._history.clean_up(stateful_set, revisions, pods=pods, in_use=in_use)
        seconds = min_ready_seconds(stateful_set)
        wait = next_available(pods, min_ready_seconds=seconds, now=self._clock.now())
        if seconds and wait is not None:
            self._queue.add_after(key, wait)

    async def _update(
        self, stateful_set: JsonObject, pods: list[JsonObject], in_use: Revisions
    ) -> None:
        """Act on the pods; whatever comes of it, the status is written."""
        now = self._clock.now()
        update = Update(
            stateful_set,
            pods,
            current=in_use.current,
            update=in_use.update,
            actions=self._actions,
            allows_several=self._allows_several,
            now=now,
        )
        failure: Exception | None = None
        try:
            await update.run()
        except FAILURES as error:
            # Not by ``finally``: whoever is cancelled must not begin another request.
            failure = error
        status = new_status(
            stateful_set,
            update.pods,
            current=in_use.current["metadata"]["name"],
            update=in_use.update["metadata"]["name"],
            collisions=in_use.collisions,
            deleted=update.deleted,
            now=now,
        )
        if has_news(stateful_set, status):
            await self._statuses.write(stateful_set, status)
        if failure is not None:
            raise failure
