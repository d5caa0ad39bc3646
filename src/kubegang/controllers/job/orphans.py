"""Lets pods go whose Job is gone or has ended: nobody will count them."""

from __future__ import annotations

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import JOBS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.job.claims import BY_OWNER
from kubegang.controllers.job.jobs import is_finished, is_managed_elsewhere, uid
from kubegang.controllers.job.podactions import PodActions
from kubegang.controllers.job.pods import has_finalizer
from kubegang.controllers.owners import controller_of
from kubegang.controllers.remembered import Remembered

REMEMBERED_JOBS = 4096
WORKERS = 20

Key = tuple[str, str]


class OrphanReleaser:
    """Looks at pods with the finalizer, keyed by namespace and name."""

    def __init__(
        self,
        client: Client,
        *,
        jobs: Informer[JsonObject],
        pods: Informer[JsonObject],
        actions: PodActions,
        queue: WorkQueue[Key],
    ) -> None:
        self._client = client
        self._jobs = jobs
        self._pods = pods
        self._actions = actions
        self._queue = queue
        self._gone: Remembered[str] = Remembered(REMEMBERED_JOBS)
        jobs.add_handler(
            on_update=lambda _old, new: self._job_changed(new), on_delete=self._job_gone
        )
        pods.add_handler(on_add=self._look_at, on_update=lambda _old, new: self._look_at(new))

    async def run(self) -> None:
        """Reconcile until cancelled, once both informers have their first listing."""
        await self._jobs.synced.wait()
        await self._pods.synced.wait()
        await work(
            self._queue,
            self._reconcile,
            workers=WORKERS,
            failed="pod of a lost job not released, retrying",
        )

    def _job_changed(self, job: JsonObject) -> None:
        if is_finished(job):
            self._look_at_pods_of(job)

    def _job_gone(self, job: JsonObject) -> None:
        self._gone.add(uid(job))
        self._look_at_pods_of(job)

    def _look_at_pods_of(self, job: JsonObject) -> None:
        for pod in self._pods.by_index(BY_OWNER, uid(job)):
            self._look_at(pod)

    def _look_at(self, pod: JsonObject) -> None:
        owner = controller_of(pod)
        if owner is None or owner["kind"] != "Job" or not has_finalizer(pod):
            return
        job = self._job_of(pod, owner)
        if job is None or is_finished(job):
            self._queue.add((pod["metadata"]["namespace"], pod["metadata"]["name"]))

    def _job_of(self, pod: JsonObject, owner: JsonObject) -> JsonObject | None:
        job = self._jobs.get(pod["metadata"]["namespace"], owner["name"])
        return job if job is not None and uid(job) == owner["uid"] else None

    async def _reconcile(self, key: Key) -> None:
        pod = self._pods.get(*key)
        owner = controller_of(pod) if pod is not None else None
        if pod is None or owner is None or not has_finalizer(pod):
            return
        job = self._job_of(pod, owner)
        if job is None:
            lost = await self._is_gone(owner["uid"], owner["name"], key[0])
        else:
            lost = is_finished(job) and not is_managed_elsewhere(job)
        if lost:
            done = await self._actions.release(None, [pod])
            if done.failure is not None:
                raise done.failure

    async def _is_gone(self, job_uid: str, name: str, namespace: str) -> bool:
        """Ask the API, since a Job that was not seen may only be new."""
        if job_uid in self._gone:
            return True
        try:
            found = await self._client.get(JOBS, name, namespace)
        except NotFoundError:
            found = None
        if found is not None and uid(found) == job_uid:
            return False
        self._gone.add(job_uid)
        return True
