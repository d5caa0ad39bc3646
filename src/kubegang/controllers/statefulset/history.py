"""The revisions of a StatefulSet: which it comes from, which it goes to, which are too many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from kubegang.apimachinery.errors import AlreadyExistsError
from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.hashing.templatehash import data_hash
from kubegang.controllers.revisions.data import (
    HASH_LABEL,
    data_bytes,
    data_of,
    in_order,
    is_same,
    new_revision,
    number_of,
    revision_of_pod,
)
from kubegang.controllers.revisions.writer import RevisionWriter
from kubegang.controllers.workloads.objects import counted, name_of, status_of

LONGEST_PREFIX = 223
"""Of a revision's name."""


class Revisions(msgspec.Struct, frozen=True):
    """A set's revisions at work, and how often a name was taken."""

    current: JsonObject
    update: JsonObject
    collisions: int


class History:
    """Keeps the revisions of StatefulSets."""

    def __init__(self, writer: RevisionWriter) -> None:
        self._writer = writer

    async def settle(self, stateful_set: JsonObject, found: Sequence[JsonObject]) -> Revisions:
        """Return the revisions that a set comes from and goes to; make what is missing.

        Raises:
            ApiError: something was refused.
        """
        ordered = in_order(found)
        collisions = counted(stateful_set, "collisionCount")
        data = data_of(stateful_set)
        same = [revision for revision in ordered if is_same(revision, data)]
        if same:
            update = same[-1]
            if not is_same(ordered[-1], data):
                update = await self._writer.renumber(update, number_of(ordered[-1]) + 1)
            else:
                update = ordered[-1]
        else:
            number = number_of(ordered[-1]) + 1 if ordered else 1
            update, collisions = await self._create(stateful_set, number, collisions)
        known = status_of(stateful_set).get("currentRevision")
        current = next((entry for entry in ordered if name_of(entry) == known), update)
        return Revisions(current, update, collisions)

    async def clean_up(
        self,
        stateful_set: JsonObject,
        found: Sequence[JsonObject],
        *,
        pods: Iterable[JsonObject],
        in_use: Revisions,
    ) -> None:
        """Delete the oldest of those revisions that nothing uses and that are too many."""
        used = {name_of(in_use.current), name_of(in_use.update), *map(revision_of_pod, pods)}
        unused = [revision for revision in in_order(found) if name_of(revision) not in used]
        limit = int(stateful_set["spec"].get("revisionHistoryLimit", 10))
        if limit < 0:
            return
        for revision in unused[: max(0, len(unused) - limit)]:
            await self._writer.delete(revision)

    async def _create(
        self, stateful_set: JsonObject, number: int, collisions: int
    ) -> tuple[JsonObject, int]:
        data = data_bytes(data_of(stateful_set))
        # The label keeps the first hash, even if a name is taken.
        labels = {HASH_LABEL: data_hash(data, collisions=collisions)}
        while True:
            prefix = name_of(stateful_set)[:LONGEST_PREFIX]
            name = f"{prefix}-{data_hash(data, collisions=collisions)}"
            wanted = new_revision(stateful_set, name=name, labels=labels, number=number)
            try:
                return await self._writer.create(wanted), collisions
            except AlreadyExistsError:
                present = await self._writer.get(wanted)
            if is_same(present, wanted["data"]):
                return present, collisions
            collisions += 1
