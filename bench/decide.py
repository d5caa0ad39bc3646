"""CPU time of one decision about a pod group, by kind of group; no API, no I/O.

    python bench/decide.py [--only NAME …] [--profile]

Figures are process time, so that other work on the machine does not matter much.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import statistics
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from kubegang.scheduler.cycle.decision import BindPod, Decision
from kubegang.testing.builders import (
    NodeBuilder,
    PodBuilder,
    make_node,
    make_pod,
    make_podgroup,
)
from kubegang.testing.deciding import DecidingCore, bindings

RACK = "topology.kubernetes.io/rack"
SHAPES = [(100 + 50 * i, 128 + 64 * i) for i in range(20)]
"""Milli-CPU and MiB."""


class Case(NamedTuple):
    """One kind of group.

    Attributes:
        prepare: returns the core and the names of the groups to be decided about in turn.
        binds: how many pods each decision must bind.
    """

    prepare: Callable[[], tuple[DecidingCore, list[str]]]
    binds: int


def nodes(count: int, *, racks: int) -> Iterator[NodeBuilder]:
    """Return nodes of 16 cores and 64 GiB."""
    for index in range(count):
        node = make_node(f"node-{index:05}").capacity(cpu="16", memory="64Gi", pods="110")
        node = node.label(RACK, f"rack-{index % racks:03}")
        yield node.label("topology.kubernetes.io/zone", f"zone-{index % 3}")


def shaped(name: str, shape: int) -> PodBuilder:
    """Return a pod of one of twenty shapes."""
    cpu, memory = SHAPES[shape % len(SHAPES)]
    return make_pod(name).req(cpu=f"{cpu}m", memory=f"{memory}Mi").label("app", f"a{shape % 20}")


def gangs(
    *,
    count: int,
    size: int,
    racks: int = 50,
    topology: bool = False,
    basic: bool = False,
    shapes: int = 1,
    cpu: str = "",
    node_count: int = 5000,
) -> tuple[DecidingCore, list[str]]:
    """Return a cluster and groups that wait for it.

    Args:
        count: of groups.
        size: members of each, all of them needed.
        racks: domains.
        topology: whether the groups must stay in one rack.
        basic: whether any member is enough.
        shapes: how many distinct requests a group has, one after the other.
        cpu: what each member asks for, in place of its shape.
        node_count: of the cluster.
    """
    core = DecidingCore(nodes(node_count, racks=racks))
    names = [f"g{i}" for i in range(count)]
    for index, name in enumerate(names):
        group = make_podgroup(name)
        if not basic:
            group = group.gang(min_count=size)
        core.add(group.topology(RACK) if topology else group)
        for member in range(size):
            pod = shaped(f"{name}-{member}", index + member * shapes // size).group(name)
            core.add(pod.req(cpu=cpu, memory="1Gi") if cpu else pod)
    return core, names


def preempting() -> tuple[DecidingCore, list[str]]:
    """Return a full cluster of 1,000 nodes with 10,000 pods in groups, and stronger gangs."""
    core = DecidingCore(nodes(1000, racks=50))
    for index in range(1000):
        core.add(make_podgroup(f"low{index}").gang(min_count=10))
    for index in range(10000):
        pod = make_pod(f"low-{index}").req(cpu="1600m", memory="1Gi").group(f"low{index // 10}")
        core.add(pod.on(f"node-{index % 1000:05}"))
    names = [f"high{i}" for i in range(3)]
    for name in names:
        core.add(make_podgroup(name).gang(min_count=64).priority(100))
        pod = make_pod(name).req(cpu="8", memory="1Gi").group(name).priority(100)
        core.add(pod.times(64))
    return core, names


CASES = {
    "gang of 4": Case(lambda: gangs(count=40, size=4), 4),
    "gang of 4, 50 racks": Case(lambda: gangs(count=12, size=4, topology=True), 4),
    "gang of 4, 167 racks": Case(lambda: gangs(count=5, size=4, topology=True, racks=167), 4),
    "gang of 64, 50 racks": Case(lambda: gangs(count=3, size=64, topology=True), 64),
    "gang of 1,000": Case(lambda: gangs(count=3, size=1000), 1000),
    "basic group of 1,000": Case(lambda: gangs(count=3, size=1000, basic=True), 1000),
    "gang of 64 in 8 shapes": Case(lambda: gangs(count=5, size=64, shapes=8), 64),
    "gang of 4 in 4 shapes, 50 racks": Case(
        lambda: gangs(count=5, size=4, shapes=4, topology=True), 4
    ),
    "gang of 64 that does not fit": Case(lambda: gangs(count=3, size=64, cpu="17"), 0),
    "gang of 300 that does not fit a rack": Case(
        lambda: gangs(count=3, size=300, cpu="9", topology=True), 0
    ),
    "gang of 64 that preempts": Case(preempting, 0),
}


def measure(case: Case) -> list[float]:
    """Return the milliseconds of CPU of each decision; each is carried out before the next."""
    core, names = case.prepare()
    taken: list[float] = []
    for name in names:
        started = time.process_time()
        decision = core.decide_group(name)
        taken.append((time.process_time() - started) * 1000)
        _check(decision, case, name)
        core.carry_out(decision)
    return taken


def _check(decision: Decision, case: Case, name: str) -> None:
    bound = sum(isinstance(i, BindPod) for i in decision.instructions)
    if bound != case.binds or len(bindings(decision)) != case.binds:
        raise SystemExit(f"{name}: {bound} pods bound, expected {case.binds}")


def profile(case: Case) -> None:
    """Print where the time of the last decision goes."""
    core, names = case.prepare()
    for name in names[:-1]:
        core.carry_out(core.decide_group(name))
    profiler = cProfile.Profile()
    profiler.runcall(core.decide_group, names[-1])
    pstats.Stats(profiler).sort_stats("cumulative").print_stats(40)


def main() -> None:
    """Measure all cases, or some."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=list(CASES))
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    for name in arguments.only:
        if arguments.profile:
            profile(CASES[name])
            continue
        taken = measure(CASES[name])
        print(
            f"{name:40} first {taken[0]:9.2f}, then least {min(taken[1:]):9.2f},"
            f" median {statistics.median(taken[1:]):9.2f} ms CPU",
            flush=True,
        )


if __name__ == "__main__":
    main()
