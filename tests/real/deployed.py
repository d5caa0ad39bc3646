"""``kubegang scheduler`` as the manifests in ``deploy`` run it, on a real API server with RBAC."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.system.upprocess import PROGRAM

ROOT = Path(__file__).resolve().parents[2]
KUBECTL = ROOT / ".venv/bin/kubectl"
NAMESPACE = "kubegang-system"
ACCOUNT = "kubegang-scheduler"


class Cluster:
    """A real API server, spoken to with kubectl."""

    def __init__(self, kubeconfig: Path) -> None:
        self.kubeconfig = kubeconfig

    def kubectl(self, *arguments: str, text: str = "") -> str:
        """Run kubectl as the administrator; return what it prints."""
        done = subprocess.run(
            [str(KUBECTL), f"--kubeconfig={self.kubeconfig}", *arguments],
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"kubectl {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def create(self, *objects: dict[str, Any]) -> None:
        """Create objects."""
        self.kubectl("create", "-f", "-", text=yaml.safe_dump_all(objects))

    def items(self, *arguments: str) -> list[dict[str, Any]]:
        """Return listed objects."""
        found: list[dict[str, Any]] = json.loads(self.kubectl("get", "-o", "json", *arguments))[
            "items"
        ]
        return found

    def bound(self) -> set[str]:
        """Return the names of the pods of the default namespace that have a node."""
        return {
            pod["metadata"]["name"] for pod in self.items("pods") if pod["spec"].get("nodeName")
        }

    def account_kubeconfig(self, path: Path) -> Path:
        """Write credentials of the scheduler's service account."""
        token = self.kubectl("create", "token", ACCOUNT, f"--namespace={NAMESPACE}").strip()
        config = yaml.safe_load(self.kubeconfig.read_text())
        config["users"] = [{"name": "u", "user": {"token": token}}]
        path.write_text(yaml.safe_dump(config))
        return path


def node(name: str, cpu: str) -> dict[str, Any]:
    """Return a node that takes pods."""
    room = {"cpu": cpu, "memory": "16Gi", "pods": "110"}
    ready = {"type": "Ready", "status": "True", "reason": "Test", "message": ""}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"capacity": room, "allocatable": room, "conditions": [ready]},
    }


def pod(name: str, cpu: str, *, scheduler: str, **spec: Any) -> dict[str, Any]:
    """Return a pod."""
    requests = {"requests": {"cpu": cpu}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            "schedulerName": scheduler,
            "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "c", "image": "c", "resources": requests}],
            **spec,
        },
    }


def rendered(manifests: str) -> tuple[list[dict[str, Any]], str]:
    """Return a rendered deployment's objects, and the configuration among them."""
    objects = [found for found in yaml.safe_load_all(manifests) if found]
    (configuration,) = (found for found in objects if found["kind"] == "ConfigMap")
    return objects, configuration["data"]["scheduler.yaml"]


def container_arguments(objects: Sequence[dict[str, Any]]) -> list[str]:
    """Return the arguments of the deployment's container."""
    (deployment,) = (found for found in objects if found["kind"] == "Deployment")
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    return list(container["args"])


@contextlib.contextmanager
def scheduler_process(
    arguments: Sequence[str], log: Path, *, ends_with: int = 0
) -> Iterator[subprocess.Popen[bytes]]:
    """Run the scheduler inside the block, and see how it ends."""
    with log.open("wb") as output:
        process = subprocess.Popen([*PROGRAM, *arguments], stdout=output, stderr=output)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        status = process.wait(timeout=20)
    if status != ends_with:
        raise RuntimeError(f"ended with {status}: {log.read_text()}")


def wait_for(condition: Callable[[], bool], what: str, *, seconds: float = 60) -> None:
    """Return once a condition holds.

    Raises:
        TimeoutError: it does not.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.3)  # noqa: TID251 - real processes
    raise TimeoutError(what)
