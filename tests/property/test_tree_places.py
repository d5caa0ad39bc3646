"""Invariant iii with trees: groups that come, go and change parents, also into circles."""

from __future__ import annotations

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from kubegang.scheduler.framework.entities import QueuedPodGroupInfo
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey
from kubegang.scheduler.queue.places import Place
from tests.property.test_queue_places import Known, QueuePlaces
from tests.unit.scheduler.queue.stage import make_group_info

LEAVES = ("red", "blue")
COMPOSITES = ("top", "mid")
PARENTS = ("", "", *COMPOSITES)


class TreePlaces(QueuePlaces):
    """Everything that may happen to the queue, where groups may have parents."""

    def __init__(self) -> None:
        super().__init__()
        self.groups: dict[PodGroupKey, PodGroupInfo] = {}

    @rule(
        name=st.sampled_from(LEAVES),
        minimum=st.integers(1, 3),
        parent=st.sampled_from(PARENTS),
    )
    def write_group(self, name: str, minimum: int, parent: str = "") -> None:
        self._write(make_group_info(name, minimum, parent=parent))

    @rule(
        name=st.sampled_from(COMPOSITES),
        minimum=st.integers(1, 2),
        parent=st.sampled_from(PARENTS),
    )
    def write_composite(self, name: str, minimum: int, parent: str = "") -> None:
        key = PodGroupKey("ns", name, "CompositePodGroup")
        self._write(msgspec.structs.replace(make_group_info(name, minimum, parent=parent), key=key))

    @rule(name=st.sampled_from(LEAVES))
    def delete_group(self, name: str) -> None:
        self._delete(PodGroupKey("ns", name))

    @rule(name=st.sampled_from(COMPOSITES))
    def delete_composite(self, name: str) -> None:
        self._delete(PodGroupKey("ns", name, "CompositePodGroup"))

    def _write(self, group: PodGroupInfo) -> None:
        """Write a group; one whose parent changes is another object of the same name."""
        old = self.groups.get(group.key)
        self.serial += 1
        uid = f"uid-{self.serial}" if old is None or old.parent != group.parent else old.uid
        new = msgspec.structs.replace(group, uid=uid, resource_version=str(self.serial))
        self.groups[new.key] = new
        if old is None:
            self.stage.add(new)
        else:
            self.stage.handlers.pod_group_updated(old, new)

    def _delete(self, key: PodGroupKey) -> None:
        old = self.groups.pop(key, None)
        if old is not None:
            self.stage.handlers.pod_group_deleted(old)

    def _allowed(self, known: Known, *, in_flight: bool) -> set[Place]:
        leaf = known.pod.pod_group
        if leaf is None or known.binding or in_flight:
            return super()._allowed(known, in_flight=in_flight)
        root = self.stage.cache.groups.root_of(leaf)
        if root is None:
            return {Place.INCOMPLETE}
        if isinstance(self.attempt, QueuedPodGroupInfo):
            siblings = {queued.pod.pod_group for queued in self.attempt.members}
            if self.attempt.group == root.key:
                return {Place.PENDING}
            if leaf in siblings:
                # Its siblings are tried under a root that is not theirs any more.
                return {Place.PENDING, Place.ACTIVE, Place.BACKOFF, Place.GATED}
        return {Place.ACTIVE, Place.BACKOFF, Place.GATED}


TestTreePlaces = TreePlaces.TestCase
TestTreePlaces.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
