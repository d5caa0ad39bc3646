"""Which nodes are looked at for a pod: the same ones in the same order as the real scheduler.

The real one looks with a single worker here, since with several it looks at a few more, as
chance has it; and it says in its log which nodes it scored.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec
import numpy as np
import pytest

from kubegang.api.profile import PluginWeight
from kubegang.base.clock import RealClock
from kubegang.client.api import ApiClient
from kubegang.client.resources import NODES, PODS
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.cyclestate import CycleState
from kubegang.scheduler.framework.interface import PluginContext
from kubegang.scheduler.framework.nodetable import IntArray, RowArray
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.frameworks import build_framework
from kubegang.scheduler.plugins.registry import PLUGINS
from kubegang.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod
from kubegang.testing.deciding import DecidingCore
from tests.real.peer_plane import real_plane
from tests.real.planes import client_of
from tests.real.scheduler_peer import RealScheduler, real_scheduler

CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {{kubeconfig: "{kubeconfig}", qps: 5000, burst: 10000}}
leaderElection: {{leaderElect: false}}
parallelism: 1
percentageOfNodesToScore: {percentage}
"""

PATIENCE_SECONDS = 20.0

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]


class Case(NamedTuple):
    """A cluster.

    Attributes:
        zones: of how many zones nodes are; unevenly, by a formula.
        tainted: every so many-th node takes no pods; 0 is none.
    """

    nodes: int
    zones: int
    tainted: int
    percentage: int


CASES = {
    "all of few": Case(nodes=60, zones=2, tainted=7, percentage=10),
    "at least a hundred": Case(nodes=220, zones=3, tainted=0, percentage=10),
    "a share": Case(nodes=250, zones=3, tainted=5, percentage=45),
    "one zone": Case(nodes=210, zones=0, tainted=3, percentage=60),
    "as the size has it": Case(nodes=300, zones=4, tainted=0, percentage=0),
}


class Recorder:
    """Scores nothing, and remembers which nodes it was asked about."""

    NAME: ClassVar[str] = "Recorder"
    asked: ClassVar[list[list[str]]] = []

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments from ``context``."""

    def score(
        self, state: CycleState, pod: PodInfo, *, cluster: ClusterView, rows: RowArray
    ) -> IntArray:
        """Remember the nodes."""
        self.asked.append([cluster.nodes.names[row] for row in rows.tolist()])
        return np.zeros(len(rows), dtype=np.int64)


class Looked(NamedTuple):
    """At which nodes somebody looked for one pod.

    Attributes:
        examined: how many, those that refuse the pod among them.
        scored: the feasible ones, in order.
    """

    examined: int
    scored: list[str]


@pytest.fixture(scope="module", params=["37", "36"])
def plane(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    directory = tmp_path_factory.mktemp("scan") / "plane"
    with real_plane(
        directory, request.param, NO_SCHED="1", NO_KCM="1", ETCD_NOFSYNC="true"
    ) as path:
        yield request.param, path


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_same_nodes_are_looked_at(plane: tuple[str, Path], case: Case, tmp_path: Path) -> None:
    asyncio.run(compare(*plane, case=case, directory=tmp_path))


async def compare(version: str, kubeconfig: Path, *, case: Case, directory: Path) -> None:
    """Let both decide about a few pods; the real choices are carried out in our cluster."""
    pods = [make_pod(f"p{i}").req(cpu="1") for i in range(6)]
    scene = Scene(case, list(nodes_of(case)), pods)
    client = client_of(kubeconfig)
    try:
        real = await play(
            client, scene, version=version, kubeconfig=kubeconfig, directory=directory
        )
    finally:
        await clear(client, scene)
        await client.close()
    core = core_for(case, scene.nodes)
    for pod, (theirs, chosen) in zip(pods, real, strict=True):
        assert look(core, pod) == theirs, pod.metadata.name
        core.add(pod.on(chosen))


def nodes_of(case: Case) -> Iterator[NodeBuilder]:
    """Return the nodes, in the order in which they come."""
    for index in range(case.nodes):
        node = make_node(f"n{index:03}").capacity(cpu="4", memory="32Gi", pods="110")
        if case.zones:
            zone = index * index % 7 % case.zones
            node = node.label("topology.kubernetes.io/zone", f"z{zone}")
        if case.tainted and not index % case.tainted:
            node = node.taint("t", "NoSchedule")
        yield node


def core_for(case: Case, nodes: list[NodeBuilder]) -> DecidingCore:
    """Return our core with a plugin that remembers what it was asked about."""
    core = DecidingCore(nodes)
    plugins = (*core.profile.plugins, PluginWeight(Recorder.NAME, 1))
    core.profile = msgspec.structs.replace(
        core.profile, plugins=plugins, percentage_of_nodes_to_score=case.percentage
    )
    core.framework = build_framework(core.profile, {}, plugins={**PLUGINS, Recorder.NAME: Recorder})
    return core


def look(core: DecidingCore, pod: PodBuilder) -> Looked:
    """Let our core look for a node."""
    core.add(pod)
    before, total = core.snapshot.scan_start, core.snapshot.nodes.size
    decision = core.decide_pod(pod.metadata.name)
    core.builder.set_scan_start(decision.scan_start)
    core.waiting.clear()
    examined = (decision.scan_start - before) % total or total
    return Looked(examined, Recorder.asked[-1])


class Scene(NamedTuple):
    """What both schedulers look at."""

    case: Case
    nodes: list[NodeBuilder]
    pods: list[PodBuilder]


async def play(
    client: ApiClient, scene: Scene, *, version: str, kubeconfig: Path, directory: Path
) -> list[tuple[Looked, str]]:
    """Return where the real scheduler looked, and what it chose, pod by pod."""
    configuration = CONFIGURATION.format(kubeconfig=kubeconfig, percentage=scene.case.percentage)
    with real_scheduler(directory, version, configuration=configuration, verbosity=10) as scheduler:
        await logged(scheduler, '"Caches populated" type="*v1.Node"', times=1)
        # The order in which nodes come decides, so they come one by one.
        for node in scene.nodes:
            await client.create(NODES, node.json())
        await logged(scheduler, "Add event for node", times=len(scene.nodes))
        for index, pod in enumerate(scene.pods):
            await client.create(PODS, pod.json(), "default")
            await logged(scheduler, "Successfully bound pod to node", times=index + 1)
        text = await asyncio.to_thread(scheduler.log.read_text)
    return [said_about(pod.metadata.name, text) for pod in scene.pods]


def said_about(name: str, text: str) -> tuple[Looked, str]:
    """Return what a log says about one pod."""
    bound = re.search(
        rf'bound pod to node" pod="default/{name}" node="(\w+)" evaluatedNodes=(\d+)', text
    )
    assert bound is not None, name
    scored = re.findall(rf'scored node for pod" pod="default/{name}" .*node="(\w+)"', text)
    return Looked(int(bound.group(2)), list(dict.fromkeys(scored))), bound.group(1)


async def logged(scheduler: RealScheduler, words: str, *, times: int) -> None:
    """Return when the log has some words so many times."""
    clock = RealClock()
    started = clock.now()
    while (await asyncio.to_thread(scheduler.log.read_text)).count(words) < times:
        assert clock.now() - started < PATIENCE_SECONDS, words
        await clock.sleep(0.05)


async def clear(client: ApiClient, scene: Scene) -> None:
    """Remove what was made."""
    for pod in scene.pods:
        await client.delete(PODS, pod.metadata.name, "default", grace_period_seconds=0)
    for node in scene.nodes:
        await client.delete(NODES, node.metadata.name)
