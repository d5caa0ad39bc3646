"""Speed and memory of the control plane beside the real one, on this machine, in one run.

Each plane gets 5,000 nodes and 10,000 pending pods through its API while no scheduler runs;
then a scheduler is started and binds them. Prints figures and their ratios.

    python bench/control_plane.py [--nodes N] [--pods N] [--only kubegang|kubernetes]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
PEER = HERE.parent / "tests" / "real" / "peer"
PEER_BIN = Path(os.environ.get("PEER_BIN", Path.home() / ".cache" / "kubegang-peer"))
SERVER_GATES = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true"
PEER_PORT = int(os.environ.get("PEER_PORT", "23400"))
READY_SECONDS = 120


@dataclass
class Figures:
    """What was measured of one plane."""

    ready_seconds: float = 0.0
    created_per_second: float = 0.0
    bound_per_second: float = 0.0
    peak_mib: dict[str, float] = field(default_factory=dict)


@dataclass
class Plane:
    """A running API server, and how to start a scheduler for it."""

    kubeconfig: str
    scheduler_command: str
    servers: dict[str, int]
    ready_seconds: float


class PeakMemory:
    """Watches the peak resident size of processes until they end."""

    def __init__(self, process_ids: dict[str, int]) -> None:
        self._ids = dict(process_ids)
        self.mib: dict[str, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def add(self, name: str, pid_file: Path) -> None:
        """Watch also the process whose id a file will hold."""
        threading.Thread(target=self._wait_for, args=(name, pid_file), daemon=True).start()

    def stop(self) -> dict[str, float]:
        """Return the peaks in MiB, by process."""
        self._stop.set()
        self._thread.join()
        return self.mib

    def _wait_for(self, name: str, pid_file: Path) -> None:
        while not self._stop.wait(0.05):
            with contextlib.suppress(OSError, ValueError):
                self._ids[name] = int(pid_file.read_text())
                return

    def _watch(self) -> None:
        while not self._stop.wait(0.25):
            for name, pid in list(self._ids.items()):
                with contextlib.suppress(OSError):
                    self.mib[name] = max(self.mib.get(name, 0.0), _peak_mib(pid))


def _peak_mib(pid: int) -> float:
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmHWM:\s+(\d+) kB", text)
    return int(found.group(1)) / 1024 if found else 0.0


@contextlib.contextmanager
def kubegang_plane(directory: Path) -> Iterator[Plane]:
    """Run ``kubegang up --components apiserver`` with its state on disk."""
    program = [sys.executable, "-m", "kubegang.cli.main"]
    kubeconfig = directory / "kubeconfig"
    started = time.monotonic()
    process = subprocess.Popen(
        [
            *program,
            "up",
            "--components=apiserver",
            f"--data-dir={directory / 'data'}",
            "--listen=127.0.0.1:0",
            f"--kubeconfig={kubeconfig}",
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        if process.stdout is None:
            raise RuntimeError("no output")
        for line in process.stdout:
            if line.startswith("ready"):
                break
        ready = time.monotonic() - started
        child = subprocess.run(
            ["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True
        )
        command = shlex.join(
            [
                *program,
                "scheduler",
                f"--kubeconfig={kubeconfig}",
                "--scheduler-name=default-scheduler",
                "--no-leader-elect",
            ]
        )
        servers = {"API server": int(child.stdout.split()[0])}
        yield Plane(str(kubeconfig), command, servers, ready)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


@contextlib.contextmanager
def kubernetes_plane(directory: Path) -> Iterator[Plane]:
    """Run the real etcd and kube-apiserver 1.37.2."""
    environment = {**os.environ, "NO_SCHED": "1", "NO_KCM": "1", "AUTHZ": "AlwaysAllow"}
    started = time.monotonic()
    subprocess.run(
        [str(PEER / "up"), "37", str(directory), str(PEER_PORT)],
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    # The script waits 1.5 s after everything answers.
    ready = time.monotonic() - started - 1.5
    try:
        etcd, apiserver = map(int, (directory / "pids").read_text().split()[:2])
        config = directory / "scheduler.yaml"
        config.write_text(
            "apiVersion: kubescheduler.config.k8s.io/v1\n"
            "kind: KubeSchedulerConfiguration\n"
            f"clientConnection: {{kubeconfig: {directory / 'kubeconfig'}, "
            "qps: 5000, burst: 10000}\n"
            "leaderElection: {leaderElect: false}\n"
        )
        command = shlex.join(
            [
                str(PEER_BIN / "k137" / "bin" / "kube-scheduler"),
                f"--config={config}",
                "--secure-port=0",
                f"--feature-gates={SERVER_GATES}",
            ]
        )
        servers = {"API server": apiserver, "etcd": etcd}
        yield Plane(str(directory / "kubeconfig"), command, servers, ready)
    finally:
        subprocess.run([str(PEER / "down"), str(directory)], check=True)


def measure(plane: Plane, directory: Path, *, nodes: int, pods: int) -> Figures:
    """Fill a plane, drain it, and return what was measured."""
    memory = PeakMemory(plane.servers)
    load = [sys.executable, str(HERE / "load.py"), "--kubeconfig", plane.kubeconfig]
    filled = _run([*load, "fill", "--nodes", str(nodes), "--racks", "50", "--plain", str(pods)])
    pid_file = directory / "scheduler.pid"
    memory.add("scheduler", pid_file)
    start = f"echo $$ > {pid_file}; exec {plane.scheduler_command} 2> {directory}/scheduler.log"
    drained = _run([*load, "drain", "--expect", str(pods), "--start-cmd", start])
    return Figures(
        ready_seconds=plane.ready_seconds,
        created_per_second=_number(r"= (\d+)/s created", filled),
        bound_per_second=_number(r"= (\d+) pods/s", drained),
        peak_mib=memory.stop(),
    )


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


def report(results: dict[str, Figures]) -> None:
    """Print the figures side by side, with ratios where both planes ran."""
    rows: list[tuple[str, dict[str, float]]] = [
        ("ready after, s", {name: f.ready_seconds for name, f in results.items()}),
        ("pods created/s", {name: f.created_per_second for name, f in results.items()}),
        ("pods bound/s", {name: f.bound_per_second for name, f in results.items()}),
    ]
    for process in ("API server", "etcd", "scheduler"):
        peaks = {name: f.peak_mib.get(process, 0.0) for name, f in results.items()}
        rows.append((f"peak memory of {process}, MiB", peaks))
    table = Table(*("", *results, "ratio"))
    for title, values in rows:
        cells = [f"{value:.1f}" if value else "-" for value in values.values()]
        both = list(values.values())
        ratio = f"{both[0] / both[1]:.2f}" if len(both) == 2 and all(both) else ""
        table.add_row(title, *cells, ratio)
    Console().print(table)


def main() -> None:
    """Measure the planes asked for, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=10_000)
    parser.add_argument("--only", choices=["kubegang", "kubernetes"])
    arguments = parser.parse_args()
    results: dict[str, Figures] = {}
    for name, start in (("kubegang", kubegang_plane), ("kubernetes", kubernetes_plane)):
        if arguments.only not in (None, name):
            continue
        print(f"== {name}", flush=True)
        with tempfile.TemporaryDirectory() as text, start(Path(text)) as plane:
            results[name] = measure(plane, Path(text), nodes=arguments.nodes, pods=arguments.pods)
    report(results)


if __name__ == "__main__":
    main()
