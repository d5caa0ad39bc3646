"""Write what kubectl prints against a running server into the scenarios.

The expectations in the repository come from a real kube-apiserver 1.37.2::

    python -m tests.conformance.kubectl.record KUBECONFIG [NAME…]
"""

from __future__ import annotations

import secrets
import sys
import tempfile
from pathlib import Path

from tests.conformance.kubectl.running import Kubectl
from tests.conformance.kubectl.scenario import Scenario, names


def record(kubeconfig: Path, name: str) -> None:
    """Run a scenario and write what happened as what must happen."""
    scenario = Scenario(name)
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
    """Record the scenarios named, or all."""
    kubeconfig, *wanted = sys.argv[1:]
    for name in wanted or names():
        record(Path(kubeconfig).absolute(), name)


if __name__ == "__main__":
    main()
