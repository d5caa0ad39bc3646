"""Making and deleting the pods of an owner through the API, told to users as events."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from kubegang.apimachinery.errors import ApiError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import PODS
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job.expectations import Expectations
from kubegang.controllers.workloads.objects import name_of, uid_of

Failure = ApiError | UnreachableError

REQUESTS_AT_ONCE = 50
"""For all owners together: an API server refuses more than it can work on."""

MOST_AT_ONCE = 500
"""So many pods one sync makes or deletes at most; the next does the rest."""


class Done(msgspec.Struct, frozen=True):
    """What came of it: how many pods were made or deleted, and the first failure."""

    count: int = 0
    failure: Failure | None = None


class PodActions:
    """Acts on pods. A failure is returned, not raised: the status still has to be written."""

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

    async def create(self, owner: JsonObject, pods: Sequence[JsonObject]) -> Done:
        """Make pods in batches of 1, 2, 4, …: a template that is refused costs one attempt."""
        pods = pods[:MOST_AT_ONCE]
        begun, size, made = 0, 1, 0
        while begun < len(pods):
            batch = pods[begun : begun + size]
            results = await asyncio.gather(*(self._create_one(owner, pod) for pod in batch))
            made += sum(result.count for result in results)
            failure = next((result.failure for result in results if result.failure), None)
            if failure is not None:
                return Done(made, failure)
            begun += len(batch)
            size *= 2
        return Done(made)

    async def delete(self, owner: JsonObject, pods: Sequence[JsonObject]) -> Done:
        """Delete pods; those that are gone already count as deleted."""
        pods = pods[:MOST_AT_ONCE]
        uids = [uid_of(pod) for pod in pods]
        self._expectations.expect_deleted(uid_of(owner), uids, now=self._clock.steady())
        results = await asyncio.gather(*(self._delete_one(owner, pod) for pod in pods))
        failure = next((result.failure for result in results if result.failure), None)
        return Done(sum(result.count for result in results), failure)

    async def _create_one(self, owner: JsonObject, pod: JsonObject) -> Done:
        self._expectations.begin_creation(uid_of(owner), now=self._clock.steady())
        made_uid = ""
        try:
            async with self._free:
                made = await self._client.create(PODS, pod, owner["metadata"]["namespace"])
            made_uid = uid_of(made)
        except (ApiError, UnreachableError) as failure:
            if namespace_goes(failure):
                # Every further attempt would fail as well, until nobody asks any more.
                return Done()
            self._tell(owner, "Warning", "FailedCreate", f"Error creating: {failure}")
            return Done(0, failure)
        finally:
            self._expectations.end_creation(uid_of(owner), made_uid, now=self._clock.steady())
        self._tell(owner, "Normal", "SuccessfulCreate", f"Created pod: {name_of(made)}")
        return Done(1)

    async def _delete_one(self, owner: JsonObject, pod: JsonObject) -> Done:
        try:
            async with self._free:
                await self._client.delete(PODS, name_of(pod), pod["metadata"]["namespace"])
        except NotFoundError:
            self._expectations.saw_deleted(uid_of(owner), uid_of(pod))
            return Done(1)
        except (ApiError, UnreachableError) as failure:
            self._expectations.saw_deleted(uid_of(owner), uid_of(pod))
            self._tell(owner, "Warning", "FailedDelete", f"Error deleting: {failure}")
            return Done(0, failure)
        self._tell(owner, "Normal", "SuccessfulDelete", f"Deleted pod: {name_of(pod)}")
        return Done(1)

    def _tell(self, owner: JsonObject, kind: str, reason: str, message: str) -> None:
        self._recorder.record(owner, type_=kind, reason=reason, message=message)


def namespace_goes(failure: Failure) -> bool:
    """Return whether something was refused since its namespace is being deleted."""
    details = failure.details if isinstance(failure, ApiError) else None
    causes = details.causes if details is not None else ()
    return any(cause.reason == "NamespaceTerminating" for cause in causes)
