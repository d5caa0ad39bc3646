"""helm 4: a chart with a kind, an object of it, a Job and a hook, from install to uninstall."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.kubectl.running import Kubectl
from tests.real.helm_program import helm

CHART = Path(__file__).with_name("chart")
PATIENCE = "--timeout=90s"

pytestmark = [pytest.mark.clients, pytest.mark.timeout(300)]


class Helm:
    """helm as the administrator of a cluster, in one namespace."""

    def __init__(self, kubeconfig: Path, directory: Path, namespace: str) -> None:
        self._namespace = namespace
        self._environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "HOME": str(directory)}

    def __call__(self, *arguments: str) -> str:
        """Run a command that must succeed; return what it prints."""
        done = self.run(*arguments)
        assert done.returncode == 0, f"helm {' '.join(arguments)}:\n{done.stderr}"
        return done.stdout

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command."""
        return subprocess.run(
            [str(helm()), f"--namespace={self._namespace}", *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def history(self) -> list[tuple[int, str]]:
        """Return the revisions and how each fares."""
        revisions = json.loads(self("history", "run", "-o", "json"))
        return [(one["revision"], one["status"]) for one in revisions]


def values(kubectl: Kubectl) -> tuple[Any, Any]:
    """Return what the release's values have become in the cluster."""
    course = json.loads(kubectl("get", "course", "run", "-o", "json").stdout)
    settings = json.loads(kubectl("get", "configmap", "run-settings", "-o", "json").stdout)
    return course["spec"], settings["data"]


@pytest.mark.parametrize("release", ["1.37", "1.36", "1.35"])
def test_a_chart_is_installed_upgraded_rolled_back_and_uninstalled(
    cluster_of: Callable[[str], Path], tmp_path: Path, word: str, release: str
) -> None:
    kubeconfig, namespace = cluster_of(release), f"helm-{word}"
    run, kubectl = Helm(kubeconfig, tmp_path, namespace), Kubectl(kubeconfig, tmp_path, namespace)
    chart = str(CHART)

    run("install", "run", chart, "--create-namespace", "--wait", "--wait-for-jobs", PATIENCE)
    assert values(kubectl) == ({"epochs": 3, "optimizer": "adam"}, {"message": "hello"})
    # The hook's Job is gone: it succeeded before anything else was made.
    jobs = json.loads(kubectl("get", "jobs", "-o", "json").stdout)["items"]
    succeeded = [(job["metadata"]["name"], job["status"]["succeeded"]) for job in jobs]
    assert succeeded == [("run", 2)]

    run("upgrade", "run", chart, "--set=epochs=5,message=again", PATIENCE)
    assert values(kubectl) == ({"epochs": 5, "optimizer": "adam"}, {"message": "again"})

    refused = run.run("upgrade", "run", chart, "--set=epochs=0", PATIENCE)
    assert refused.returncode == 1
    assert "spec.epochs in body should be greater than or equal to 1" in refused.stderr

    run("rollback", "run", "1", PATIENCE)
    assert values(kubectl) == ({"epochs": 3, "optimizer": "adam"}, {"message": "hello"})
    assert run.history() == [
        (1, "superseded"),
        (2, "superseded"),
        (3, "failed"),
        (4, "deployed"),
    ]
    assert "No resources found" not in run("get", "manifest", "run")

    run("uninstall", "run", "--wait", PATIENCE)
    left = kubectl("get", "jobs,configmaps,courses", "-o", "name").stdout.split()
    assert left == ["configmap/kube-root-ca.crt"]
    assert json.loads(run("list", "-o", "json")) == []


def test_the_chart_that_helm_makes_is_installed_with_all_its_kinds(
    cluster_of: Callable[[str], Path], tmp_path: Path, word: str
) -> None:
    kubeconfig, namespace = cluster_of("1.37"), f"helm-{word}"
    run, kubectl = Helm(kubeconfig, tmp_path, namespace), Kubectl(kubeconfig, tmp_path, namespace)
    chart = str(tmp_path / "made")
    run("create", chart)
    wanted = "ingress.enabled=true,autoscaling.enabled=true"

    run("install", "run", chart, "--create-namespace", "--set", wanted)
    kinds = ("deployment", "service", "serviceaccount", "ingress", "hpa")
    for kind in kinds:
        assert kubectl("get", kind, "run-made", "-o", "name").code == 0, kind
    run("uninstall", "run", "--wait", PATIENCE)
    assert not kubectl("get", ",".join(kinds[3:]), "-o", "name").stdout
