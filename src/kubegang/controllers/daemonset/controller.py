"""Looks at DaemonSets whenever they, their pods, or nodes change."""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import CONTROLLERREVISIONS, DAEMONSETS, PODS
from kubegang.client.workers import FAILURES, work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.daemonset.failures import FailureBackoff
from kubegang.controllers.daemonset.fitting import fit_of, looks_alike, node_of
from kubegang.controllers.daemonset.history import History, Present
from kubegang.controllers.daemonset.placing import Plan, plan
from kubegang.controllers.daemonset.pods import ByNode, by_node, new_pod
from kubegang.controllers.daemonset.rolling import renewal
from kubegang.controllers.daemonset.status import new_status
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.hashing.templatehash import TemplateHasher
from kubegang.controllers.job.expectations import Expectations
from kubegang.controllers.revisions.writer import RevisionWriter
from kubegang.controllers.workloads.availability import is_going, min_ready_seconds
from kubegang.controllers.workloads.claiming import Claims
from kubegang.controllers.workloads.objects import Key, counted, key_of, name_of, status_of, uid_of
from kubegang.controllers.workloads.podactions import PodActions
from kubegang.controllers.workloads.podnews import PodNews
from kubegang.controllers.workloads.statuses import PATIENCE_SECONDS, StatusWriter

WORKERS = 2


