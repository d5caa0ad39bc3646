"""``/metrics`` of kube-scheduler and of ours, after the same small load on one API server."""

from __future__ import annotations

import ssl
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from kubegang.app.profiles.table import profile_named
from tests.real.deployed import Cluster, node, pod, scheduler_process, wait_for
from tests.real.peer_plane import PORTS_OF_A_PLANE, free_port, real_plane

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

SHARED = ("kubernetes_feature_enabled", "kubernetes_build_info")
"""What is compared besides the families whose names begin with ``scheduler_``.

Everything else is of Go's runtime (go_), of client-go and the libraries of Go servers
(rest_client_, workqueue_, apiserver_, authentication_, authorization_, informer_ …), or of the
metrics library itself; a Python program has other insides.
"""

NOT_OURS = {
    "scheduler_goroutines": "there are no goroutines",
    "scheduler_plugin_execution_duration_seconds": (
        "plugins answer for all nodes at once, several of them together; "
        "what takes how long is told by extension point"
    ),
    "scheduler_queueing_hint_execution_duration_seconds": (
        "the queue reads no clock; the time is part of event_handling_duration_seconds"
    ),
    "scheduler_permit_wait_duration_seconds": (
        "upstream lets the members of a gang wait for each other for a moment; here they are "
        "let go together. Pods that do wait are counted: see test_scheduler_point_metrics.py"
    ),
}

POINTS_NOT_TIMED = {
    # The queue reads no clock.
    "PreEnqueue",
    # Not asked where no plugin has anything to do, which upstream finds out by asking.
    "Reserve",
    "Unreserve",
    "Permit",
    "PreBindPreFlight",
    "PreFilterExtensionAddPod",
    # Beside the decisions, under the time of the whole attempt.
    "PreBind",
    "Bind",
    "PostBind",
    "Sign",
}


class Shape(NamedTuple):
    """What a family looks like."""

    type: str
    labels: frozenset[str]
    buckets: tuple[float, ...]


def families(text: str) -> dict[str, Metric]:
    return {
        family.name: family
        for family in text_string_to_metric_families(text)
        if family.name.startswith("scheduler_") or family.name in SHARED
    }


def shape(family: Metric) -> Shape:
    labels = frozenset(name for s in family.samples for name in s.labels if name != "le")
    buckets = {float(s.labels["le"]) for s in family.samples if "le" in s.labels}
    return Shape(family.type, labels, tuple(sorted(round(le, 7) for le in buckets)))


def fetched(port: int) -> dict[str, Metric]:
    context = ssl._create_unverified_context()
    url = f"https://127.0.0.1:{port}/metrics"
    with urllib.request.urlopen(url, context=context) as answer:
        return families(answer.read().decode())


def gang(name: str, version: str, scheduler: str) -> list[dict[str, Any]]:
    """Return a gang of two; releases before 1.36 have no groups of their own."""
    served = profile_named(version).schedulers[0].pod_group_version
    if not served:
        return []
    group = {
        "apiVersion": f"scheduling.k8s.io/{served}",
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}},
    }
    members = [
        pod(f"{name}-{i}", "500m", scheduler=scheduler, schedulingGroup={"podGroupName": name})
        for i in range(2)
    ]
    return [group, *members]


def load(cluster: Cluster, version: str, scheduler: str) -> None:
    """Bind pods and a gang, leave one pod pending, make room for another."""
    prefix = scheduler[:4]
    only = {"nodeSelector": {"for": scheduler}}
    cluster.create(pod(f"{prefix}-a", "2", scheduler=scheduler, **only))
    wait_for(lambda: f"{prefix}-a" in cluster.bound(), "a pod is bound")
    members = gang(f"{prefix}-g", version, scheduler)
    for member in members[1:]:
        member["spec"] |= only
    if members:
        cluster.create(*members)
        wait_for(lambda: f"{prefix}-g-1" in cluster.bound(), "a gang is bound")
    cluster.create(pod(f"{prefix}-b", "3", scheduler=scheduler, **only))
    cluster.create(pod(f"{prefix}-c", "3", scheduler=scheduler, priorityClassName="high", **only))
    wait_for(lambda: f"{prefix}-c" in cluster.bound(), "room is made")


@pytest.mark.parametrize("version", ["1.35", "1.36", "1.37"])
def test_the_families_are_those_of_the_real_scheduler(version: str, tmp_path: Path) -> None:
    with real_plane(tmp_path / "plane", version.replace("1.", "")) as kubeconfig:
        cluster = Cluster(kubeconfig)
        for name in ("default-scheduler", "kubegang"):
            made = node(f"n-{name}", "4")
            made["metadata"]["labels"] = {"for": name}
            cluster.create(made)
        high = {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": "high"},
            "value": 1000,
        }
        cluster.create(high)
        port = free_port()
        arguments = [
            "scheduler",
            f"--kubeconfig={kubeconfig}",
            f"--kubernetes-version={version}",
            f"--secure-port={port}",
            "--no-leader-elect",
            "--authorization-always-allow-paths=/metrics",
        ]
        with scheduler_process(arguments, tmp_path / "log"):
            for name in ("default-scheduler", "kubegang"):
                load(cluster, version, name)
            theirs, ours = fetched(port_of(kubeconfig) + PORTS_OF_A_PLANE - 1), fetched(port)
    compare(theirs, ours)


def port_of(kubeconfig: Path) -> int:
    """Return the port of the API server."""
    return int(kubeconfig.read_text().partition("127.0.0.1:")[2].partition('"')[0])


def compare(theirs: Mapping[str, Metric], ours: Mapping[str, Metric]) -> None:
    missing = theirs.keys() - ours.keys() - NOT_OURS.keys()
    extra = ours.keys() - theirs.keys()
    assert (sorted(missing), sorted(extra)) == ([], [])
    for name in sorted(theirs.keys() & ours.keys()):
        wanted, found = shape(theirs[name]), shape(ours[name])
        if name == "kubernetes_build_info":
            found = found._replace(labels=wanted.labels)
        assert found == wanted, name
    name = "scheduler_framework_extension_point_duration_seconds"
    assert points(theirs[name]) - points(ours[name]) <= POINTS_NOT_TIMED
    gates = "kubernetes_feature_enabled"
    assert {s.labels["name"] for s in theirs[gates].samples} == {
        s.labels["name"] for s in ours[gates].samples
    }


def points(family: Metric) -> set[str]:
    return {sample.labels["extension_point"] for sample in family.samples}
