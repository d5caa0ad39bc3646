"""A scheduler that is checked at every decision it takes.

What is found wrong is kept, since the scheduler's own guard would swallow an exception.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

from kubegang.scheduler.attempts import Attempts
from kubegang.scheduler.cycle.batch import pops_of
from kubegang.scheduler.cycle.decide import decide
from kubegang.scheduler.cycle.decision import (
    AllowWaitingPod,
    BindPod,
    Decision,
    EvictPod,
    WaitOnPermit,
)
from kubegang.scheduler.framework.entities import QueuedEntity, QueuedPodInfo
from kubegang.scheduler.framework.pods import NodeName, PodGroupInfo, PodInfo, PodUid
from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.frameworks import build_framework
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.scheduler import Scheduler
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.scheduler.snapshot.validation import validate_snapshot
from kubegang.testing.snapshotdumps import dump_snapshot, load_snapshot
from tests.property.test_capacity import headroom
from tests.property.test_trial_leaves_no_trace import picture

EVERY_FEW: Final = 8
"""Plugins are made anew only for one of so many decisions, since that takes long."""


class WatchedScheduler(Scheduler):
    """A scheduler whose attempts are watched.

    Attributes:
        watched: its attempts.
    """

    watched: WatchedAttempts

    def _build_attempts(self, frameworks: Mapping[str, Framework], rng: Rng) -> Attempts:
        self.watched = WatchedAttempts(
            self.cache,
            self.queue,
            profiles=self._profiles,
            frameworks=frameworks,
            binder=self._binder,
            diagnoses=self._diagnoses,
            metrics=self._metrics,
            note=self._note,
            clock=self._clock,
            rng=cast(random.Random, rng),
        )
        return self.watched


class WatchedAttempts(Attempts):
    """Checks the invariants of every decision.

    Attributes:
        wrong: what was found, as sentences.
        story: every decision as JSON, in order.
        rehearses: whether everything is decided beforehand, to compare.
    """

    def __init__(self, *args: Any, rng: random.Random, **more: Any) -> None:
        super().__init__(*args, rng=rng, **more)
        self.wrong: list[str] = []
        self.story: list[str] = []
        self.rehearses = True
        self._chance = rng
        self._room_before: dict[tuple[str, str], int] = {}
        self._expected: Decision | None = None

    # --- around a cycle ------------------------------------------------------------------

    def _run_cycle(
        self, entity: QueuedEntity, queued: Mapping[PodUid, QueuedPodInfo], name: str
    ) -> None:
        try:
            snapshot = self._cache.snapshot()
            self._expected = self._rehearse(snapshot, entity, name) if self.rehearses else None
            self._room_before = headroom(snapshot)
            super()._run_cycle(entity, queued, name)
        except Exception as error:
            self.wrong.append(f"attempt at {entity.key} failed: {error!r}")
            raise

    def _report(
        self, entity: QueuedEntity, decision: Decision, name: str, *, seconds: float
    ) -> None:
        super()._report(entity, decision, name, seconds=seconds)
        self.story.append(msgspec.json.encode(decision.instructions).decode())
        if decision.instructions != (self._expected or decision).instructions:
            self.wrong.append(f"rehearsed {self._expected}, decided {decision}")
        self._check_room(decision)
        for pod in self._let_go(decision):
            self._check_minimum(pod, name)
        if _bound(decision) and any(isinstance(i, EvictPod) for i in decision.instructions):
            self.wrong.append(f"room was taken and made in one decision: {decision}")

    # --- deciding beforehand -------------------------------------------------------------

    def _rehearse(self, snapshot: Snapshot, entity: QueuedEntity, name: str) -> Decision:
        """Decide beforehand: twice the same, without a trace, and the same on a copy."""
        before = picture(snapshot)
        batched = [self._rehearsed(snapshot, entity, name, batched=True) for _ in range(2)]
        if batched[0] != batched[1]:
            self.wrong.append(f"decided {batched[0]}, then {batched[1]}")
        plain = self._rehearsed(snapshot, entity, name, batched=False)
        if picture(snapshot) != before:
            self.wrong.append(f"deciding about {entity.key} left a trace")
        if len(self.story) % EVERY_FEW:
            return batched[0]
        copied = load_snapshot(json.loads(json.dumps(dump_snapshot(snapshot))))
        reloaded = self._rehearsed(copied, entity, name, batched=False, anew=True)
        if plain != reloaded:
            self.wrong.append(f"decided {plain}, with a reloaded snapshot {reloaded}")
        return batched[0]

    def would_decide(self, entity: QueuedEntity, *, seed: int | None = None) -> Decision:
        """Return what would be decided now, by plugins that remember nothing.

        Ties are broken as they would be next, or by the chance of a seed.
        """
        return self._rehearsed(
            self._cache.snapshot(),
            entity,
            entity.scheduler_name,
            batched=False,
            anew=True,
            seed=seed,
        )

    def _rehearsed(
        self,
        snapshot: Snapshot,
        entity: QueuedEntity,
        name: str,
        *,
        batched: bool,
        anew: bool = False,
        seed: int | None = None,
    ) -> Decision:
        profile, rng = self._profiles[name], random.Random(seed)
        if seed is None:
            rng.setstate(self._chance.getstate())
        return decide(
            snapshot,
            entity,
            profile=profile,
            framework=build_framework(profile, {}) if anew else self._frameworks[name],
            now=self._clock.steady(),
            rng=rng,
            waiting=self._binder.waiting_pods,
            batch=self._batches[name] if batched else None,
            number=self._popped + pops_of(entity, profile),
        )

    # --- invariants ----------------------------------------------------------------------

    def _check_room(self, decision: Decision) -> None:
        snapshot, before = self._cache.snapshot(), self._room_before
        validate_snapshot(snapshot)
        for place, left in headroom(snapshot).items():
            # A node that shrank below its load may be over, but must not receive more.
            if left < 0 and left < before.get(place, 0):
                self.wrong.append(f"{place} has {left} left after {decision}")
        for node in {node for _, node in _bound(decision)}:
            info = self._cache.node(node)
            if info is None or info.unschedulable:
                self.wrong.append(f"node {node} was chosen and is {info}")

    def _let_go(self, decision: Decision) -> list[PodInfo]:
        """Return the pods that are being bound, those that waited on permit so far too."""
        going = [i.pod.uid for i in decision.instructions if isinstance(i, BindPod)]
        going += [i.pod for i in decision.instructions if isinstance(i, AllowWaitingPod)]
        return [known.pod for uid in going if (known := self._cache.pod(uid)) is not None]

    def _check_minimum(self, pod: PodInfo, name: str) -> None:
        """Check that a member goes only with enough others, level by level."""
        gated = self._profiles[name].gates.enabled_if_known
        key, snapshot = pod.pod_group, self._cache.snapshot()
        gangs = "GangScheduling" in {plugin.NAME for plugin in self._frameworks[name].plugins}
        if key is None or not gangs or not gated("GenericWorkload"):
            return
        for group in snapshot.lineage(key):
            if not _is_complete(snapshot, group):
                self.wrong.append(f"{pod.key} goes though {group.key} is short of {group.quorum}")


def _bound(decision: Decision) -> list[tuple[PodInfo, NodeName]]:
    return [(i.pod, i.node) for i in decision.instructions if isinstance(i, BindPod | WaitOnPermit)]


def _is_complete(snapshot: Snapshot, group: PodGroupInfo) -> bool:
    if not group.is_composite:
        return len(snapshot.scheduled_members(group.key)) >= group.quorum
    children = snapshot.child_groups(group.key)
    return sum(_is_complete(snapshot, child) for child in children) >= group.quorum
