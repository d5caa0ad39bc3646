"""How long ``kubegang replay`` takes: many jobs on many nodes, in one process.

Jobs ask for 1 to 64 GPUs, most of them for few, as in public traces; they come at random, so
many that the cluster is as full as asked. Prints seconds, and attempts of the scheduler.

    python bench/replay.py [--jobs N] [--nodes N] [--load SHARE] [--release 1.37]
"""

from __future__ import annotations

import argparse
import math
import random
import tempfile
import time
from pathlib import Path

from kubegang.app.options import UpOptions
from kubegang.app.replaying import ReplayOptions, replay_trace

GPUS_PER_NODE = 8
SIZES = [1] * 50 + [2] * 15 + [4] * 12 + [8] * 13 + [16] * 6 + [32] * 3 + [64]
LOG_MEAN, LOG_SPREAD = 7.0, 1.2
MEAN_SECONDS = math.exp(LOG_MEAN + LOG_SPREAD**2 / 2)


def trace(jobs: int, *, gpus: int, load: float) -> str:
    """Return a CSV trace, always the same."""
    rng = random.Random(7)
    gap = sum(SIZES) / len(SIZES) * MEAN_SECONDS / (gpus * load)
    at, lines = 0.0, ["job_id,submission_time,duration,num_gpu"]
    for number in range(jobs):
        at += rng.expovariate(1 / gap)
        duration = rng.lognormvariate(LOG_MEAN, LOG_SPREAD)
        lines.append(f"job-{number},{at:.0f},{duration:.0f},{rng.choice(SIZES)}")
    return "\n".join(lines)


def node_file(nodes: int) -> str:
    """Return a node file of one pool."""
    return (
        "apiVersion: kubegang.dev/v1alpha1\nkind: SimulatedCluster\nnodePools:\n"
        f'- {{name: gpu, count: {nodes}, allocatable: {{nvidia.com/gpu: "{GPUS_PER_NODE}"}}}}\n'
    )


def main() -> None:
    """Play one trace and print how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=15_000)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--load", type=float, default=0.8)
    parser.add_argument("--release", default="1.37")
    flags = parser.parse_args()
    text = trace(flags.jobs, gpus=flags.nodes * GPUS_PER_NODE, load=flags.load)
    with tempfile.TemporaryDirectory() as folder:
        nodes = Path(folder) / "nodes.yaml"
        nodes.write_text(node_file(flags.nodes), encoding="utf-8")
        options = ReplayOptions(
            trace="-",
            gpu_resource="nvidia.com/gpu",
            scheduler_name="default-scheduler",
            cluster=UpOptions(kubernetes_version=flags.release, nodes=str(nodes)),
        )
        wall, cpu = time.perf_counter(), time.process_time()
        report = replay_trace(
            options, read_standard_input=lambda: text, progress=lambda _ended, _seconds: None
        )
    print(
        f"{report.ended} of {report.jobs} jobs on {report.nodes} nodes, {flags.release}, load "
        f"{flags.load:g}: {time.perf_counter() - wall:.1f} s, "
        f"{time.process_time() - cpu:.1f} s CPU; utilisation {report.utilisation:.1%}, "
        f"longest queue {report.largest_queue}"
    )


if __name__ == "__main__":
    main()
