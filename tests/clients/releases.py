"""What kubectl prints against the API servers of releases before 1.37, where it differs.

The sessions are those of 1.37; ``golden/releases`` has, by session and step, what a real
kube-apiserver 1.36.3 or 1.35.4 made it print otherwise. To write it anew::

    python -m tests.clients.releases 1.36 KUBECONFIG
"""

from __future__ import annotations

import secrets
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.conformance.kubectl.running import Kubectl, Result
from tests.conformance.kubectl.scenario import GOLDEN, Scenario, expected

_OWN = Path(__file__).with_name("golden")

SESSIONS = ("apply", "create", "describe", "discovery", "get", "networks")
"""Those that are compared: what people do most, and the kinds that came last."""


def session(name: str) -> Scenario:
    """Return a session of either directory."""
    return Scenario(name, GOLDEN if (GOLDEN / f"{name}.yaml").exists() else _OWN)


def expectations(release: str, name: str) -> Iterator[Result]:
    """Yield what each step of a session must leave behind in a release."""
    told: dict[str, dict[int, Any]] = yaml.safe_load(_path(release).read_text())
    differing = told.get(name, {})
    for position, step in enumerate(session(name).steps):
        yield expected(differing.get(position, step))


def record(release: str, kubeconfig: Path) -> None:
    """Run all sessions and write down what differs from 1.37."""
    told: dict[str, dict[int, Any]] = {}
    for name in SESSIONS:
        for position, step, result in _played(session(name), kubeconfig):
            if result != expected(step):
                found = {"run": step["run"], **result._asdict()}
                told.setdefault(name, {})[position] = found
    _path(release).parent.mkdir(exist_ok=True)
    _path(release).write_text(yaml.safe_dump(told, sort_keys=False, width=1000))


def _played(scenario: Scenario, kubeconfig: Path) -> Iterator[tuple[int, dict[str, Any], Result]]:
    word = secrets.token_hex(4)
    with tempfile.TemporaryDirectory() as directory:
        kubectl = Kubectl(kubeconfig, Path(directory), f"golden-{word}")
        kubectl("create", "namespace", kubectl.namespace)
        scenario.write_files(kubectl, word)
        for position, step in enumerate(scenario.steps):
            yield position, step, scenario.run(step, kubectl, word)
        kubectl("delete", "namespace", kubectl.namespace, "--wait=false")


def _path(release: str) -> Path:
    return _OWN / "releases" / f"{release}.yaml"


if __name__ == "__main__":
    record(sys.argv[1], Path(sys.argv[2]).absolute())
