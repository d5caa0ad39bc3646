"""Which pods belong to a Job: those that it controls and that its selector still selects.

A pod whose labels were changed so that the selector leaves it out is let go; a pod without
a controller that the selector takes in is adopted.
"""

from __future__ import annotations

from kubegang.apimachinery.errors import ConflictError, NotFoundError
from kubegang.apimachinery.labels import Selector, label_selector_of
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import JOBS, PODS
from kubegang.controllers.job.jobs import is_being_deleted, uid
from kubegang.controllers.job.pods import TRACKING_FINALIZER, is_deleted
from kubegang.controllers.owners import controller_of, controller_reference

CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
JOB_NAME = "batch.kubernetes.io/job-name"

BY_OWNER = "owner"
BY_CLAIM = "claim"
BY_MANUAL_SELECTOR = "manual-selector"

Key = tuple[str, str]


def index_by_owner(pod: JsonObject) -> list[str]:
    """Return the index key of a pod: its controller's uid."""
    owner = controller_of(pod)
    return [owner["uid"]] if owner is not None and owner["kind"] == "Job" else []


def index_by_claim(pod: JsonObject) -> list[str]:
    """Return the index keys under which a Job may find a pod that nobody controls."""
    if controller_of(pod) is not None:
        return []
    keys = [pod["metadata"]["namespace"]]
    job_uid = _labels(pod).get(CONTROLLER_UID)
    return [*keys, job_uid] if job_uid else keys


def index_by_manual_selector(job: JsonObject) -> list[str]:
    """Return the index key of a Job whose selector its user has chosen: its namespace."""
    return [job["metadata"]["namespace"]] if job["spec"].get("manualSelector") else []


class PodClaims:
    """Knows the pods of each Job, and brings ownership in line with the selectors."""

    def __init__(
        self, client: Client, *, jobs: Informer[JsonObject], pods: Informer[JsonObject]
    ) -> None:
        self._client = client
        self._jobs = jobs
        self._pods = pods
        pods.index(BY_OWNER, index_by_owner)
        pods.index(BY_CLAIM, index_by_claim)
        jobs.index(BY_MANUAL_SELECTOR, index_by_manual_selector)

    def jobs_of(self, pod: JsonObject) -> list[Key]:
        """Return the Jobs that a change of a pod may concern."""
        namespace = pod["metadata"]["namespace"]
        owner = controller_of(pod)
        if owner is not None:
            return [(namespace, owner["name"])] if owner["kind"] == "Job" else []
        name = _labels(pod).get(JOB_NAME)
        found = [(namespace, name)] if name else []
        found += [
            (namespace, job["metadata"]["name"])
            for job in self._jobs.by_index(BY_MANUAL_SELECTOR, namespace)
            if _selector(job).matches(_labels(pod))
        ]
        return found

    async def claim(self, job: JsonObject) -> list[JsonObject]:
        """Return the pods of a Job; let go and adopt where labels have changed."""
        selector = _selector(job)
        claimed = []
        for pod in self._pods.by_index(BY_OWNER, uid(job)):
            if selector.matches(_labels(pod)):
                claimed.append(pod)
            elif not is_being_deleted(job):
                await self._let_go(job, pod)
        if is_being_deleted(job):
            return claimed
        strays = [pod for pod in self._strays(job) if selector.matches(_labels(pod))]
        if strays and await self._may_adopt(job):
            claimed += [_held(pod) for pod in strays if await self._adopt(job, pod)]
        return claimed

    def _strays(self, job: JsonObject) -> list[JsonObject]:
        """Return the pods that nobody controls and that the Job may want."""
        manual = job["spec"].get("manualSelector")
        key = job["metadata"]["namespace"] if manual else uid(job)
        return [pod for pod in self._pods.by_index(BY_CLAIM, key) if not is_deleted(pod)]

    async def _may_adopt(self, job: JsonObject) -> bool:
        """Ask the API, since a Job that is gone must not take pods along."""
        try:
            live = await self._client.get(
                JOBS, job["metadata"]["name"], job["metadata"]["namespace"]
            )
        except NotFoundError:
            return False
        return uid(live) == uid(job) and not is_being_deleted(live)

    async def _adopt(self, job: JsonObject, pod: JsonObject) -> bool:
        change = {
            "ownerReferences": [controller_reference(job)],
            "finalizers": [TRACKING_FINALIZER],
        }
        return await self._patch(pod, change)

    async def _let_go(self, job: JsonObject, pod: JsonObject) -> None:
        change = {
            "ownerReferences": [{"$patch": "delete", "uid": uid(job)}],
            "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER],
        }
        await self._patch(pod, change)

    async def _patch(self, pod: JsonObject, change: JsonObject) -> bool:
        """Change a pod's metadata; return whether it is still there."""
        try:
            await self._client.patch(
                PODS,
                pod["metadata"]["name"],
                pod["metadata"]["namespace"],
                patch={"metadata": {"uid": uid(pod), **change}},
                patch_type="strategic",
            )
        except (NotFoundError, ConflictError):
            return False
        return True


def _held(pod: JsonObject) -> JsonObject:
    """Return a pod as it is once adopted: with the finalizer, which the news of it will show."""
    finalizers = [*(pod["metadata"].get("finalizers") or ()), TRACKING_FINALIZER]
    return {**pod, "metadata": {**pod["metadata"], "finalizers": finalizers}}


def _selector(job: JsonObject) -> Selector:
    return label_selector_of(job["spec"].get("selector"))


def _labels(pod: JsonObject) -> dict[str, str]:
    labels: dict[str, str] = pod["metadata"].get("labels") or {}
    return labels
