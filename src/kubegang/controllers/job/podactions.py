"""What the Job controller does to pods through the API: make, delete, let go."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from kubegang.apimachinery.errors import ApiError, ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import PODS
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job.expectations import Expectations
from kubegang.controllers.job.jobs import uid
from kubegang.controllers.job.pods import TRACKING_FINALIZER, has_finalizer

Failure = ApiError | UnreachableError

REQUESTS_AT_ONCE = 50
"""For all Jobs together: an API server refuses more than it can work on."""


class Done(msgspec.Struct, frozen=True):
    """What came of it: the pods that were made, deleted or let go, and the first failure."""

    pods: tuple[JsonObject, ...] = ()
    failure: Failure | None = None


class PodActions:
    """Acts on the pods of Jobs, and tells the expectations and the users.

    A failure is returned, not raised: what was done besides still has to be counted.
    """

    def __init__(
        self,
        client: Client,
        *,
        expectations: Expectations,
        recorder: EventRecorder,
        clock: Clock,
    ) -> None:
        self._client = client
        self._expectations = expectations
        self._recorder = recorder
        self._clock = clock
        self._free = asyncio.Semaphore(REQUESTS_AT_ONCE)

    async def create(self, job: JsonObject, pods: Sequence[JsonObject]) -> Done:
        """Make pods in batches of 1, 2, 4, …: a template that is refused costs one attempt."""
        made: list[JsonObject] = []
        begun, size = 0, 1
        while begun < len(pods):
            batch = pods[begun : begun + size]
            results = await asyncio.gather(*(self._create_one(job, pod) for pod in batch))
            made += [pod for result in results for pod in result.pods]
            failure = next((result.failure for result in results if result.failure), None)
            if failure is not None:
                return Done(tuple(made), failure)
            begun += len(batch)
            size *= 2
        return Done(tuple(made))

    async def delete(self, job: JsonObject, pods: Sequence[JsonObject]) -> Done:
        """Delete pods; those that are gone already count as deleted."""
        self._expectations.expect_deleted(
            uid(job), [uid(pod) for pod in pods], now=self._clock.steady()
        )
        results = await asyncio.gather(*(self._delete_one(job, pod) for pod in pods))
        return _joined(results)

    async def give_up(self, job: JsonObject, pods: Sequence[JsonObject]) -> Done:
        """Let pods go and delete them: pods that a Job gives up itself never count as failed."""
        released = await self.release(job, [pod for pod in pods if has_finalizer(pod)])
        kept = {uid(pod) for pod in pods if has_finalizer(pod)} - {uid(p) for p in released.pods}
        deleted = await self.delete(job, [pod for pod in pods if uid(pod) not in kept])
        return Done(deleted.pods, released.failure or deleted.failure)

    async def release(self, job: JsonObject | None, pods: Sequence[JsonObject]) -> Done:
        """Take the tracking finalizer off pods; those that are gone count as let go.

        Args:
            job: their Job, ``None`` if it is gone.
            pods: the pods.
        """
        if job is not None:
            uids = [uid(pod) for pod in pods]
            self._expectations.expect_released(uid(job), uids, now=self._clock.steady())
        return _joined(await asyncio.gather(*(self._release_one(job, pod) for pod in pods)))

    async def _create_one(self, job: JsonObject, pod: JsonObject) -> Done:
        self._expectations.begin_creation(uid(job), now=self._clock.steady())
        made: JsonObject | None = None
        try:
            failure, made = await self._attempt(
                lambda: self._client.create(PODS, pod, job["metadata"]["namespace"])
            )
        finally:
            made_uid = uid(made) if made is not None else ""
            self._expectations.end_creation(uid(job), made_uid, now=self._clock.steady())
        if made is not None:
            self._tell(job, "Normal", "SuccessfulCreate", f"Created pod: {_name(made)}")
            return Done((made,))
        if failure is not None and _namespace_goes(failure):
            # Every further attempt would fail as well, until nobody asks any more.
            return Done()
        self._tell(job, "Warning", "FailedCreate", f"Error creating: {failure}")
        return Done((), failure)

    async def _delete_one(self, job: JsonObject, pod: JsonObject) -> Done:
        failure, _ = await self._attempt(
            lambda: self._client.delete(
                PODS, _name(pod), pod["metadata"]["namespace"], precondition_uid=uid(pod)
            )
        )
        if failure is None:
            self._tell(job, "Normal", "SuccessfulDelete", f"Deleted pod: {_name(pod)}")
            return Done((pod,))
        self._expectations.saw_deleted(uid(job), uid(pod))
        if isinstance(failure, NotFoundError | ConflictError):
            return Done((pod,))
        self._tell(job, "Warning", "FailedDelete", f"Error deleting: {failure}")
        return Done((), failure)

    async def _release_one(self, job: JsonObject | None, pod: JsonObject) -> Done:
        change = {"uid": uid(pod), "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER]}
        failure, _ = await self._attempt(
            lambda: self._client.patch(
                PODS,
                _name(pod),
                pod["metadata"]["namespace"],
                patch={"metadata": change},
                patch_type="strategic",
            )
        )
        # Gone, or another pod of that name: nothing of ours is held.
        if failure is None or isinstance(failure, NotFoundError | ConflictError):
            return Done((pod,))
        if job is not None:
            self._expectations.saw_released(uid(job), uid(pod))
        return Done((), failure)

    async def _attempt(
        self, call: Callable[[], Awaitable[JsonObject]]
    ) -> tuple[Failure | None, JsonObject | None]:
        try:
            async with self._free:
                return None, await call()
        except (ApiError, UnreachableError) as error:
            return error, None

    def _tell(self, job: JsonObject, kind: str, reason: str, message: str) -> None:
        self._recorder.record(job, type_=kind, reason=reason, message=message)


def _joined(results: Sequence[Done]) -> Done:
    pods = tuple(pod for result in results for pod in result.pods)
    return Done(pods, next((result.failure for result in results if result.failure), None))


def _namespace_goes(failure: Failure) -> bool:
    details = failure.details if isinstance(failure, ApiError) else None
    causes = details.causes if details is not None else ()
    return any(cause.reason == "NamespaceTerminating" for cause in causes)


def _name(pod: JsonObject) -> str:
    return str(pod["metadata"]["name"])
