"""The real kube-scheduler and kube-controller-manager on our API server.

A Job completes, a Deployment is rolled out and its pods go with it, a gang is scheduled, and
another one, too large for the nodes, stays out as a whole until there is a node more.
"""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real.deployed import Cluster, node, pod, wait_for
from tests.real.peer_plane import peer_program
from tests.system.upprocess import up

PATIENCE_SECONDS = 120

CONTROLLERS = (
    "cronjob",
    "daemonset",
    "deployment",
    "disruption",
    "endpointslice",
    "garbage-collector",
    "job",
    "namespace",
    "node-lifecycle",
    "pod-garbage-collector",
    "replicaset",
    "resourceclaim",
    "resourcequota",
    "statefulset",
)
"""Those of kinds that we serve: there are no autoscalers or certificates here, for example."""

GANG_GATES = {
    "37": {
        "kube-scheduler": "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,"
        "DRAWorkloadResourceClaims=true,WorkloadWithJob=true",
        "kube-controller-manager": "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,"
        "DRAWorkloadResourceClaims=true,WorkloadWithJob=true",
    },
    "36": {
        "kube-scheduler": "GenericWorkload=true,GangScheduling=true",
        "kube-controller-manager": "GenericWorkload=true,WorkloadWithJob=true",
    },
    "35": {
        "kube-scheduler": "GenericWorkload=true,GangScheduling=true",
        "kube-controller-manager": "GenericWorkload=true",
    },
}

pytestmark = [pytest.mark.real, pytest.mark.timeout(400)]


@contextlib.contextmanager
def component(
    name: str, version: str, kubeconfig: Path, directory: Path, *flags: str
) -> Iterator[Path]:
    """Run one of the real programs inside the block; yields the path of its log."""
    log = directory / f"{name}.log"
    command = [
        str(peer_program(name, version)),
        f"--kubeconfig={kubeconfig}",
        f"--feature-gates={GANG_GATES[version][name]}",
        "--leader-elect=true",
        "--secure-port=0",
        *flags,
    ]
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as run:
        try:
            yield log
            assert run.poll() is None, log.read_text()[-2000:]
        finally:
            run.terminate()


@contextlib.contextmanager
def cluster_with_real_components(version: str, directory: Path) -> Iterator[Cluster]:
    """Run our API server and simulated nodes with the real scheduler and controllers."""
    key = directory / "sa.key"
    subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
    flags = ("--in-memory", "--components=apiserver,nodes", "--nodes=2")
    release = f"--kubernetes-version=1.{version}"
    with (
        up(directory, *flags, release) as started,
        component("kube-scheduler", version, started.kubeconfig, directory),
        component(
            "kube-controller-manager",
            version,
            started.kubeconfig,
            directory,
            f"--service-account-private-key-file={key}",
            "--use-service-account-credentials=false",
            f"--controllers={','.join(f'{name}-controller' for name in CONTROLLERS)}",
        ),
    ):
        yield Cluster(started.kubeconfig)


def job(name: str, size: int, *, cpu: str = "100m") -> dict[str, Any]:
    """Return a Job whose pods start together and end after a second."""
    container = {
        "name": "c",
        "image": "registry.example/app:1",
        "resources": {"requests": {"cpu": cpu}},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {
            "completions": size,
            "parallelism": size,
            "completionMode": "Indexed",
            "template": {
                "metadata": {"annotations": {"kubegang.dev/run-duration": "1s"}},
                "spec": {"restartPolicy": "Never", "containers": [container]},
            },
        },
    }


def gang(name: str, size: int, *, version: str, cpu: str) -> list[dict[str, Any]]:
    """Return pods that start together or not at all, and what says so in a release."""
    policy = {"gang": {"minCount": size}}
    if version == "35":
        groups = [{"name": "g", "policy": policy}]
        head = {"apiVersion": "scheduling.k8s.io/v1alpha1", "kind": "Workload"}
        spec: dict[str, Any] = {"podGroups": groups}
        member = {"workloadRef": {"name": name, "podGroup": "g"}}
    else:
        api_version = "v1alpha2" if version == "36" else "v1beta1"
        head = {"apiVersion": f"scheduling.k8s.io/{api_version}", "kind": "PodGroup"}
        spec = {"schedulingPolicy": policy}
        member = {"schedulingGroup": {"podGroupName": name}}
    members = [
        pod(f"{name}-{index}", cpu, scheduler="default-scheduler", **member)
        for index in range(size)
    ]
    return [{**head, "metadata": {"name": name}, "spec": spec}, *members]


def deployment(replicas: int) -> dict[str, Any]:
    labels = {"app": "web"}
    container = {"name": "c", "image": "registry.example/app:1"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


def service() -> dict[str, Any]:
    """Return a Service of the Deployment's pods."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }


def condition(found: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return a condition of an object; empty if it has none of the kind."""
    conditions = found.get("status", {}).get("conditions") or ()
    return next((dict(one) for one in conditions if one["type"] == kind), {})


def told_that_it_waits(cluster: Cluster) -> bool:
    """Return whether a member of the gang that does not fit knows it.

    In 1.35 those that find room wait for it without being told.
    """
    members = [one for one in cluster.items("pods") if one["metadata"]["name"].startswith("waits")]
    return any(condition(member, "PodScheduled").get("status") == "False" for member in members)


def wait(holds: Callable[[], bool], what: str) -> None:
    wait_for(holds, what, seconds=PATIENCE_SECONDS)


@pytest.mark.parametrize("version", ["37", "36", "35"])
def test_jobs_complete_and_gangs_are_scheduled(version: str, tmp_path: Path) -> None:
    with cluster_with_real_components(version, tmp_path) as cluster:
        cluster.create(job("train", 4), deployment(2), service())

        def done(name: str) -> bool:
            (found,) = cluster.items("jobs", f"--field-selector=metadata.name={name}")
            return condition(found, "Complete").get("status") == "True"

        wait(lambda: done("train"), "the Job completes")
        wait(
            lambda: cluster.items("deployments")[0]["status"].get("availableReplicas") == 2,
            "the Deployment is available",
        )
        wait(
            lambda: (
                sum(len(one["endpoints"] or ()) for one in cluster.items("endpointslices")) == 2
            ),
            "the Service's slice has both pods",
        )
        reasons = {event["reason"] for event in cluster.items("events")}
        cluster.kubectl("delete", "deployment/web", "job/train", "--wait=false")
        wait(lambda: not cluster.items("pods"), "garbage is collected")

        # Three members of twenty cores each need more than two nodes of 32.
        cluster.create(*gang("fits", 2, version=version, cpu="4"))
        wait(lambda: len(cluster.bound()) == 2, "a gang is bound")
        cluster.create(*gang("waits", 3, version=version, cpu="20"))
        wait(lambda: told_that_it_waits(cluster), "a gang is told why it waits")
        assert {name.partition("-")[0] for name in cluster.bound()} == {"fits"}

        cluster.create(node("third", "32"))
        wait(lambda: len(cluster.bound()) == 5, "the other gang is bound, too")

    assert {"Scheduled", "SuccessfulCreate", "Completed", "ScalingReplicaSet"} <= reasons
