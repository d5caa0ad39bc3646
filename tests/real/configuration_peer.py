"""What the real kube-schedulers make of configuration files: refusals, or ``/configz``.

As a program it writes the recordings that the unit tests are held against:

    python -m tests.real.configuration_peer
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

import yaml

from tests.real.peer_plane import free_port, peer_program

DATA = Path(__file__).parents[1] / "unit/api/data"
CASES: Mapping[str, str] = yaml.safe_load((DATA / "scheduler_configurations.yaml").read_text())
RECORDED = DATA / "scheduler_configurations_said.json"

KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: x, context: {cluster: c}}]
current-context: x
"""

# The gang gates of each release: the plugins that they bring are part of the defaults.
GATES = {
    "1.35": "GenericWorkload=true,GangScheduling=true",
    "1.36": "GenericWorkload=true,GangScheduling=true,TopologyAwareWorkloadScheduling=true",
    "1.37": "GenericWorkload=true,TopologyAwareWorkloadScheduling=true",
}

_FAILED = re.compile(r'"command failed" err=(".*"|<\n.*?\n >)$', re.MULTILINE | re.DOTALL)


def said(version: str, text: str) -> dict[str, Any]:
    """Return what a release's scheduler says to a configuration."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        kubeconfig = directory / "kubeconfig"
        kubeconfig.write_text(KUBECONFIG)
        config = directory / "scheduler.yaml"
        config.write_text(text.replace("KUBECONFIG", str(kubeconfig)))
        answer = _run(version, config, directory)
    told: dict[str, Any] = json.loads(json.dumps(answer).replace(str(kubeconfig), "KUBECONFIG"))
    return told


def _run(version: str, config: Path, directory: Path) -> dict[str, Any]:
    port = free_port()
    command = [
        str(peer_program("kube-scheduler", version.removeprefix("1."))),
        f"--config={config}",
        f"--secure-port={port}",
        "--bind-address=127.0.0.1",
        f"--cert-dir={directory}",
        "--authorization-always-allow-paths=/configz",
        f"--feature-gates={GATES[version]}",
    ]
    log = directory / "log"
    with log.open("wb") as output, subprocess.Popen(command, stderr=output, stdout=output) as peer:
        try:
            for _ in range(300):
                if peer.poll() is not None:
                    return {"refused": _refusal(log.read_text())}
                found = _configz(port)
                if found is not None:
                    return {"completed": found}
                time.sleep(0.05)  # noqa: TID251 - real processes
        finally:
            peer.kill()
    raise TimeoutError(f"kube-scheduler {version} says nothing to {config.read_text()}")


def _configz(port: int) -> Any:
    context = ssl._create_unverified_context()
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=5)
    # Closed whatever happens: an answer that is cut off leaves the socket open.
    with contextlib.closing(connection):
        try:
            connection.request("GET", "/configz")
            answer = connection.getresponse()
            return json.load(answer)["componentconfig"] if answer.status == HTTPStatus.OK else None
        except (http.client.HTTPException, OSError):
            return None


def _refusal(log: str) -> str:
    found = _FAILED.search(log)
    if found is None:
        return log
    text = found[1]
    if text.startswith("<"):
        lines = text.split("\n")[1:-1]
        return "\n".join(line.removeprefix("\t") for line in lines)
    return str(json.loads(text))


def record() -> Iterator[str]:
    """Write what all releases say to all files; yield a line per release."""
    recorded = {
        version: {name: said(version, text) for name, text in CASES.items()} for version in GATES
    }
    RECORDED.write_text(_written(recorded))
    for version, answers in recorded.items():
        refused = sum("refused" in answer for answer in answers.values())
        yield f"{version}: {refused} of {len(answers)} files refused"


def _written(recorded: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the recordings as JSON with a line per file."""
    releases = []
    for version, answers in recorded.items():
        lines = [
            f"  {json.dumps(name)}: {json.dumps(answer, separators=(',', ':'), sort_keys=True)}"
            for name, answer in answers.items()
        ]
        releases.append(f' "{version}": {{\n' + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(releases) + "\n}\n"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in record())
