"""Time of explain and what-if on a cluster of 5,000 nodes: reading, filling, answering.

    python bench/explain.py [--nodes N] [--pods N] [--members N] [--only racks] [--profile]

Prints process time, so that other work on the machine does not matter much.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeVar

from kubegang.app.clusterfiles import read_cluster_files
from kubegang.app.clustersource import Source, SourceOptions, chance, source_of_files
from kubegang.app.nodeshapes import node_shape
from kubegang.tools.cluster.edits import with_edits
from kubegang.tools.explaining.explain import explain
from kubegang.tools.explaining.report import ExplainReport, Subject
from kubegang.tools.whatif.playing import Played, play
from kubegang.tools.whatif.suppositions import added_nodes

RACK = "topology.kubernetes.io/rack"
T = TypeVar("T")

_OTHER = {False: "racks", True: "anywhere"}


class Size(NamedTuple):
    """How large the cluster is.

    Attributes:
        members: of the gang that waits; each asks for half of a node, which no node has free.
    """

    nodes: int
    pods: int
    members: int


def objects(size: Size, *, rack: bool) -> Iterator[dict[str, Any]]:
    """Yield nodes that are more than half full, and a gang."""
    for index in range(size.nodes):
        yield _node(index)
    for index in range(size.nodes * size.pods):
        share = 9000 // size.pods
        yield _pod(f"held-{index}", f"{share}m", on=f"node-{index % size.nodes:05}")
    spec: dict[str, Any] = {"schedulingPolicy": {"gang": {"minCount": size.members}}}
    if rack:
        spec["schedulingConstraints"] = {"topology": [{"key": RACK}]}
    yield {
        "apiVersion": "scheduling.k8s.io/v1beta1",
        "kind": "PodGroup",
        "metadata": _metadata("g"),
        "spec": spec,
    }
    for index in range(size.members):
        yield _pod(f"g-{index}", "8", group="g")


def _metadata(name: str) -> dict[str, Any]:
    return {"name": name, "namespace": "default", "uid": name}


def _node(index: int) -> dict[str, Any]:
    name = f"node-{index:05}"
    labels = {"kubernetes.io/hostname": name, RACK: f"rack-{index % 100}"}
    amounts = {"cpu": "16", "memory": "64Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": name, "labels": labels},
        "status": {"allocatable": amounts},
    }


def _pod(name: str, cpu: str, *, on: str = "", group: str = "") -> dict[str, Any]:
    resources = {"requests": {"cpu": cpu, "memory": "1Gi"}}
    spec: dict[str, Any] = {
        "schedulerName": "default-scheduler",
        "containers": [{"name": "main", "image": "registry.example/app:1", "resources": resources}],
    }
    if on:
        spec["nodeName"] = on
    if group:
        spec["schedulingGroup"] = {"podGroupName": group}
    created = {"creationTimestamp": "2026-11-01T00:00:00Z"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": _metadata(name) | created, "spec": spec}


def measured(what: str, work: Callable[[], T], *, times: int = 3) -> T:
    """Do something some times, print the best time, and return the last result."""
    best = float("inf")
    for _ in range(times):
        started = time.process_time()
        result = work()
        best = min(best, time.process_time() - started)
    print(f"{what:<58}{best * 1000:>9.0f} ms", flush=True)
    return result


def read(text: str) -> Source:
    """Return the cluster of a dump."""
    options = SourceOptions()
    return source_of_files(options, read_cluster_files(["-"], read_standard_input=lambda: text))


def explained(source: Source) -> ExplainReport:
    """Explain the gang."""
    return explain(
        source.stage(),
        Subject("PodGroup", "default", "g"),
        version="1.37",
        backoff=source.rules.backoff,
    )


def planned(source: Source, number: int) -> Played:
    """Play the cluster with some more nodes."""
    state = source.state
    shape = node_shape(state, "node-00000", gates=source.rules.version.gates["apiserver"])
    more = with_edits(state, added_nodes(state, shape, number))
    deciders = source.rules.deciders(["default-scheduler"])
    return play(more, deciders, chance=chance, backoff=source.rules.backoff)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=3, help="on each node")
    parser.add_argument("--members", type=int, default=16)
    parser.add_argument("--only", choices=("anywhere", "racks"), help="one of the two gangs")
    parser.add_argument("--profile", action="store_true")
    flags = parser.parse_args()
    size = Size(flags.nodes, flags.pods, flags.members)
    for rack in [rack for rack in (False, True) if flags.only != _OTHER[rack]]:
        where = "in one of 100 racks" if rack else "anywhere"
        print(f"{size.nodes} nodes, {size.nodes * size.pods} pods, gang of {size.members} {where}")
        text = json.dumps(
            {"apiVersion": "v1", "kind": "List", "items": list(objects(size, rack=rack))}
        )
        source = measured(f"read a dump of {len(text) >> 20} MiB of JSON", partial(read, text))
        measured("fill the scheduler's cache", source.stage)
        if flags.profile:
            _profiled(partial(explained, source))
        report = measured("explain, cache included", partial(explained, source))
        print("   ", [f"{c.kind} {c.size}" for c in report.parts[0].changes])
        played = measured("what-if with 8 more nodes, cache included", partial(planned, source, 8))
        print(f"    {len(played.rehearsal.bound)} pods start")


def _profiled(work: Callable[[], object]) -> None:
    profile = cProfile.Profile()
    profile.runcall(work)
    pstats.Stats(profile).sort_stats("cumulative").print_stats(30)


if __name__ == "__main__":
    main()