class DaemonSetController:
    """Reconciles DaemonSets, keyed by namespace and name."""

    def __init__(
        self,
        client: Client,
        *,
        sets: Informer[JsonObject],
        pods: Informer[JsonObject],
        nodes: Informer[JsonObject],
        revisions: Informer[JsonObject],
        recorder: EventRecorder,
        queue: WorkQueue[Key],
        hasher: TemplateHasher,
        clock: Clock,
    ) -> None:
        self._sets = sets
        self._nodes = nodes
        self._informers = (sets, pods, nodes, revisions)
        self._queue = queue
        self._clock = clock
        self._recorder = recorder
        self._expectations = Expectations()
        self._failures = FailureBackoff()
        self._actions = PodActions(
            client, expectations=self._expectations, recorder=recorder, clock=clock
        )
        self._pod_claims = Claims(client, owner=DAEMONSETS, owners=sets, owned=PODS, objects=pods)
        self._revision_claims = Claims(
            client, owner=DAEMONSETS, owners=sets, owned=CONTROLLERREVISIONS, objects=revisions
        )
        self._statuses = StatusWriter(client, DAEMONSETS, clock=clock)
        self._history = History(RevisionWriter(client), statuses=self._statuses, hasher=hasher)
        self._listen(pods)

    async def run(self) -> None:
        """Reconcile until cancelled, once every informer has its first listing."""
        for informer in self._informers:
            await informer.synced.wait()
        await work(
            self._queue, self._sync, workers=WORKERS, failed="daemon set not synced, retrying"
        )

    # Being told

    def _listen(self, pods: Informer[JsonObject]) -> None:
        self._sets.add_handler(
            on_add=lambda daemon_set: self._queue.add(key_of(daemon_set)),
            on_update=lambda _old, new: self._queue.add(key_of(new)),
            on_delete=self._gone,
        )
        self._nodes.add_handler(
            on_add=self._node_changed, on_update=self._node_updated, on_delete=self._node_gone
        )
        PodNews(
            pods,
            claims=self._pod_claims,
            expectations=self._expectations,
            enqueue=self._queue.add,
        )

    def _gone(self, daemon_set: JsonObject) -> None:
        self._expectations.forget(uid_of(daemon_set))
        self._statuses.forget(uid_of(daemon_set))
        self._failures.forget(uid_of(daemon_set))

    def _node_updated(self, old: JsonObject, new: JsonObject) -> None:
        if not looks_alike(old, new):
            self._node_changed(new)

    def _node_changed(self, node: JsonObject) -> None:
        """Look at the sets whose pod is missing on a node, or may not stay there.

        As upstream: of nodes that only get no new pods any more, the status tells later.
        """
        for daemon_set in self._sets.items():
            fit = fit_of(daemon_set, node)
            has_pod = any(
                pod["spec"].get("nodeName") == name_of(node)
                for pod in self._pod_claims.controlled(daemon_set)
            )
            is_misplaced = has_pod and counted(daemon_set, "numberMisscheduled") > 0
            if is_misplaced or (not fit.stays if has_pod else fit.runs):
                self._queue.add(key_of(daemon_set))

    def _node_gone(self, _node: JsonObject) -> None:
        for daemon_set in self._sets.items():
            self._queue.add(key_of(daemon_set))

    # Working

    async def _sync(self, key: Key) -> None:
        daemon_set = self._sets.get(*key)
        if daemon_set is None or is_going(daemon_set):
            return
        if self._statuses.is_outdated(daemon_set):
            # The news of our own write is on its way and brings the set here again.
            self._queue.add_after(key, PATIENCE_SECONDS)
            return
        revisions = await self._revision_claims.claim(daemon_set)
        present = await self._history.settle(daemon_set, revisions)
        observed = self._is_up_to_date(daemon_set)
        failure: Exception | None = None
        try:
            if observed:
                await self._update(daemon_set, present)
        except FAILURES as error:
            # Not by ``finally``: whoever is cancelled must not begin another request.
            failure = error
        await self._report(daemon_set, present, observed=observed)
        if failure is not None:
            raise failure

    async def _update(self, daemon_set: JsonObject, present: Present) -> None:
        nodes = self._nodes.items()
        pods = await self._pod_claims.claim(daemon_set)
        await self._manage(daemon_set, nodes, by_node(pods), present)
        # Read anew: what was just deleted must not be counted, nor deleted again.
        pods = await self._pod_claims.claim(daemon_set)
        if self._is_up_to_date(daemon_set):
            await self._renew(daemon_set, nodes, by_node(pods), present)
        await self._history.clean_up(daemon_set, present.former, pods)

    def _is_up_to_date(self, daemon_set: JsonObject) -> bool:
        return self._expectations.satisfied(uid_of(daemon_set), now=self._clock.steady())

    async def _manage(
        self, daemon_set: JsonObject, nodes: Sequence[JsonObject], found: ByNode, present: Present
    ) -> None:
        made = plan(daemon_set, nodes, found, revision=present.label, now=self._clock.now())
        surplus = made.surplus + self._ended(daemon_set, made)
        await self._act(daemon_set, made.nodes, surplus, present)

    async def _renew(
        self, daemon_set: JsonObject, nodes: Sequence[JsonObject], found: ByNode, present: Present
    ) -> None:
        if daemon_set["spec"]["updateStrategy"]["type"] != "RollingUpdate":
            return
        step = renewal(daemon_set, nodes, found, revision=present.label, now=self._clock.now())
        await self._act(daemon_set, step.nodes, step.pods, present)

    async def _act(
        self,
        daemon_set: JsonObject,
        nodes: Sequence[str],
        pods: Sequence[JsonObject],
        present: Present,
    ) -> None:
        new = [new_pod(daemon_set, node, present.label) for node in nodes]
        done = await self._actions.create(daemon_set, new)
        deleted = await self._actions.delete(daemon_set, pods) if pods else done
        failure = done.failure or deleted.failure
        if failure is not None:
            raise failure

    def _ended(self, daemon_set: JsonObject, made: Plan) -> list[JsonObject]:
        """Return the pods that have ended and go now; those that failed may have to wait."""
        going = []
        generation = counted(daemon_set, "observedGeneration")
        for pod in made.failed:
            key = f"{uid_of(daemon_set)}/{generation}/{node_of(pod)}"
            wait = self._failures.wait(key, self._clock.steady())
            if wait:
                self._queue.add_after(key_of(daemon_set), wait)
                continue
            self._tell_ended(daemon_set, pod, "failed", "kill")
            going.append(pod)
        for pod in made.succeeded:
            self._tell_ended(daemon_set, pod, "succeeded", "delete")
        return going + made.succeeded

    def _tell_ended(self, daemon_set: JsonObject, pod: JsonObject, how: str, what: str) -> None:
        place = f"{pod['metadata']['namespace']}/{name_of(pod)} on node {node_of(pod)}"
        self._recorder.record(
            daemon_set,
            type_="Warning" if how == "failed" else "Normal",
            reason=f"{how.capitalize()}DaemonPod",
            message=f"Found {how} daemon pod {place}, will try to {what} it",
        )

    async def _report(self, daemon_set: JsonObject, present: Present, *, observed: bool) -> None:
        pods = await self._pod_claims.claim(daemon_set)
        status = new_status(
            daemon_set,
            self._nodes.items(),
            by_node(pods),
            revision=present.label,
            observed=observed,
            now=self._clock.now(),
        )
        if status != status_of(daemon_set):
            await self._statuses.write(daemon_set, status)
        seconds = min_ready_seconds(daemon_set)
        if seconds and status["numberReady"] != status.get("numberAvailable", 0):
            self._queue.add_after(key_of(daemon_set), seconds)
