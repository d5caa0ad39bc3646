"""kubectl on a whole embedded cluster: what only happens where pods are scheduled and run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conformance.kubectl.running import Kubectl, Result, following, normalised

SECONDS = "--timeout=40s"


@pytest.fixture
def node(cluster_kubectl: Kubectl, word: str) -> Iterator[str]:
    """A simulated node with four cores that only this test's pods select."""
    name = f"node-{word}"
    amounts = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    create(
        cluster_kubectl,
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {"test": word}},
            "status": {"capacity": amounts, "allocatable": amounts},
        },
    )
    assert wait(cluster_kubectl, "condition=Ready", f"node/{name}").code == 0
    yield name
    cluster_kubectl("delete", "node", name)


def create(kubectl: Kubectl, obj: dict[str, Any]) -> None:
    done = kubectl("create", "-f", "-", stdin=json.dumps(obj))
    assert done.code == 0, done.stderr


def wait(kubectl: Kubectl, condition: str, *what: str) -> Result:
    return kubectl("wait", f"--for={condition}", *what, SECONDS)


def job(word: str, *, size: int, cpu: str = "1", run: str = "") -> dict[str, Any]:
    """Return a Job whose pods start together or not at all."""
    annotations = {"kubegang.dev/run-duration": run} if run else {}
    container = {
        "name": "c",
        "image": "registry.example/app:1",
        "resources": {"requests": {"cpu": cpu}},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "j"},
        "spec": {
            "completions": size,
            "parallelism": size,
            "completionMode": "Indexed",
            "scheduling": {"schedulingPolicy": {"gang": {}}},
            "template": {
                "metadata": {"annotations": annotations},
                "spec": {
                    "restartPolicy": "Never",
                    "nodeSelector": {"test": word},
                    "containers": [container],
                },
            },
        },
    }


def test_a_gang_that_fits_is_waited_for_and_described(
    cluster_kubectl: Kubectl, node: str, word: str
) -> None:
    create(cluster_kubectl, job(word, size=3))

    assert wait(cluster_kubectl, "create", "podgroup", "--all").code == 0
    scheduled = wait(cluster_kubectl, "condition=PodGroupInitiallyScheduled", "podgroup", "--all")
    ready = wait(cluster_kubectl, "condition=Ready", "pod", "--all")
    description = cluster_kubectl("describe", "pods").stdout

    assert (scheduled.code, ready.code) == (0, 0)
    assert len(ready.stdout.splitlines()) == 3
    assert description.count(f"{node}/") == 3
    assert "SchedulingGroup:" in description


def test_a_gang_that_does_not_fit_says_so(cluster_kubectl: Kubectl, node: str, word: str) -> None:
    create(cluster_kubectl, job(word, size=5))

    assert wait(cluster_kubectl, "create", "podgroup", "--all").code == 0
    refused = wait(
        cluster_kubectl, "condition=PodGroupInitiallyScheduled=false", "podgroup", "--all"
    )
    table = cluster_kubectl("get", "podgroups", "--no-headers").stdout
    selector = "--field-selector=reason=FailedScheduling"
    assert wait(cluster_kubectl, "create", "event", selector).code == 0
    events = cluster_kubectl("get", "events", selector).stdout

    assert refused.code == 0
    assert normalised(table).split()[1:4] == ["Gang", "j-" + table.split("-")[1], "Unschedulable"]
    assert "minCount (5) cannot be satisfied" in events
    assert cluster_kubectl("get", "pods", f"--field-selector=spec.nodeName={node}").stdout == ""


@pytest.mark.usefixtures("node")
def test_a_job_is_followed_until_it_completes(cluster_kubectl: Kubectl, word: str) -> None:
    create(cluster_kubectl, job(word, size=2, run="1s"))

    with following(cluster_kubectl, "get", "job", "j", "--watch", "--no-headers") as watch:
        rows: list[str] = []
        while not rows or "Complete" not in rows[-1]:
            rows += watch.lines(1)

    assert rows[0].split()[:3] == ["j", "Running", "0/2"]
    assert rows[-1].split()[:3] == ["j", "Complete", "2/2"]


def test_a_drain_evicts_the_pods_of_jobs(cluster_kubectl: Kubectl, node: str, word: str) -> None:
    create(cluster_kubectl, job(word, size=2))
    assert wait(cluster_kubectl, "create", "pod", "--selector=job-name=j").code == 0
    wait(cluster_kubectl, "condition=Ready", "pod", "--all")

    result = cluster_kubectl("drain", node, SECONDS)

    assert result.code == 0, result.stderr
    assert result.stdout.splitlines()[-1] == f"node/{node} drained"
    assert cluster_kubectl("get", "pods", f"--field-selector=spec.nodeName={node}").stdout == ""


@pytest.mark.usefixtures("node")
def test_deleting_a_job_deletes_its_pods_and_group(cluster_kubectl: Kubectl, word: str) -> None:
    create(cluster_kubectl, job(word, size=2))
    assert wait(cluster_kubectl, "create", "pod", "--selector=job-name=j").code == 0

    cluster_kubectl("delete", "job", "j")

    assert wait(cluster_kubectl, "delete", "pod", "--selector=job-name=j").code == 0
    assert wait(cluster_kubectl, "delete", "podgroup", "--all").code == 0
    assert cluster_kubectl("get", "pods,podgroups,workloads").stdout == ""


@pytest.mark.usefixtures("node")
def test_running_pods_have_no_logs_and_take_no_commands(
    cluster_kubectl: Kubectl, word: str
) -> None:
    create(cluster_kubectl, job(word, size=1))
    assert wait(cluster_kubectl, "create", "pod", "--selector=job-name=j").code == 0
    wait(cluster_kubectl, "condition=Ready", "pod", "--all")
    pod = cluster_kubectl("get", "pods", "-o", "name").stdout.strip()

    logs = cluster_kubectl("logs", "job/j")
    command = cluster_kubectl("exec", pod, "--", "ls")

    assert (logs.code, command.code) == (1, 1)
    assert "simulated node" in logs.stderr
    assert command.stderr.startswith("error: unable to upgrade connection: exec is not possible")
