"""Write the table of feature gates of every release, as its kube-scheduler tells them.

All components of a release know the same gates. Names, stages and defaults come from the
metric ``kubernetes_feature_enabled``; which gates are locked, and which need others, from
what the program answers to flags. ``tests/real/peer/build`` builds the programs.

    scripts/generate_gates.py 1.35=PATH/kube-scheduler 1.36=… 1.37=…
"""

from __future__ import annotations

import json
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[1] / "src/kubegang/app/profiles/gates.json"

KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: x, context: {cluster: c}}]
current-context: x
"""

_ENABLED = re.compile(
    r'^kubernetes_feature_enabled\{name="(\w+)",stage="(\w*)"\} (\d)$', re.MULTILINE
)
_LOCKED = re.compile(r"cannot set feature gate (\w+) to \w+, feature is locked")
_NEEDS = re.compile(r"(\w+) is enabled, but depends on features that are disabled: \[([^\]]*)\]")

Gates = dict[str, dict[str, Any]]


def main(arguments: list[str]) -> None:
    """Ask every program that was given, and write the table."""
    with tempfile.TemporaryDirectory() as directory:
        kubeconfig = Path(directory) / "kubeconfig"
        kubeconfig.write_text(KUBECONFIG)
        tables = {}
        for argument in arguments:
            release, _, program = argument.partition("=")
            command = [program, f"--kubeconfig={kubeconfig}", f"--cert-dir={directory}"]
            tables[release] = gates_of(command)
    lines = [f"{json.dumps(release)}: {_rows(gates)}" for release, gates in tables.items()]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def gates_of(command: list[str]) -> Gates:
    """Return the gates of one program."""
    gates: Gates = {
        name: {"stage": stage, "default": value == "1"}
        for name, stage, value in _ENABLED.findall(_metrics(command))
    }
    opposite = [f"{name}={str(not gate['default']).lower()}" for name, gate in gates.items()]
    for name in _LOCKED.findall(_refusal(command, opposite)):
        gates[name]["locked"] = True
    free = [name for name, gate in gates.items() if "locked" not in gate]
    for name in free:
        alone = [f"{other}={str(other == name).lower()}" for other in free]
        found = dict(_NEEDS.findall(_refusal(command, alone)))
        if found.get(name):
            gates[name]["needs"] = sorted(found[name].split())
    return gates


def _rows(gates: Gates) -> str:
    rows = [f"  {json.dumps(name)}: {json.dumps(gate)}" for name, gate in sorted(gates.items())]
    return "{\n" + ",\n".join(rows) + "\n}"


def _metrics(command: list[str]) -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serving = [f"--secure-port={port}", "--bind-address=127.0.0.1", "--leader-elect=false"]
    open_paths = "--authorization-always-allow-paths=/metrics"
    with subprocess.Popen([*command, *serving, open_paths], stderr=subprocess.DEVNULL) as process:
        try:
            return _fetched(f"https://127.0.0.1:{port}/metrics")
        finally:
            process.kill()


def _fetched(url: str) -> str:
    context = ssl._create_unverified_context()
    for _ in range(200):
        try:
            with urllib.request.urlopen(url, context=context) as answer:
                return str(answer.read().decode())
        except urllib.error.URLError:
            time.sleep(0.1)  # noqa: TID251 - a real process
    raise SystemExit(f"{url} does not answer")


def _refusal(command: list[str], flags: list[str]) -> str:
    """Return what the program says to gates with which it does not start."""
    gates = f"--feature-gates={','.join(flags)}"
    # Should it start after all, it ends at once: there is nothing to reach.
    process = subprocess.run(
        [*command, gates, "--secure-port=0", "--leader-elect=false", "--config=/nonexistent"],
        capture_output=True,
        text=True,
        check=False,
    )
    return process.stderr


if __name__ == "__main__":
    main(sys.argv[1:])
