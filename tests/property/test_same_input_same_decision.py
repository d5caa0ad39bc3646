"""Invariant v: same snapshot, entity, profile, moment and seed give the same decision."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.scheduler.cycle.decision import Decision
from kubegang.scheduler.snapshot.builder import SnapshotBuilder
from kubegang.testing.builders import make_cluster, make_pod, make_podgroup
from kubegang.testing.deciding import DecidingCore
from kubegang.testing.snapshotdumps import dump_snapshot, load_snapshot
from tests.property.clusters import Scene, scenes, unequal_scenes

ROOT = Path(__file__).parents[2]


def decisions(core: DecidingCore, scene: Scene) -> list[Decision]:
    groups = [core.decide_group(group.metadata.name) for group in scene.groups]
    alone = [pod.name for pod in core.waiting.values() if pod.pod_group is None]
    return groups + [core.decide_pod(name) for name in alone]


@settings(max_examples=60, deadline=None)
@given(scene=st.one_of(scenes(), unequal_scenes()), seed=st.integers(0, 3))
def test_deciding_twice_decides_the_same(scene: Scene, seed: int) -> None:
    objects = (scene.nodes, scene.running, scene.groups, scene.waiting, scene.budgets)
    one, two = DecidingCore(*objects, seed=seed), DecidingCore(*objects, seed=seed)
    assert decisions(one, scene) == decisions(two, scene)


@settings(max_examples=60, deadline=None)
@given(scene=st.one_of(scenes(), unequal_scenes()), data=st.data())
def test_a_reloaded_dump_decides_the_same(scene: Scene, data: st.DataObject) -> None:
    one = DecidingCore(scene.nodes, scene.running, scene.groups, scene.waiting, scene.budgets)
    # Rows move when nodes go, and must not matter.
    for _ in range(data.draw(st.integers(0, 2))):
        if one.snapshot.nodes.size:
            one.builder.remove_node(data.draw(st.sampled_from(one.snapshot.nodes.names)))
    two = DecidingCore(scene.waiting)
    reloaded = load_snapshot(json.loads(json.dumps(dump_snapshot(one.snapshot))))
    two.builder = SnapshotBuilder(reloaded)
    assert decisions(one, scene) == decisions(two, scene)


def fingerprint() -> str:
    """Return a digest of decisions about a cluster with many equal nodes and ties."""
    nodes = [node.taint("t", "PreferNoSchedule") for node in make_cluster(racks=5)]
    pod = make_pod("w").group("g").req(cpu="1").prefers(3, ("rack", "In", ("r1", "r2", "r3")))
    core = DecidingCore(
        nodes, make_podgroup("g").gang(min_count=20).topology("rack"), pod.times(24)
    )
    text = [msgspec.json.encode(core.decide_group()).decode() for _ in range(3)]
    crowd = [make_pod(f"c{i}").req(cpu="2").on(f"r{i % 5}-{i % 8}") for i in range(120)]
    core.add(
        crowd,
        make_podgroup("v").disrupted_whole(),
        make_pod("v").group("v").req(cpu="2").on("r0-0").times(3),
        make_podgroup("h").priority(5).gang(min_count=4),
        make_pod("h").group("h").priority(5).req(cpu="3").times(5),
        make_pod("alone").priority(5).req(cpu="4"),
    )
    text.append(msgspec.json.encode(core.decide_group("h")).decode())
    text.append(msgspec.json.encode(core.decide_pod("alone")).decode())
    core.add([pod.named(f"x{i}").req(cpu="9") for i in range(3)])
    text.append(msgspec.json.encode(core.decide_group()).decode())
    return hashlib.sha256("\n".join(text).encode()).hexdigest()


def test_processes_with_other_hash_seeds_decide_the_same() -> None:
    module = "tests.property.test_same_input_same_decision"
    assert printed(module, hash_seed="1") == printed(module, hash_seed="2") == fingerprint()


def test_with_other_hash_seeds_a_whole_walk_is_the_same_in_every_release() -> None:
    module = "tests.property.machine.walking"
    assert printed(module, hash_seed="1") == printed(module, hash_seed="2")


def printed(module: str, *, hash_seed: str) -> str:
    """Return what another process with another order of sets has for a fingerprint."""
    result = subprocess.run(
        [sys.executable, "-c", f"from {module} import fingerprint; print(fingerprint())"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.strip()
