"""CPU time of one decision about a pod, with and without batching; no API, no I/O.

    python bench/batching.py [--pods N] [--nodes N]

Both kinds take turns on equal clusters in one process, so that other work on the machine
hits both; what counts is the ratio.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubegang.scheduler.cycle.decision import BindPod
from kubegang.testing.builders import NodeBuilder, PodBuilder, make_node, make_pod
from kubegang.testing.deciding import DecidingCore, default_profile

LIST: Mapping[str, Mapping[str, str]] = {"PodTopologySpread": {"defaultingType": "List"}}
OFF = "OpportunisticBatching=false"
TURN = 250
"""Pods that one core decides about before the other has its turn."""


class Row(NamedTuple):
    """A stream of equal pods.

    Attributes:
        version: of the release whose rules hold.
        args: of plugins; without them no pod has a signature.
    """

    pod: PodBuilder
    version: str = "1.37"
    args: Mapping[str, Mapping[str, str]] = LIST


SMALL = make_pod().req(cpu="100m", memory="128Mi")
ROWS = {
    "pods that share nodes": Row(SMALL),
    "pods that fill nodes": Row(make_pod().req(cpu="12", memory="1Gi")),
    "pods that share nodes, 1.36": Row(SMALL, version="1.36"),
    "pods without a signature": Row(SMALL, args={}),
}


def nodes(count: int) -> Iterator[NodeBuilder]:
    """Return nodes of 16 cores and 64 GiB in three zones."""
    for index in range(count):
        node = make_node(f"node-{index:05}").capacity(cpu="16", memory="64Gi", pods="110")
        yield node.label("topology.kubernetes.io/zone", f"zone-{index % 3}")


def core_for(row: Row, *, gates: str, node_count: int) -> DecidingCore:
    """Return an empty cluster."""
    profile = default_profile(version=row.version, feature_gates=gates)
    return DecidingCore(nodes(node_count), profile=profile, args=row.args)


def turn(core: DecidingCore, row: Row, numbers: range) -> tuple[float, int]:
    """Decide about pods one by one; return the seconds of CPU and how many hints were used."""
    seconds, hints = 0.0, 0
    for number in numbers:
        pod = row.pod.named(f"p{number}")
        core.add(pod)
        started = time.process_time()
        decision = core.decide_pod(pod.metadata.name)
        seconds += time.process_time() - started
        if not any(isinstance(i, BindPod) for i in decision.instructions):
            raise SystemExit(f"{pod.metadata.name} was not bound")
        if decision.batching is not None:
            hints += decision.batching.attempts.get("hint_used", 0)
        core.carry_out(decision)
        core.now += 0.0002
    return seconds, hints


def measure(name: str, row: Row, *, pods: int, node_count: int) -> None:
    """Print a row."""
    with_it, without = (core_for(row, gates=gates, node_count=node_count) for gates in ("", OFF))
    batched, full, hints = [], [], 0
    for start in range(0, pods, TURN):
        numbers = range(start, min(start + TURN, pods))
        seconds, used = turn(with_it, row, numbers)
        batched.append(seconds / len(numbers) * 1e6)
        hints += used
        full.append(turn(without, row, numbers)[0] / len(numbers) * 1e6)
    one, two = statistics.median(batched), statistics.median(full)
    print(
        f"{name:30} {one:7.1f} µs, without batching {two:7.1f} µs: {one / two:5.2f};"
        f" {hints / pods:4.0%} of the hints used",
        flush=True,
    )


def main() -> None:
    """Measure all rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pods", type=int, default=10000)
    parser.add_argument("--nodes", type=int, default=5000)
    arguments = parser.parse_args()
    for name, row in ROWS.items():
        pods = min(arguments.pods, arguments.nodes) if "fill" in name else arguments.pods
        measure(name, row, pods=pods, node_count=arguments.nodes)


if __name__ == "__main__":
    main()
