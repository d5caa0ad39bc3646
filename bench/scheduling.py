"""How fast pods and pod groups are bound, beside the real control plane, in one run.

Three planes, one after the other, each with 5,000 nodes and the same pods:

    kubernetes  kube-apiserver and kube-scheduler
    embedded    our API server and our scheduler
    beside      kube-apiserver and our scheduler

For each row the pods are created while no scheduler runs; then one is started, and what it
binds is timed. Prints absolute figures, and ratios to the first plane. Other work on the
machine changes the figures, so that only ratios of one run mean anything; CPU per pod, start
of the scheduler included, suffers least.

    python bench/scheduling.py [--only PLANE …] [--rows ROW …] [--nodes N] [--scale SHARE]
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from control_plane import Plane, kubegang_plane, kubernetes_plane
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
RACKS = 50


class Row(NamedTuple):
    """A load.

    Attributes:
        pods: how many, in all.
        size: members of a gang; 0 for ordinary pods.
        topology: whether a gang must stay in one rack.
        over_all: whether the time to the first binding counts: where one decision takes
            longer than all bindings, the pace of bindings says nothing.
    """

    pods: int
    size: int = 0
    topology: bool = False
    over_all: bool = False

    def fill(self, tag: str, scale: float) -> list[str]:
        """Return the arguments of ``load.py fill``."""
        if not self.size:
            return ["--plain", str(int(self.pods * scale)), "--tag", tag]
        gangs = ["--gangs", str(self.count(scale) // self.size), "--size", str(self.size)]
        return [*gangs, "--tag", tag, *(["--topology"] if self.topology else [])]

    def count(self, scale: float) -> int:
        """Return how many pods there are."""
        if not self.size:
            return int(self.pods * scale)
        return max(int(self.pods * scale) // self.size, 1) * self.size


ROWS = {
    "plain": Row(6000),
    "gangs-of-4": Row(3000, size=4),
    "gangs-of-4-in-racks": Row(800, size=4, topology=True),
    "gangs-of-1000": Row(2000, size=1000, over_all=True),
}


class Figures(NamedTuple):
    """What was measured of one row on one plane."""

    pods_per_second: float
    first_after: float
    cpu_milliseconds: float
    peak_mib: float


@contextlib.contextmanager
def beside(directory: Path) -> Iterator[Plane]:
    """Run the real kube-apiserver for our scheduler."""
    with kubernetes_plane(directory) as plane:
        command = [
            sys.executable, "-m", "kubegang.cli.main", "scheduler",
            f"--kubeconfig={plane.kubeconfig}",
            "--scheduler-name=default-scheduler",
            "--no-leader-elect",
        ]  # fmt: skip
        yield dataclasses.replace(plane, scheduler_command=shlex.join(command))


PLANES: dict[str, Callable[[Path], AbstractContextManager[Plane]]] = {
    "kubernetes": kubernetes_plane,
    "embedded": kubegang_plane,
    "beside": beside,
}


def measure(
    plane: Plane, directory: Path, *, rows: list[str], nodes: int, scale: float
) -> dict[str, Figures]:
    """Return the figures of all rows on one plane."""
    load = [sys.executable, str(HERE / "load.py"), "--kubeconfig", plane.kubeconfig]
    _run([*load, "fill", "--nodes", str(nodes), "--racks", str(RACKS)])
    found: dict[str, Figures] = {}
    for name in rows:
        row = ROWS[name]
        print(f"-- {name}", flush=True)
        tag = f"{name}-"
        _run([*load, "fill", *row.fill(tag, scale)])
        prefix = f"g-{tag}" if row.size else f"plain-{tag}"
        log = directory / f"{name}.log"
        start = f"exec {plane.scheduler_command} > {log} 2>&1"
        drain = ["drain", "--expect", str(row.count(scale)), "--prefix", prefix]
        text = _run([*load, *drain, "--start-cmd", start])
        pace = r"over all (\d+) pods/s" if row.over_all else r"s = (\d+) pods/s"
        found[name] = Figures(
            _number(pace, text),
            _number(r"first after ([\d.]+)s", text),
            _number(r"([\d.]+) ms CPU", text),
            _number(r"peak (\d+) MiB", text),
        )
    return found


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)} failed:\n{done.stdout}{done.stderr}")
    print(done.stdout, end="", flush=True)
    return done.stdout


def _number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    if found is None:
        sys.exit(f"no figure like {pattern} in:\n{text}")
    return float(found.group(1))


def report(results: dict[str, dict[str, Figures]]) -> None:
    """Print the figures, and ratios to the plane that comes first."""
    table = Table(
        "load", "plane", "pods/s", "ratio", "first after, s", "CPU ms/pod", "ratio", "peak MiB"
    )
    base = next(iter(results.values()))
    for name in base:
        for plane, figures in results.items():
            found, first = figures[name], base[name]
            table.add_row(
                name,
                plane,
                f"{found.pods_per_second:.0f}",
                f"{found.pods_per_second / first.pods_per_second:.2f}",
                f"{found.first_after:.1f}",
                f"{found.cpu_milliseconds:.2f}",
                f"{found.cpu_milliseconds / first.cpu_milliseconds:.2f}",
                f"{found.peak_mib:.0f}",
            )
    Console().print(table)


def main() -> None:
    """Measure the planes and rows asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", nargs="*", choices=PLANES, default=list(PLANES))
    parser.add_argument("--rows", nargs="*", choices=ROWS, default=list(ROWS))
    arguments = parser.parse_args()
    # Ended from outside, the planes are to be stopped all the same.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    results: dict[str, dict[str, Figures]] = {}
    for name in arguments.only:
        print(f"== {name}", flush=True)
        with tempfile.TemporaryDirectory() as text, PLANES[name](Path(text)) as plane:
            results[name] = measure(
                plane,
                Path(text),
                rows=arguments.rows,
                nodes=arguments.nodes,
                scale=arguments.scale,
            )
    report(results)


if __name__ == "__main__":
    main()
