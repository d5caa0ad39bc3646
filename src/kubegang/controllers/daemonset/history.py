"""The revisions of a DaemonSet: its present one, and the former ones that are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from kubegang.apimachinery.errors import AlreadyExistsError, ConflictError
from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.hashing.templatehash import TemplateHasher
from kubegang.controllers.revisions.data import (
    REVISION_LABEL,
    data_of,
    in_order,
    is_same,
    new_revision,
    number_of,
    revision_of_pod,
)
from kubegang.controllers.revisions.writer import RevisionWriter
from kubegang.controllers.workloads.objects import labels_of, name_of, status_of
from kubegang.controllers.workloads.statuses import StatusWriter


class Present(msgspec.Struct, frozen=True):
    """The label of pods of the present template, and the former revisions."""

    label: str
    former: tuple[JsonObject, ...]


class History:
    """Keeps the revisions of DaemonSets."""

    def __init__(
        self, writer: RevisionWriter, *, statuses: StatusWriter, hasher: TemplateHasher
    ) -> None:
        self._writer = writer
        self._statuses = statuses
        self._hasher = hasher

    async def settle(self, daemon_set: JsonObject, found: Sequence[JsonObject]) -> Present:
        """Return the present revision; make it if it is missing.

        Raises:
            ApiError: something was refused, or a name is taken; the next attempt has another.
        """
        data = data_of(daemon_set)
        same = [revision for revision in in_order(found) if is_same(revision, data)]
        former = tuple(revision for revision in found if not is_same(revision, data))
        number = max((number_of(revision) for revision in former), default=0) + 1
        if not same:
            present = await self._create(daemon_set, number)
        elif number_of(same[-1]) < number:
            present = await self._writer.renumber(same[-1], number)
        else:
            present = same[-1]
        return Present(labels_of(present).get(REVISION_LABEL, name_of(present)), former)

    async def clean_up(
        self, daemon_set: JsonObject, former: Sequence[JsonObject], pods: Iterable[JsonObject]
    ) -> None:
        """Delete the oldest of the former revisions that are too many and have no pods."""
        limit = int(daemon_set["spec"].get("revisionHistoryLimit", 10))
        used = {revision_of_pod(pod) for pod in pods}
        unused = [
            revision
            for revision in in_order(former)
            if labels_of(revision).get(REVISION_LABEL, "") not in used
        ]
        for revision in unused[: max(0, len(former) - limit)]:
            await self._writer.delete(revision)

    async def _create(self, daemon_set: JsonObject, number: int) -> JsonObject:
        collisions = status_of(daemon_set).get("collisionCount")
        hashed = self._hasher(daemon_set["spec"]["template"], collisions=collisions)
        wanted = new_revision(
            daemon_set,
            name=f"{name_of(daemon_set)}-{hashed}",
            labels={REVISION_LABEL: hashed},
            number=number,
        )
        try:
            return await self._writer.create(wanted)
        except AlreadyExistsError:
            found = await self._writer.get(wanted)
        if is_same(found, wanted["data"]):
            return found
        status = {**status_of(daemon_set), "collisionCount": (collisions or 0) + 1}
        await self._statuses.write(daemon_set, status)
        raise ConflictError(f"the name of revision {name_of(wanted)} is taken")
