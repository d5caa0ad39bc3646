"""One look at one Deployment: what its ReplicaSets and its status should be now.

    1. say whether it is paused         _note_pause
    2. revisions of the new ReplicaSet  _find_new, _make_new
    3. sizes                            sizing, written one by one
    4. old ReplicaSets beyond the limit _clean_up
    5. counts, conditions               status, written

Every write may find that something has changed; then the Deployment is looked at again.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.apimachinery.conditions import find_condition
from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.deployment.annotations import (
    REVISION,
    new_annotations,
    next_revision,
    revision_of,
)
from kubegang.controllers.deployment.newset import new_set
from kubegang.controllers.deployment.replicasets import Sets, asked, reported
from kubegang.controllers.deployment.sizing import (
    Sizes,
    is_scaling,
    new_size,
    scaled,
    smaller_old,
    without_pods,
)
from kubegang.controllers.deployment.status import (
    FOUND_SET,
    NEW_SET,
    PAUSED,
    PROGRESSING,
    RESUMED,
    TIMED_OUT,
    condition,
    conditions_of,
    counted_status,
    deadline_of,
    is_complete,
    progressing_reason,
    rollout_status,
    with_condition,
)
from kubegang.controllers.deployment.strategy import (
    history_limit,
    is_rolling,
    progress_deadline,
)
from kubegang.controllers.deployment.writer import DeploymentWriter
from kubegang.controllers.hashing.templatehash import TemplateHasher
from kubegang.controllers.workloads.availability import has_ended, is_going
from kubegang.controllers.workloads.objects import (
    annotations_of,
    counted,
    name_of,
    replicas_of,
    status_of,
    uid_of,
)


class Rollout:
    """A Deployment and its ReplicaSets as far as they are known; both grow with each write."""

    def __init__(
        self,
        deployment: JsonObject,
        sets: Sets,
        *,
        pods: Sequence[JsonObject],
        writer: DeploymentWriter,
        hasher: TemplateHasher,
        counts_terminating: bool,
        now: float,
    ) -> None:
        """Begin.

        Args:
            deployment: the Deployment.
            sets: its ReplicaSets.
            pods: the pods of those, for Recreate.
            writer: the API.
            hasher: hashes templates.
            counts_terminating: whether ``status.terminatingReplicas`` is kept.
            now: seconds since the epoch.
        """
        self._deployment = deployment
        self._sets = sets
        self._pods = pods
        self._writer = writer
        self._hasher = hasher
        self._counts_terminating = counts_terminating
        self._now = now

    async def run(self) -> float | None:
        """Do what is to do now; return when to come back though nothing has happened."""
        if is_going(self._deployment):
            await self._find_new()
            await self._report_counts()
            return None
        await self._note_pause()
        await self._find_new()
        if self._is_paused() or is_scaling(self._deployment, self._sets):
            await self._scale()
            return None
        if is_rolling(self._deployment):
            return await self._roll()
        return await self._recreate()

    # The ways of a rollout

    async def _scale(self) -> None:
        sizes, notes = scaled(self._deployment, self._sets)
        await self._resize(sizes, notes=notes)
        if self._is_paused():
            await self._clean_up()
        await self._report_counts()

    async def _roll(self) -> float | None:
        new = self._sets.new or await self._make_new()
        total = asked(self._sets.all())
        size = new_size(self._deployment, current=replicas_of(new), total=total)
        if size != replicas_of(new):
            await self._resize([(new, size)])
            return await self._report()
        smaller = smaller_old(self._deployment, self._sets, new)
        if smaller:
            await self._resize(smaller)
        elif is_complete(self._deployment, status_of(self._deployment)):
            await self._clean_up()
        return await self._report()

    async def _recreate(self) -> float | None:
        to_empty = without_pods(self._sets.old)
        if to_empty:
            await self._resize(to_empty)
            return await self._report()
        if self._old_pods_run():
            return await self._report()
        new = self._sets.new or await self._make_new()
        await self._resize([(new, replicas_of(self._deployment))])
        if is_complete(self._deployment, status_of(self._deployment)):
            await self._clean_up()
        return await self._report()

    def _old_pods_run(self) -> bool:
        """Return whether a pod of an old template may still be at work."""
        if reported(self._sets.old, "replicas"):
            return True
        new = uid_of(self._sets.new) if self._sets.new is not None else ""
        return any(
            not has_ended(pod)
            and all(o["uid"] != new for o in pod["metadata"].get("ownerReferences") or ())
            for pod in self._pods
        )

    # The new ReplicaSet

    async def _find_new(self) -> None:
        """Bring the new ReplicaSet's annotations up to date, and note it on the Deployment."""
        new = self._sets.new
        if new is None:
            return
        revision = next_revision(self._sets.old)
        annotations = new_annotations(self._deployment, annotations_of(new), revision=revision)
        seconds = self._deployment["spec"].get("minReadySeconds") or 0
        if annotations != annotations_of(new) or seconds != (
            new["spec"].get("minReadySeconds") or 0
        ):
            new = await self._writer.replace(_changed(new, annotations, seconds))
            self._sets = self._sets.replaced(new)
            return
        conditions = conditions_of(self._deployment)
        is_silent = find_condition(conditions, PROGRESSING) is None
        if is_silent and progress_deadline(self._deployment) is not None:
            message = f'Found new replica set "{name_of(new)}"'
            conditions = with_condition(conditions, self._progressing(FOUND_SET, message))
        await self._write_conditions(conditions, revision=annotations.get(REVISION, ""))

    async def _make_new(self) -> JsonObject:
        wanted = new_set(self._deployment, self._sets, self._hasher)
        new, is_made = await self._writer.create(self._deployment, wanted)
        self._sets = Sets(new, self._sets.old)
        conditions = conditions_of(self._deployment)
        if is_made and progress_deadline(self._deployment) is not None:
            message = f'Created new replica set "{name_of(new)}"'
            conditions = with_condition(conditions, self._progressing(NEW_SET, message))
        await self._write_conditions(conditions, revision=str(next_revision(self._sets.old)))
        return new

    # Writing

    async def _note_pause(self) -> None:
        """Say that it is paused, so that the time until it goes on does not count."""
        reason = progressing_reason(self._deployment)
        if progress_deadline(self._deployment) is None or reason == TIMED_OUT:
            return
        if self._is_paused() == (reason == PAUSED):
            return
        word, reason = ("paused", PAUSED) if self._is_paused() else ("resumed", RESUMED)
        told = self._progressing(reason, f"Deployment is {word}", status="Unknown")
        await self._write_conditions(with_condition(conditions_of(self._deployment), told))

    async def _resize(self, sizes: Sizes, *, notes: bool = False) -> None:
        latest = {uid_of(entry): entry for entry in self._sets.all()}
        for entry, size in sizes:
            uid = uid_of(entry)
            latest[uid] = await self._writer.resize(
                self._deployment, latest[uid], size, notes=notes
            )
            self._sets = self._sets.replaced(latest[uid])

    async def _clean_up(self) -> None:
        """Delete the oldest of those old ReplicaSets that are too many and have no pods."""
        limit = history_limit(self._deployment)
        alive = [entry for entry in self._sets.old if not is_going(entry)]
        if limit is None or len(alive) <= limit:
            return
        for entry in sorted(alive, key=revision_of)[: len(alive) - limit]:
            is_seen = counted(entry, "observedGeneration") >= entry["metadata"]["generation"]
            if is_seen and not replicas_of(entry) and not counted(entry, "replicas"):
                await self._writer.delete(entry)

    async def _report_counts(self) -> None:
        status = counted_status(
            self._deployment,
            self._sets,
            counts_terminating=self._counts_terminating,
            now=self._now,
        )
        self._deployment = await self._writer.write_status(self._deployment, status)

    async def _report(self) -> float | None:
        status = rollout_status(
            self._deployment,
            self._sets,
            counts_terminating=self._counts_terminating,
            now=self._now,
        )
        self._deployment = await self._writer.write_status(self._deployment, status)
        return deadline_of(self._deployment, status)

    async def _write_conditions(self, conditions: list[JsonObject], *, revision: str = "") -> None:
        self._deployment = await self._writer.write_conditions(
            self._deployment, conditions, revision=revision
        )

    def _is_paused(self) -> bool:
        return bool(self._deployment["spec"].get("paused"))

    def _progressing(self, reason: str, message: str, *, status: str = "True") -> JsonObject:
        return condition(PROGRESSING, status, reason, message, now=self._now)


def _changed(replica_set: JsonObject, annotations: dict[str, str], seconds: int) -> JsonObject:
    return {
        **replica_set,
        "metadata": {**replica_set["metadata"], "annotations": annotations},
        "spec": {**replica_set["spec"], "minReadySeconds": seconds},
    }
