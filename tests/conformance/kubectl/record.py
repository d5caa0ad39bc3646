"""Write what kubectl prints against a running server into the scenarios.

The expectations in the repository come from a real kube-apiserver 1.37.2::

    python -m tests.conformance.kubectl.record KUBECONFIG [FILE…]
"""

from __future__ import annotations

import secrets
import sys
import tempfile
from pathlib import Path

from tests.conformance.kubectl.running import Kubectl
from tests.conformance.kubectl.scenario import GOLDEN, Scenario


def record(kubeconfig: Path, path: Path) -> None:
    """Run a scenario and write what happened as what must happen."""
    scenario = Scenario(path.stem, path.parent)
    word = secrets.token_hex(4)
    with tempfile.TemporaryDirectory() as directory:
        kubectl = Kubectl(kubeconfig, Path(directory), f"golden-{word}")
        kubectl("create", "namespace", kubectl.namespace)
        scenario.write_files(kubectl, word)
        for step in scenario.steps:
            result = scenario.run(step, kubectl, word)
            step["code"] = result.code
            for key, text in (("stdout", result.stdout), ("stderr", result.stderr)):
                step.pop(key, None)
                if text:
                    step[key] = text
        kubectl("delete", "namespace", kubectl.namespace, "--wait=false")
    scenario.save()


def main() -> None:
    """Record the scenarios named, or all that need an API server alone."""
    kubeconfig, *wanted = sys.argv[1:]
    for path in map(Path, wanted) if wanted else sorted(GOLDEN.glob("*.yaml")):
        record(Path(kubeconfig).absolute(), path)


if __name__ == "__main__":
    main()
