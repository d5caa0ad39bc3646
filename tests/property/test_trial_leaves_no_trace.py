"""Invariant iv: after rollback to a mark the snapshot equals its earlier self, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.scheduler.framework.pods import NodeName, PodInfo
from kubegang.scheduler.snapshot.snapshot import Snapshot
from kubegang.scheduler.snapshot.trial import Trial
from kubegang.scheduler.snapshot.validation import validate_snapshot
from kubegang.testing.deciding import DecidingCore
from tests.property.clusters import Scene, scenes, unequal_scenes


class StumbledError(Exception):
    """Thrown in the middle of a trial."""


def picture(snapshot: Snapshot) -> dict[str, object]:
    """Return everything a decision could read, arrays as bytes."""
    nodes = snapshot.nodes
    arrays = {
        "pods": nodes.pod_count,
        "cpu for scores": nodes.score_milli_cpu,
        "memory for scores": nodes.score_memory_bytes,
        **{f"requested {name}": nodes.requested(name) for name in nodes.resources},
    }
    return {
        # A column of zeros says the same as no column.
        **{name: array.tobytes() for name, array in arrays.items() if np.any(array)},
        "listings": [[pod.uid for pod in snapshot.pods_on(row)] for row in range(nodes.size)],
        "members": {
            str(pod.pod_group): [m.uid for m in snapshot.scheduled_members(pod.pod_group)]
            for pod in snapshot.pods()
            if pod.pod_group
        },
        "ports": nodes.taken_ports(),
        "placed": sorted(pod.uid for pod in snapshot.pods()),
        "version": nodes.version,
        "stamp": nodes.stamp,
    }


class Walk:
    """Random steps of a trial: place, evict, mark, roll back."""

    def __init__(self, snapshot: Snapshot, pods: list[PodInfo], data: st.DataObject) -> None:
        self.snapshot = snapshot
        self.pods = pods
        self.data = data

    def go(self, trial: Trial, depth: int) -> None:
        for _ in range(self.data.draw(st.integers(0, 4))):
            self.step(trial)
            if depth and self.data.draw(st.booleans()):
                mark, before = trial.mark(), picture(self.snapshot)
                self.go(trial, depth - 1)
                trial.rollback(mark)
                assert picture(self.snapshot) == before

    def step(self, trial: Trial) -> None:
        evict = self.data.draw(st.booleans())
        placed = list(self.snapshot.pods())
        pending = [pod for pod in self.pods if self.snapshot.pod(pod.uid) is None]
        names: list[NodeName] = self.snapshot.nodes.names
        if placed and evict:
            trial.evict(self.data.draw(st.sampled_from(placed)))
        elif pending and names:
            trial.place(
                self.data.draw(st.sampled_from(pending)), self.data.draw(st.sampled_from(names))
            )


@settings(max_examples=80, deadline=None)
@given(scene=scenes(), data=st.data())
def test_a_dropped_trial_leaves_no_trace(scene: Scene, data: st.DataObject) -> None:
    core = DecidingCore(scene.nodes, scene.running, scene.groups, scene.waiting)
    walk = Walk(core.snapshot, list(core.waiting.values()), data)
    before = picture(core.snapshot)
    with Trial(core.snapshot) as trial:
        walk.go(trial, depth=2)
    assert picture(core.snapshot) == before
    validate_snapshot(core.snapshot)


@settings(max_examples=40, deadline=None)
@given(scene=scenes(), data=st.data())
def test_an_exception_in_the_middle_leaves_no_trace(scene: Scene, data: st.DataObject) -> None:
    core = DecidingCore(scene.nodes, scene.running, scene.groups, scene.waiting)
    walk = Walk(core.snapshot, list(core.waiting.values()), data)
    before = picture(core.snapshot)

    def stumble() -> None:
        with Trial(core.snapshot) as trial:
            walk.go(trial, depth=1)
            raise StumbledError

    with pytest.raises(StumbledError):
        stumble()
    assert picture(core.snapshot) == before


@settings(max_examples=60, deadline=None)
@given(scene=st.one_of(scenes(), unequal_scenes()))
def test_a_decision_leaves_no_trace(scene: Scene) -> None:
    core = DecidingCore(scene.nodes, scene.running, scene.groups, scene.waiting, scene.budgets)
    before = picture(core.snapshot)
    for group in scene.groups:
        core.decide_group(group.metadata.name)
        assert picture(core.snapshot) == before
    for pod in core.waiting.values():
        if pod.pod_group is None:
            core.decide_pod(pod.name)
            assert picture(core.snapshot) == before
