"""Lets pods go whose Job is gone or has ended: nobody will count them."""

from __future__ import annotations

from kubegang.apimachinery.errors import ApiError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.logging import logger
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import JOBS
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.job.controller import BY_OWNER
from kubegang.controllers.job.jobs import is_finished, is_managed_elsewhere, uid
from kubegang.controllers.job.podactions import PodActions
from kubegang.controllers.job.pods import has_finalizer
from kubegang.controllers.owners import controller_of
from kubegang.controllers.remembered import Remembered

REMEMBERED_JOBS = 4096

Key = tuple[str, str]

_log = logger(__name__)


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
