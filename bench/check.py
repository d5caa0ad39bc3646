"""Time of check on many manifests, in every Kubernetes version.

    python bench/check.py [--manifests N] [--profile]

Prints process time, so that other work on the machine does not matter much.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import tempfile
import time
from pathlib import Path

from kubegang.app.checking import CheckOptions, check
from kubegang.tools.checking.report import CheckReport

_JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train-{index}
spec:
  parallelism: 4
  completions: 4
  completionMode: Indexed
  template:
    metadata:
      labels: {{app: train-{index}}}
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: registry.example/train:1
        resources:
          limits: {{cpu: "4", memory: 8Gi}}
"""
_OTHER = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-{index}
spec:
  replicas: 2
  selector:
    matchLabels: {{app: web-{index}}}
  template:
    metadata:
      labels: {{app: web-{index}}}
    spec:
      containers:
      - name: main
        image: registry.example/web:1
        ports:
        - containerPort: 8080
"""
_PLAIN = """\
apiVersion: v1
kind: Service
metadata:
  name: web-{index}
spec:
  selector: {{app: web-{index}}}
  ports:
  - port: 80
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: web-{index}
data:
  key: value
"""


def write_manifests(directory: Path, number: int) -> None:
    """Write so many objects: Jobs, Deployments, Services and ConfigMaps, four to a file."""
    for index in range(number // 4):
        documents = (_JOB, _OTHER, _PLAIN)
        text = "---\n".join(one.format(index=index) for one in documents)
        (directory / f"{index:05}.yaml").write_text(text, encoding="utf-8")


def run(directory: Path) -> CheckReport:
    """Check a directory."""
    options = CheckOptions(files=(str(directory),))
    return check(options, read_standard_input=str)


def main() -> None:
    """Measure, and print one line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--manifests", type=int, default=1000)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        write_manifests(directory, arguments.manifests)
        profiler = cProfile.Profile(time.process_time)
        if arguments.profile:
            profiler.enable()
        started = time.process_time()
        report = run(directory)
        spent = time.process_time() - started
        profiler.disable()
    versions = ", ".join(report.versions)
    print(f"check: {report.objects} objects, {versions}: {spent:.2f} s")
    if arguments.profile:
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(45)


if __name__ == "__main__":
    main()
